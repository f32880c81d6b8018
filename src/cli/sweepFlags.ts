// `--seeds` and `--sweep` of a command line: which runs are asked for.
import { spelled, UsageError, type Arguments } from "./arguments.js";
import { thousands } from "./thousands.js";

/** A setting with the values that it is to have, as they were written. */
export interface SweptSetting {
  readonly flag: string;
  readonly texts: readonly string[];
}

export interface SweepFlags {
  /** `null` where no seeds are asked for. */
  readonly seeds: readonly number[] | null;
  readonly settings: readonly SweptSetting[];
  /** The command line without them. */
  readonly rest: Arguments;
}

/** More runs than this are a slip of the keyboard. */
const mostRuns = 10_000;

const nameOf = (flag: { readonly name: string }): string => spelled(flag.name);
const isSweepFlag = (flag: { readonly name: string }): boolean => ["seeds", "sweep"].includes(nameOf(flag));

/** Whether a command line asks for several runs. */
export const asksForSweep = ({ flags }: Arguments): boolean => flags.some(isSweepFlag);

/** What `--seeds` and `--sweep` say; what is wrong with them is refused. */
export function readSweepFlags({ words, flags }: Arguments): SweepFlags {
  const given = flags.filter((flag) => nameOf(flag) === "seeds");
  const settings = flags
    .filter((flag) => nameOf(flag) === "sweep")
    .map(({ values }) => readSetting(values.join(" ")));
  const names = settings.map(({ flag }) => plainName(flag));
  const others = flags.filter((flag) => !isSweepFlag(flag));
  names.forEach((name, at) => {
    const { flag } = settings[at];
    if (name === "runner.seed") throw new UsageError(`--sweep ${flag}: give seeds as --seeds 0..9`);
    if (names.indexOf(name) !== at) throw new UsageError(`--sweep ${flag} is given twice`);
    if (others.some((other) => plainName(other.name) === name)) {
      throw new UsageError(`--sweep ${flag} and --${flag} exclude each other: choose one`);
    }
  });
  const seeds = given.length === 0 ? null : readSeeds(given.flatMap(({ values }) => values).join(" "));
  if (seeds !== null && others.some(({ name }) => plainName(name) === "runner.seed")) {
    throw new UsageError("--seeds and --runner.seed exclude each other: choose one");
  }
  const count = settings.reduce((product, { texts }) => product * texts.length, seeds?.length ?? 1);
  if (count > mostRuns) throw new UsageError(`${thousands(count)} runs are too many; ask for fewer`);
  return { seeds, settings, rest: { words, flags: others } };
}

/** A setting's name in one spelling. */
const plainName = (flag: string): string => flag.split(".").map(spelled).join(".");

/** `algo.lr=1e-4,1e-3`; commas in parentheses belong to one value. */
function readSetting(text: string): SweptSetting {
  const [, flag, list] = /^(?:--)?([^=\s]+)=(.*)$/s.exec(text) ?? [];
  if (flag === undefined) {
    throw new UsageError(`--sweep takes a setting and its values as algo.lr=1e-4,1e-3, got ${quoted(text)}`);
  }
  const texts = list.split(/,(?![^([]*[)\]])/).map((value) => value.trim());
  if (texts.includes(""))
    throw new UsageError(`--sweep ${flag} has a value that is empty, got ${quoted(list)}`);
  const twice = texts.find((value, at) => texts.indexOf(value) !== at);
  if (twice !== undefined) throw new UsageError(`--sweep ${flag} has ${twice} twice`);
  return { flag, texts };
}

/** `0..9`, `0,1,5` or `0 1 5`. */
function readSeeds(text: string): number[] {
  const parts = text.split(/[\s,]+/).filter((part) => part !== "");
  if (parts.length === 0) throw new UsageError("--seeds takes seeds as 0..9 or 0,1,2, got none");
  const seeds = parts.flatMap((part) => {
    const match = /^(\d+)(?:\.\.(\d+))?$/.exec(part);
    const [from, to] = match === null ? [NaN, NaN] : [Number(match[1]), Number(match[2] ?? match[1])];
    if (!Number.isSafeInteger(from) || !Number.isSafeInteger(to)) {
      throw new UsageError(`--seeds takes whole numbers of at least 0 as 0..9 or 0,1,2, got ${quoted(part)}`);
    }
    if (from > to) throw new UsageError(`--seeds ${part} goes down; write ${to}..${from}`);
    if (to - from >= mostRuns) throw new UsageError(`--seeds ${part} are too many; ask for fewer`);
    return Array.from({ length: to - from + 1 }, (_, at) => from + at);
  });
  const twice = seeds.find((seed, at) => seeds.indexOf(seed) !== at);
  if (twice !== undefined) throw new UsageError(`--seeds has ${twice} twice`);
  return seeds;
}

const quoted = (text: string): string => (text === "" ? "nothing" : JSON.stringify(text));

/** One value for each setting. */
export type Combination = readonly { readonly flag: string; readonly text: string }[];

/** Every combination of the settings' values; the last one changes fastest. */
export const combinationsOf = (settings: readonly SweptSetting[]): Combination[] =>
  settings.reduce<Combination[]>(
    (all, { flag, texts }) => all.flatMap((one) => texts.map((text) => [...one, { flag, text }])),
    [[]],
  );
