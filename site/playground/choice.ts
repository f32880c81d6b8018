// What is to be trained, and its place in the page's address: only what differs from the preset stands there.
import type { Catalog, KnownPreset, Settings } from "../components/worker/settings.js";

export type Algo = Settings["algo"];

export interface Choice {
  /** The library's environment; null is the visitor's own. */
  readonly envId: string | null;
  readonly algo: Algo;
  readonly preset: string | null;
  readonly changes: Readonly<Record<string, string>>;
  readonly devices: number;
}

/** What an address says. */
export interface Address {
  readonly choice: Choice;
  /** The visitor's environment, packed. */
  readonly code: string | null;
  /** Whether to train at once. */
  readonly isTraining: boolean;
}

const isAlgo = (name: string | null): name is Algo => name === "ppo" || name === "dqn" || name === "sac";

/** The presets for an environment and an algorithm; the first is where to start from. */
export const presetsFor = ({ presets }: Catalog, envId: string | null, algo: Algo): readonly KnownPreset[] =>
  presets.filter((one) => one.envId === envId && one.algo === algo);

/** The algorithms for an environment. Without knowing the visitor's actions, all of them. */
export const algosOf = ({ environments }: Catalog, envId: string | null): readonly Algo[] =>
  environments.find(({ id }) => id === envId)?.algos ?? ["ppo", "dqn", "sac"];

/** The start for an environment: the wanted algorithm if it can, else the first, with its first preset. */
export function startingChoice(
  catalog: Catalog,
  envId: string | null,
  wanted: Algo,
  devices: number,
): Choice {
  const algos = algosOf(catalog, envId);
  const algo = algos.includes(wanted) ? wanted : algos[0];
  return { envId, algo, preset: presetsFor(catalog, envId, algo)[0]?.name ?? null, changes: {}, devices };
}

/** The part of an address behind "#". */
export function toHash(
  { envId, algo, preset, changes, devices }: Choice,
  catalog: Catalog,
  code: string | null,
): string {
  const words = new URLSearchParams();
  words.set("env", envId ?? "own");
  words.set("algo", algo);
  const usual = presetsFor(catalog, envId, algo)[0]?.name ?? null;
  if (preset !== usual) words.set("preset", preset ?? "none");
  for (const [flag, text] of Object.entries(changes)) words.set(flag, text);
  if (devices > 1) words.set("devices", String(devices));
  if (code !== null) words.set("code", code);
  return words.toString();
}

/** What an address says; what it says wrongly is left out and told. */
export function fromHash(
  hash: string,
  catalog: Catalog,
  mostDevices: number,
): Address & { readonly problem: string | null } {
  const words = new URLSearchParams(hash.replace(/^#/, ""));
  const problems: string[] = [];
  const env = words.get("env") ?? "CartPole-v1";
  const isKnown = env === "own" || catalog.environments.some(({ id }) => id === env);
  if (!isKnown) problems.push(`there is no environment ${JSON.stringify(env)}`);
  const envId = env === "own" ? null : isKnown ? env : "CartPole-v1";
  const algo = words.get("algo");
  if (algo !== null && !isAlgo(algo)) problems.push(`there is no algorithm ${JSON.stringify(algo)}`);
  const start = startingChoice(catalog, envId, isAlgo(algo) ? algo : "ppo", 1);
  if (isAlgo(algo) && start.algo !== algo) problems.push(`${algo} cannot act in ${env}`);
  const named = words.get("preset");
  const found = presetsFor(catalog, envId, start.algo).find(({ name }) => name === named);
  if (named !== null && named !== "none" && found === undefined)
    problems.push(`there is no preset ${JSON.stringify(named)} for it`);
  const preset = named === "none" ? null : (found?.name ?? start.preset);
  const changes = Object.fromEntries([...words].filter(([name]) => /^(algo|runner)\./.test(name)));
  const asked = Math.floor(Number(words.get("devices") ?? 1));
  const devices = Math.min(mostDevices, Math.max(1, Number.isFinite(asked) ? asked : 1));
  if (asked > devices)
    problems.push(`${asked} devices were asked for, there ${devices === 1 ? "is 1" : `are ${devices}`} here`);
  return {
    choice: { ...start, preset, changes, devices },
    code: words.get("code"),
    isTraining: words.has("train"),
    problem: problems.length === 0 ? null : `The link says what cannot be: ${problems.join("; ")}.`,
  };
}
