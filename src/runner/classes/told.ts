// What the steps of a functional environment tell for the log: parts of rewards, and figures of its own.
import { Array, describe, fail } from "../../array/index.js";

/** By name, a number for each environment on each step. */
type Numbers<T> = Readonly<Record<string, T>>;

/** Both are empty where the environment tells nothing. */
export interface Told<T = Array> {
  /** The parts that the reward is the sum of. */
  readonly rewardComponents: Numbers<T>;
  /** Figures to log under their own names. */
  readonly log: Numbers<T>;
}

/** What the information of a step of all environments has of it, each (N,). */
export function toldIn(operation: string, info: object): Told {
  const { rewardComponents = {}, log = {} } = info as Partial<Told>;
  checkNumbers(operation, "rewardComponents", rewardComponents);
  checkNumbers(operation, "log", log);
  return { rewardComponents, log };
}

function checkNumbers(operation: string, what: string, numbers: unknown): void {
  const isRecord = typeof numbers === "object" && numbers !== null && !(numbers instanceof Array);
  if (!isRecord || globalThis.Array.isArray(numbers)) {
    const got = numbers instanceof Array ? "an array" : describe(numbers);
    fail(operation, `info.${what} must be an object with a scalar array for each name, got ${got}`);
  }
  for (const [name, value] of Object.entries(numbers)) {
    if (value instanceof Array && value.ndim === 1) continue;
    const got = value instanceof Array ? `shape [${value.shape.slice(1).join()}]` : describe(value);
    fail(operation, `info.${what}[${JSON.stringify(name)}] must be a scalar array, got ${got}`);
  }
}

/** The same for the host to read. */
export const readTold = ({ rewardComponents, log }: Told): Told<ArrayLike<number>> => ({
  rewardComponents: read(rewardComponents),
  log: read(log),
});

const read = (numbers: Numbers<Array>): Numbers<ArrayLike<number>> =>
  Object.fromEntries(Object.entries(numbers).map(([name, values]) => [name, values.data()]));
