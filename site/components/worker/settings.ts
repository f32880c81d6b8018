// Settings of a run as the page has them: an environment, an algorithm, where to start from, and what differs from that.
import {
  applyOverrides,
  baseConfig,
  fieldsOf,
  presets,
  type FieldInfo,
  type TrainConfig,
} from "vibe-rl/config";
import { listEnvs, make } from "vibe-rl/env";
import type { Algorithm } from "vibe-rl/policy";

export interface Settings {
  readonly algo: Algorithm;
  /** The preset to start from; null starts from the algorithm's defaults. */
  readonly preset: string | null;
  /** Texts by flag, as on the command line: `{ "algo.lr": "1e-3" }`. */
  readonly changes: Readonly<Record<string, string>>;
}

export interface KnownPreset {
  readonly name: string;
  readonly envId: string;
  readonly algo: Algorithm;
  readonly description: string;
}

export interface KnownEnvironment {
  readonly id: string;
  readonly algos: readonly Algorithm[];
}

export interface Catalog {
  readonly environments: readonly KnownEnvironment[];
  readonly presets: readonly KnownPreset[];
}

/** The algorithms for a kind of actions. */
export const algosFor = (actionKind: string): readonly Algorithm[] =>
  actionKind === "Discrete" ? ["ppo", "dqn"] : ["ppo", "sac"];

/** Everything there is to choose from. */
export const catalog = (): Catalog => ({
  environments: listEnvs().map((id) => {
    const [env, params] = make(id as string & {}, {});
    return { id, algos: algosFor(env.actionSpace(params).kind) };
  }),
  presets: Object.entries(presets).map(([name, { description, config }]) => ({
    ...{ name, description, envId: config.envId, algo: config.algo },
  })),
});

/** What PPO starts from where no preset is for the environment: its defaults learn slowly with one environment. */
const livelier = { "algo.num_envs": "8", "algo.lr": "1e-3", "algo.lr_schedule": "linear" };

function startOf({ algo, preset }: Settings): TrainConfig {
  if (preset === null) return algo === "ppo" ? changed(baseConfig(algo), livelier) : baseConfig(algo);
  const found = presets[preset] as (typeof presets)[string] | undefined;
  if (found === undefined) {
    throw new Error(`there is no preset ${preset}; there are ${Object.keys(presets).join(", ")}`);
  }
  if (found.config.algo !== algo)
    throw new Error(`the preset ${preset} is for ${found.config.algo}, not ${algo}`);
  return found.config;
}

const changed = (config: TrainConfig, changes: Settings["changes"]): TrainConfig =>
  applyOverrides(
    config,
    Object.entries(changes).map(([flag, text]) => ({ flag, text })),
  );

/** The config of a run; settings that cannot be used are refused. */
export const configOf = (settings: Settings): TrainConfig => changed(startOf(settings), settings.changes);

export interface Description {
  /** The settings with the values that they start from. */
  readonly fields: readonly FieldInfo[];
  /** What is wrong with a setting, by its flag; what is wrong with all of them together is under "". */
  readonly problems: Readonly<Record<string, string>>;
}

/** What can be set, and what is wrong with what is. */
export function describe(settings: Settings): Description {
  const start = startOf(settings);
  const problems: Record<string, string> = {};
  const attempt = (flag: string, changes: Settings["changes"]): void => {
    try {
      changed(start, changes);
    } catch (error) {
      problems[flag] = readable(error);
    }
  };
  for (const [flag, text] of Object.entries(settings.changes)) attempt(flag, { [flag]: text });
  // A setting that is right only beside another one is no problem; what is wrong together is told once.
  const alone = { ...problems };
  attempt("", settings.changes);
  if (problems[""] === undefined) return { fields: fieldsOf(start), problems: {} };
  const isTold = Object.values(alone).includes(problems[""]);
  return { fields: fieldsOf(start), problems: isTold ? alone : { ...alone, "": problems[""] } };
}

/** A config's message without the name of the function and the place in the bundle. */
const readable = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error))
    .replace(/^\w+Config: /, "")
    .replace(/^--/, "")
    .replace(/ \([^(]*:\d+:\d+\)$/, "");
