// Where to cut a list in two.

export interface Cut {
  /** The first place of the second part. */
  readonly at: number;
  /** What the lighter part weighs, as a share of all. */
  readonly lighter: number;
  readonly total: number;
}

/** The cut of a list with weights whose heavier part is as light as can be. */
export function fairCut(weights: readonly number[]): Cut {
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  let [at, heavier, before] = [0, total, 0];
  weights.forEach((weight, place) => {
    const larger = Math.max(before, total - before);
    if (larger < heavier) [at, heavier] = [place, larger];
    before += weight;
  });
  return { at, lighter: total === 0 ? 0 : (total - heavier) / total, total };
}
