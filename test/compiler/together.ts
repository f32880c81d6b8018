// Many cases as one program, for devices on which a program costs more to build than to run.
import { expect } from "vitest";
import { jit, np, type Array } from "vibe-rl/array";
import { differences, type Tolerance } from "../closeness.js";
import { otherArguments, type Case, type Computation } from "./compare.js";

/** A case with a tolerance, or a check of its own. */
export interface BatchedCase extends Case {
  readonly tolerance?: Tolerance;
  /** Fails unless the result is right; by default it is what the interpreter says. */
  readonly check?: (result: unknown) => void;
}

/** Batches for a device, by the facts that they state. */
export type Batches = Readonly<Record<string, (device: string) => BatchedCase[]>>;

/** Cases under a common name. */
export const named = (name: string, cases: readonly BatchedCase[]): BatchedCase[] =>
  cases.map((one) => ({ ...one, name: `${name}: ${one.name}` }));

/** Functions by their names, all of the same arguments. */
export const casesOf = (
  functions: Readonly<Record<string, Computation>>,
  args: readonly Array[],
  tolerance: Tolerance,
): BatchedCase[] => Object.entries(functions).map(([name, f]) => ({ name, f, args, tolerance }));

/** At most so many cases, from all parts of a batch. */
export const fewOf = (cases: readonly BatchedCase[], most: number): BatchedCase[] => {
  const step = Math.ceil(cases.length / most);
  return cases.filter((_, at) => at % step === 0);
};

/** One in so many cases of a long batch, from all of its parts, unless all tests run on native code. */
export const partOf = (cases: readonly BatchedCase[], oneIn: number): BatchedCase[] =>
  process.env.VIBE_RL_DEVICE === "native" ? [...cases] : fewOf(cases, Math.max(12, cases.length / oneIn));

type Run = (...args: Array[]) => unknown[];

/** The results of all cases, of the arguments of all cases. */
const joined =
  (cases: readonly Case[]): Run =>
  (...all) => {
    let used = 0;
    return cases.map(({ f, args }) => f(...all.slice(used, (used += args.length))));
  };

/** Overwrites the memory that programs of a device share, with NaN for floats and -1 for integers. */
function spoilMemory(device: string, words: number): void {
  const rubbish = np.array(new Uint32Array(words).fill(0xffffffff));
  jit((x: Array) => x, { device })(rubbish);
}

/** What went wrong with each of some cases, run by one program twice with other arguments between. */
function problemsOf(
  cases: readonly BatchedCase[],
  device: string,
  words: number,
): Map<BatchedCase, string[]> {
  const problems = new Map<BatchedCase, string[]>();
  const note = (one: BatchedCase, found: readonly string[], call = ""): void => {
    if (found.length > 0 && !problems.has(one))
      problems.set(
        one,
        found.slice(0, 2).map((text) => call + text),
      );
  };
  const args = cases.flatMap((one) => [...one.args]);
  const others = cases.map((one) => (one.check === undefined ? otherArguments(one.args) : one.args));
  const compiled = jit(joined(cases), { device });
  spoilMemory(device, words);
  const first = compiled(...args);
  const second = compiled(...others.flat());
  spoilMemory(device, words);
  const again = compiled(...args);
  cases.forEach((one, at) => {
    const { f, tolerance = {}, check } = one;
    const interpreted = jit(f, { device: "interpreter" });
    if (check === undefined) {
      note(one, differences(first[at], interpreted(...one.args), tolerance));
      note(one, differences(second[at], interpreted(...others[at]), tolerance), "second call: ");
    } else
      note(
        one,
        failureOf(() => check(first[at])),
      );
    note(one, differences(again[at], first[at], { signedZeros: true }), "first call again: ");
  });
  return problems;
}

const failureOf = (check: () => void): string[] => {
  try {
    check();
    return [];
  } catch (error) {
    return [(error as Error).message];
  }
};

/**
 * Fails unless all of some cases, as one program of a device, give the interpreter's answer; says which do not. What they
 * find in memory is rubbish, in so many words.
 */
export function expectTogether(cases: readonly BatchedCase[], device: string, words = 2 ** 20): void {
  let problems: Map<BatchedCase, string[]>;
  try {
    problems = problemsOf(cases, device, words);
  } catch (error) {
    // One of them cannot be compiled, and the message does not say which.
    problems = new Map(cases.map((one) => [one, failureOf(() => void problemsOf([one], device, words))]));
    const wrong = [...problems].filter(([, found]) => found.length > 0);
    if (wrong.length === 0) throw error;
    problems = new Map(wrong);
  }
  expect(Object.fromEntries([...problems].map(([{ name }, found]) => [name, found]))).toEqual({});
}
