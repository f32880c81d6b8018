// A run that has lost its numbers is stopped, with the place where it happened.
import { tree, type Array } from "../array/index.js";
import type { Outcome } from "../files/index.js";

/** A run whose numbers are no longer finite. */
export class DivergedError extends Error {
  override readonly name = "DivergedError";

  constructor(
    message: string,
    /** The update after which it was seen, counted from 1. */
    readonly update: number,
    /** The environment step of that update. */
    readonly step: number,
    /** The metric that is not finite; `null` if only parameters are not. */
    readonly metric: string | null,
    /** The parameters that are not finite, by their paths. */
    readonly params: readonly string[],
  ) {
    super(message);
  }
}

/** Whether all are finite, from the last to the first: an iterator or a callback takes four times as long. */
function areFinite(values: ArrayLike<number>): boolean {
  let left = values.length;
  while (left > 0 && Number.isFinite(values[left - 1])) left--;
  return left === 0;
}

/** The paths of the parameters that have an element which is not finite. */
export function badParams(params: object): string[] {
  const bad: string[] = [];
  tree.mapWithPath((path, leaf: unknown) => {
    if (!areFinite((leaf as Array).data())) bad.push(path);
    return 0;
  }, params);
  return bad;
}

/** The first metric that is not finite, of one seed or several. */
export const badMetric = (
  metrics: Readonly<Record<string, number | readonly number[]>>,
): [name: string, value: number] | undefined => {
  for (const [name, value] of Object.entries(metrics)) {
    const bad = [value].flat().find((one) => !Number.isFinite(one));
    if (bad !== undefined) return [name, bad];
  }
  return undefined;
};

/** What a run that is stopped says. */
export function diverged(
  algorithm: string,
  { update, step }: { readonly update: number; readonly step: number },
  metric: readonly [name: string, value: number] | undefined,
  params: readonly string[],
  checkpoint: string | null,
): DivergedError {
  const [first, ...others] = params;
  const more = others.length === 0 ? "" : ` and ${others.length} other parameters`;
  const found = [
    ...(metric === undefined ? [] : [`${metric[0]} is ${metric[1]}`]),
    ...(first === undefined
      ? []
      : [`the parameter ${first}${more} ${more === "" ? "is" : "are"} not finite`]),
  ];
  const when =
    update === 0 ? `before the first update (step ${step})` : `after update ${update} (step ${step})`;
  const message =
    `train${algorithm}: ${found.join(", and ")} ${when}, so the run was stopped; ` +
    (checkpoint === null ? "" : `the last good checkpoint is ${checkpoint}. `) +
    "Try a lower learning rate, a lower maxGradNorm, scaled rewards, or look for numbers of the environment " +
    "that are not finite";
  return new DivergedError(message, update, step, metric?.[0] ?? null, params);
}

/** How a run ended that an error has stopped. */
export const outcomeOf = (error: unknown, step: number): Outcome => ({
  state: error instanceof DivergedError ? "diverged" : "failed",
  step: error instanceof DivergedError ? error.step : step,
  message: error instanceof Error ? error.message : String(error),
});
