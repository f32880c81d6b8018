// The grid of a sweep: every combination of the values that were given for its settings.
import { check, fail, nearestName, rules, showValue } from "../../array/index.js";
import type { RunnerConfig } from "../config.js";
import { checkSeeds } from "../checks.js";

/** Values to try, by setting: `algo.` stands before the algorithm's fields, `runner.` before the runner's. */
export type SweepGrid<C> = {
  readonly [K in keyof C & string as `algo.${K}`]?: readonly C[K][];
} & {
  readonly [K in Exclude<keyof RunnerConfig, "seed"> as `runner.${K}`]?: readonly RunnerConfig[K][];
} & {
  /** Every setting is trained once for each; the runner's own seed if left out. */
  readonly seeds?: readonly number[];
};

/** A combination, by the names of the grid. */
export type SweepSetting = Readonly<Record<string, unknown>>;

/** Where values go that are no settings of their own. */
const elsewhere: Readonly<Record<string, string>> = {
  "runner.seed": "seeds: […]",
  seed: "seeds: […]",
};

/** Refuses a grid that is none, with the setting that is wrong. */
export function checkGrid(
  grid: unknown,
  known: { readonly algo: readonly string[]; readonly runner: readonly string[] },
): void {
  if (typeof grid !== "object" || grid === null || Array.isArray(grid)) {
    fail(
      "sweep",
      `needs what to try as an object such as { "algo.lr": [1e-4, 1e-3] }, got ${showValue(grid)}`,
    );
  }
  const names = [
    ...known.algo.map((field) => `algo.${field}`),
    ...known.runner.filter((field) => field !== "seed").map((field) => `runner.${field}`),
    "seeds",
  ];
  for (const [name, values] of Object.entries(grid)) {
    if (Object.hasOwn(elsewhere, name)) fail("sweep", `${name} is given as ${elsewhere[name]}`);
    if (!names.includes(name)) {
      const near = nearestName(name, names) ?? names.join(" or ");
      fail("sweep", `there is no setting ${name}; did you mean ${near}?`);
    }
    checkValues(name, values);
  }
  checkSeeds("sweep", (grid as { readonly seeds?: unknown }).seeds);
}

const someValues = rules.rule(
  "a list of at least one value",
  (value) => Array.isArray(value) && value.length > 0,
);

function checkValues(name: string, values: unknown): void {
  check("sweep", name, values, someValues);
  const texts = (values as readonly unknown[]).map((value) => showValue(value));
  const twice = texts.find((text, at) => texts.indexOf(text) !== at);
  if (twice !== undefined) fail("sweep", `${name} has ${twice} twice`);
}

/** All combinations; the last setting changes fastest. */
export function settingsOf(grid: Readonly<Record<string, unknown>>): SweepSetting[] {
  const lists = Object.entries(grid).filter(([name]) => name !== "seeds") as [string, readonly unknown[]][];
  return lists.reduce<SweepSetting[]>(
    (settings, [name, values]) =>
      settings.flatMap((setting) => values.map((value) => ({ ...setting, [name]: value }))),
    [{}],
  );
}

/** The part of a setting that is for one config, by the names of its fields. */
export const partOf = (setting: SweepSetting, part: "algo" | "runner"): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    Object.entries(setting)
      .filter(([name]) => name.startsWith(`${part}.`))
      .map(([name, value]) => [name.slice(part.length + 1), value]),
  );

/** `lr 0.001, gamma 0.99`: a setting for people; nothing where nothing but seeds differs. */
export const nameOf = (setting: SweepSetting): string =>
  Object.entries(setting)
    .map(([name, value]) => `${name.slice(name.indexOf(".") + 1)} ${showSetting(value)}`)
    .join(", ");

/** A value of a setting for people. */
export const showSetting = (value: unknown): string => (typeof value === "string" ? value : showValue(value));
