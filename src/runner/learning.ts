// What follows a step of the environments in DQN and SAC: no update, one, or several in a loop of their own.
import { lax, np, random, type Array } from "../array/index.js";
import type { Cadence } from "./cadence.js";
import { isSetting } from "./gathered.js";

export type MetricArrays = Readonly<Record<string, Array>>;

/** One update: draw a batch with a key, learn from it. */
export type Update<A, B> = (
  agentState: A,
  buffer: B,
  key: Array,
) => readonly [agentState: A, buffer: B, metrics: MetricArrays];

/** What learning works on and leaves. */
export interface Student<A, B> {
  readonly agentState: A;
  readonly buffer: B;
}

export interface Lesson<A, B> extends Student<A, B> {
  /** Means of the updates, but the last value of what is a setting; 0 if there was none. */
  readonly metrics: MetricArrays;
  /** Whether there was an update. */
  readonly hasLearned: Array;
}

/** How often it is time to learn after an iteration, and the steps since the last time, which is kept below `trainFreq`. */
export function timesDue(
  { stepsPerIteration, rhythm }: Cadence,
  since: Array,
): [due: Array | number, since: Array] {
  const { trainFreq } = rhythm;
  if (stepsPerIteration % trainFreq === 0) return [stepsPerIteration / trainFreq, since];
  const steps = since.add(stepsPerIteration);
  const left = steps.mod(trainFreq);
  return [np.floorDivide(steps, trainFreq), left];
}

/** Makes as many updates as are due. */
export function lesson<A, B>(
  update: Update<A, B>,
  names: readonly string[],
  { rhythm: { gradientSteps } }: Cadence,
  due: Array | number,
  { agentState, buffer }: Student<A, B>,
  key: Array,
): Lesson<A, B> {
  const count = typeof due === "number" ? due * gradientSteps : due.mul(gradientSteps);
  if (count === 1) {
    const [learned, remembered, metrics] = update(agentState, buffer, key);
    return { agentState: learned, buffer: remembered, metrics, hasLearned: np.array(true) };
  }
  const zeros: MetricArrays = Object.fromEntries(names.map((name) => [name, np.float32(0)]));
  const end = lax.foriLoop(
    0,
    count,
    (at, before: Student<A, B> & { readonly metrics: MetricArrays }) => {
      const [learned, remembered, metrics] = update(before.agentState, before.buffer, random.foldIn(key, at));
      const gathered = names.map((name) => [
        name,
        isSetting(name) ? metrics[name] : before.metrics[name].add(metrics[name]),
      ]);
      const sums = Object.fromEntries(gathered) as MetricArrays;
      return { agentState: learned, buffer: remembered, metrics: sums };
    },
    { agentState, buffer, metrics: zeros },
  );
  const divisor = np.maximum(count, 1);
  const means = names.map((name) => [
    name,
    isSetting(name) ? end.metrics[name] : end.metrics[name].div(divisor),
  ]);
  return {
    ...{ agentState: end.agentState, buffer: end.buffer },
    metrics: Object.fromEntries(means) as MetricArrays,
    hasLearned: np.greater(count, 0),
  };
}
