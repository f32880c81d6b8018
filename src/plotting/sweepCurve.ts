// The curves of a sweep: one line a setting, with a band over its seeds.
import { fail } from "./error.js";
import type { Figure } from "./figure.js";
import { plotRuns, type RewardCurveOptions } from "./rewardCurve.js";

/** What `sweep` returns, as far as it is drawn. */
export interface SweepLike {
  readonly runs: readonly {
    /** The setting in words; runs of the same name are one curve. */
    readonly name: string;
    readonly seed: number;
    readonly records: readonly Readonly<Record<string, number>>[];
    /** Why a run was stopped before its end; it is left out then. */
    readonly error: Error | null;
  }[];
}

/** Draws a metric of a sweep's runs, and saves it if `savePath` is given: the mean over each setting's seeds. */
export function plotSweep({ runs }: SweepLike, options: Omit<RewardCurveOptions, "groupBy"> = {}): Figure {
  const whole = runs.filter(({ error }) => error === null);
  if (whole.length === 0) fail("plotSweep", `none of the ${runs.length} runs has come to its end`);
  return plotRuns(
    whole.map(({ name, seed, records }) => ({
      ...{ root: "", name: `${name === "" ? "" : `${name}, `}seed ${seed}`, config: {}, rows: records },
      experiment: name === "" ? "all seeds" : name,
    })),
    options,
  );
}
