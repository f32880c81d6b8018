// Settings from words: `--algo.lr 1e-3` in any spelling of names, typed by the field it is for.
import { algorithmOf } from "../algorithms/index.js";
import { nearestName } from "../array/index.js";
import { camelCaseName, snakeCaseName } from "../files/index.js";
import { RunnerConfig } from "../runner/index.js";
import { kindOf, runnerMeanings, type Kind } from "./meanings.js";
import type { TrainConfig } from "./presets.js";

/** A setting that cannot be used. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
}

/** A setting as it was given: the flag's name and its text, `null` where the flag stands alone. */
export interface Override {
  readonly flag: string;
  readonly text: string | null;
}

/** A setting of a run. */
export interface FieldInfo {
  /** As on the command line: `algo.hidden_sizes`. */
  readonly flag: string;
  readonly kind: Kind;
  /** What it is now. */
  readonly value: unknown;
  readonly meaning: string;
}

/** Every setting of a run, with what it is now. */
export function fieldsOf({ algo, algoConfig, runner, envId }: TrainConfig): FieldInfo[] {
  const list = (
    prefix: string,
    config: object,
    defaults: object,
    texts: Readonly<Record<string, string>>,
  ): FieldInfo[] =>
    Object.entries(config).map(([name, value]) => ({
      flag: `${prefix}.${snakeCaseName(name)}`,
      kind: kindOf(name, (defaults as Readonly<Record<string, unknown>>)[name]),
      value: value as unknown,
      meaning: texts[name] ?? "",
    }));
  const { config: builder, meanings } = algorithmOf(algo);
  return [
    { flag: "env_id", kind: "text", value: envId, meaning: "the environment" },
    ...list("algo", algoConfig, builder.defaults, meanings),
    ...list("runner", runner, RunnerConfig.defaults, runnerMeanings),
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
      const near = nearestName(name.join("."), flags);
      const hint = near === null ? "." : `; did you mean --${near}?`;
      throw new ConfigError(`there is no --${flag}${hint} --help lists all`);
    }
    const [part, field] = name;
    const value = parseValue(text, found);
    if (field === undefined) envId = value as string;
    else changed[part as "algo" | "runner"][camelCaseName(field)] = value;
  }
  const algoConfig = algorithmOf(config.algo).config({ ...config.algoConfig, ...changed.algo });
  const runner = RunnerConfig({ ...config.runner, ...changed.runner });
  return { ...config, envId, algoConfig, runner } as TrainConfig;
}

/** The value that a text stands for, by the kind of its field. */
function parseValue(given: string | null, { flag, kind }: FieldInfo): unknown {
  // A flag alone switches on.
  const text = given ?? (kind === "true or false" ? "true" : "");
  const word = text.trim().toLowerCase();
  const refuse = (wanted: string): never => {
    throw new ConfigError(
      `--${flag} must be ${wanted}, got ${word === "" ? "nothing" : JSON.stringify(text)}`,
    );
  };
  if (word === "") return refuse(kind === "true or false" ? kind : `a ${kind}`);
  if (kind.endsWith("or null") && ["null", "none"].includes(word)) return null;
  switch (kind) {
    case "text":
    case "text or null":
    case "path or null":
      return text;
    case "true or false":
      if (["true", "1", "yes", "on"].includes(word)) return true;
      if (["false", "0", "no", "off"].includes(word)) return false;
      return refuse("true or false");
    case "list":
      return parseList(text) ?? refuse("a list of numbers as (64, 64)");
    case "number, list or null": {
      const list = parseList(text) ?? refuse("a number, a list of numbers as (-1, 1), or null");
      return /^[([]|,/.test(word) ? list : list[0];
    }
    case "number":
    case "number or null": {
      const value = plainNumber(text);
      return Number.isFinite(value) ? value : refuse(`a ${kind}`);
    }
  }
}

/** `(64, 64)`, `[64, 64]`, `64,64` or `64 64` as numbers; `()` is empty, and `null` comes of anything else. */
function parseList(text: string): number[] | null {
  const inside = /^\((.*)\)$|^\[(.*)\]$|^([^()[\]]+)$/s.exec(text.trim());
  if (inside === null) return null;
  const parts = (inside[1] ?? inside[2] ?? inside[3]).split(/[\s,]+/).filter((part) => part !== "");
  const numbers = parts.map(plainNumber);
  return numbers.every(Number.isFinite) ? numbers : null;
}

const plainNumber = (text: string): number =>
  /\d/.test(text) ? Number(text.replaceAll(/(?<=\d)_(?=\d)/g, "")) : NaN;
