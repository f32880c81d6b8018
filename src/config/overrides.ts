// Settings from words: `--algo.lr 1e-3` in any spelling of names, typed by the field it is for.
import { DQNConfig, PPOConfig, SACConfig } from "../algorithms/index.js";
import { nearestNames } from "../env/index.js";
import { camelCaseName, snakeCaseName } from "../runDir/index.js";
import { RunnerConfig } from "../runner/index.js";
import { dqnMeanings, ppoMeanings, runnerMeanings, sacMeanings } from "./meanings.js";
import type { TrainConfig } from "./presets.js";

/** A setting that cannot be used. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
}

/** A setting as it was given: the flag's name and its text. */
export interface Override {
  readonly flag: string;
  readonly text: string;
}

interface FieldInfo {
  /** As on the command line: `algo.hidden_sizes`. */
  readonly flag: string;
  readonly default: unknown;
  readonly meaning: string;
}

const builders = { ppo: PPOConfig, dqn: DQNConfig, sac: SACConfig } as const;
const meanings = { ppo: ppoMeanings, dqn: dqnMeanings, sac: sacMeanings } as const;

/** Every setting of a run, with what it is now. */
export function fieldsOf({ algo, algoConfig, runner, envId }: TrainConfig): FieldInfo[] {
  const list = (prefix: string, config: object, texts: Readonly<Record<string, string>>): FieldInfo[] =>
    Object.entries(config).map(([name, value]) => ({
      ...{ flag: `${prefix}.${snakeCaseName(name)}`, default: value as unknown, meaning: texts[name] ?? "" },
    }));
  return [
    { flag: "env_id", default: envId, meaning: "the environment" },
    ...list("algo", algoConfig, meanings[algo]),
    ...list("runner", runner, runnerMeanings),
  ];
}

/** A config with some settings changed; unknown ones are refused with the nearest name. */
export function applyOverrides(config: TrainConfig, overrides: readonly Override[]): TrainConfig {
  const fields = fieldsOf(config);
  const changed = { algo: {} as Record<string, unknown>, runner: {} as Record<string, unknown> };
  let { envId } = config;
  for (const { flag, text } of overrides) {
    const name = flag.split(".").map((part) => snakeCaseName(camelCaseName(part.replaceAll("-", "_"))));
    const found = fields.find((field) => field.flag === name.join("."));
    if (found === undefined) {
      const flags = fields.map((field) => field.flag);
      const near = nearestNames(name.join("."), flags, 1);
      throw new ConfigError(`there is no --${flag}; did you mean --${near.join(" or --")}? --help lists all`);
    }
    const [part, field] = name;
    if (field === undefined) envId = text;
    else changed[part as "algo" | "runner"][camelCaseName(field)] = parseValue(text, found);
  }
  const algoConfig = builders[config.algo]({ ...config.algoConfig, ...changed.algo });
  const runner = RunnerConfig({ ...config.runner, ...changed.runner });
  return { ...config, envId, algoConfig, runner } as TrainConfig;
}

/** The value that a text stands for, by the kind of value that is there. */
function parseValue(text: string, { flag, default: now }: FieldInfo): unknown {
  const isNothing = /^(null|none)$/i.test(text);
  if (typeof now === "string") return text;
  if (typeof now === "boolean") {
    const word = text.toLowerCase();
    if (["true", "1", "yes", "on"].includes(word)) return true;
    if (["false", "0", "no", "off"].includes(word)) return false;
    throw new ConfigError(`--${flag} must be true or false, got ${JSON.stringify(text)}`);
  }
  if (isNothing) return null;
  const inside = /^[([](.*)[)\]]$/.exec(text.trim())?.[1];
  const isList = Array.isArray(now) || inside !== undefined;
  if (isList) {
    const parts = (inside ?? text).split(",").map((part) => part.trim());
    return parts.filter((part) => part !== "").map((part) => parseNumber(part, flag));
  }
  // A field that is null by default may be a number or a path.
  if (now === null && Number.isNaN(plainNumber(text))) return text;
  return parseNumber(text, flag);
}

const plainNumber = (text: string): number =>
  /\d/.test(text) ? Number(text.replaceAll(/(?<=\d)_(?=\d)/g, "")) : NaN;

function parseNumber(text: string, flag: string): number {
  const value = plainNumber(text);
  if (!Number.isFinite(value))
    throw new ConfigError(`--${flag} must be a number, got ${JSON.stringify(text)}`);
  return value;
}
