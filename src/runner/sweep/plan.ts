// The runs that a sweep makes, all checked before the first of them begins, and which of them go side by side.
import { check, checkOptions, fail, rules } from "../../array/index.js";
import { checkedConfig, completedConfig, type ConfigBuilder } from "../../agent/index.js";
import type { Environment } from "../../env/index.js";
import { checkDevices, checkListeners } from "../checks.js";
import { RunnerConfig } from "../config.js";
import type { Family, Member } from "../family.js";
import { checkGrid, nameOf, partOf, settingsOf, type SweepSetting } from "./grid.js";
import type { AgentHolder } from "./together.js";

/** What a sweep needs to know of an algorithm. */
export interface Algorithm {
  /** The names of its config and of its other options. */
  readonly config: string;
  readonly options: readonly string[];
  readonly builder: ConfigBuilder<object>;
  readonly family: (env: Environment, params: unknown, options: object) => Family<AgentHolder>;
}

/** A run to be made. */
export interface Plan {
  readonly setting: SweepSetting;
  readonly name: string;
  readonly runnerConfig: RunnerConfig;
  readonly family: Family<AgentHolder>;
  readonly member: Member;
  /** Its place among the runs. */
  readonly index: number;
}

const listenerNames = ["onRun", "onProgress", "signal", "sideBySide"];

/** The runs of a sweep, all checked before the first of them begins. */
export function planOf(
  { config: configName, options: own, builder, family: familyOf }: Algorithm,
  env: Environment,
  envParams: unknown,
  options: {
    readonly runnerConfig?: Partial<RunnerConfig> | undefined;
    readonly sideBySide?: number;
  },
  grid: Readonly<Record<string, unknown>>,
): Plan[] {
  checkOptions("sweep", options, [configName, "runnerConfig", ...own, ...listenerNames]);
  checkListeners("sweep", { ...options });
  if (options.sideBySide !== Infinity) check("sweep", "sideBySide", options.sideBySide ?? 1, rules.whole(1));
  const runner = completedConfig("sweep", "runnerConfig", RunnerConfig, options.runnerConfig);
  checkGrid(grid, { algo: Object.keys(builder.defaults), runner: Object.keys(RunnerConfig.defaults) });
  const { [configName]: given } = options as unknown as Readonly<Record<string, unknown>>;
  const base = completedConfig("sweep", configName, builder, given as object | undefined);
  const families = new Map<string, Family<AgentHolder>>();
  const { seeds = [runner.seed] } = grid as { readonly seeds?: readonly number[] };
  const plans = settingsOf(grid).flatMap((setting) => {
    const name = nameOf(setting);
    const called = (config: string) => (name === "" ? config : `${config} with ${name}`);
    const algo = checkedConfig("sweep", called(configName), builder, { ...base, ...partOf(setting, "algo") });
    const runnerConfig = checkedConfig("sweep", called("runnerConfig"), RunnerConfig, {
      ...runner,
      ...partOf(setting, "runner"),
    });
    checkFiles(runnerConfig);
    checkDevices("sweep", runnerConfig);
    const { values, key } = divide(setting, builder.traceable);
    const family =
      families.get(key) ??
      familyOf(env, envParams, {
        ...{ ...options, [configName]: algo },
        // Runs go side by side on one device.
        runnerConfig: { ...runnerConfig, numDevices: 1 },
      });
    families.set(key, family);
    return seeds.map((seed) => ({
      ...{ setting, name, family, member: { seed, values } },
      runnerConfig: { ...runnerConfig, seed },
    }));
  });
  return plans.map((plan, index) => ({ ...plan, index }));
}

/** The values of a setting that are arguments of its program, and what tells its program from others. */
function divide(
  setting: SweepSetting,
  traceable: readonly string[],
): { readonly values: Record<string, number>; readonly key: string } {
  const values: Record<string, number> = {};
  const statics: Record<string, unknown> = { ...setting };
  for (const [field, value] of Object.entries(partOf(setting, "algo"))) {
    if (typeof value !== "number" || !traceable.includes(field)) continue;
    values[field] = value;
    statics[`algo.${field}`] = "traced";
  }
  return { values, key: JSON.stringify(statics) };
}

/** A sweep has no directory for each run. */
function checkFiles({ checkpointDir, resume }: RunnerConfig): void {
  if (checkpointDir === null && !resume) return;
  fail(
    "sweep",
    "keeps no files: leave out checkpointDir and resume, or train the runs one by one (vibe-rl train --sweep)",
  );
}

/** What the runs of a group may take of memory together. */
const memoryBudget = 2 ** 31;

/** The runs that go side by side: those of one family, as many as are wanted and fit into memory. */
export function groupsOf(plans: readonly Plan[], sideBySide: number): Plan[][] {
  const groups: Plan[][] = [];
  for (const plan of plans) {
    const { family } = plan;
    const most = Math.max(1, Math.min(sideBySide, Math.floor(memoryBudget / family.bytes)));
    const open =
      most === 1
        ? undefined
        : groups.find(([one, ...rest]) => one.family === family && rest.length + 1 < most);
    if (open === undefined) groups.push([plan]);
    else open.push(plan);
  }
  return groups;
}
