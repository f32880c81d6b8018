// Which checkpoints stay when new ones come.

export interface RetentionOptions {
  /** How many of the newest to keep, or of the best where there are scores. `null`: all. */
  readonly maxToKeep: number | null;
  /** Keeps one checkpoint for good in every so many steps: the first at or after each multiple. `null`: none. */
  readonly keepPeriod: number | null;
  readonly bestMode: "max" | "min";
}

/** The steps to remove. `scores` ranks them, if given; those in `keep` stay whatever happens. */
export function stepsToRemove(
  steps: readonly number[],
  { maxToKeep, keepPeriod, bestMode }: RetentionOptions,
  keep: readonly number[],
  scores: ((step: number) => number | null) | null = null,
): number[] {
  if (maxToKeep === null) return [];
  const newestFirst = [...steps].sort((a, b) => b - a);
  const ranked = scores === null ? newestFirst : bestFirst(newestFirst, scores, bestMode);
  const kept = new Set([...ranked.slice(0, maxToKeep), ...keep, ...periodic(steps, keepPeriod)]);
  return steps.filter((step) => !kept.has(step));
}

/** Steps by score, the best first; without a score last, and the newer first where scores are equal. */
export function bestFirst(
  newestFirst: readonly number[],
  scores: (step: number) => number | null,
  bestMode: "max" | "min",
): number[] {
  const worst = -Infinity;
  const height = (step: number): number => {
    const score = scores(step);
    return score === null ? worst : bestMode === "max" ? score : -score;
  };
  // Infinities have no difference.
  return [...newestFirst].sort((a, b) => (height(a) === height(b) ? 0 : height(b) > height(a) ? 1 : -1));
}

/** The first step at or after each multiple of the period. */
function periodic(steps: readonly number[], period: number | null): number[] {
  if (period === null) return [];
  let last = 0;
  return [...steps]
    .sort((a, b) => a - b)
    .filter((step) => {
      const turn = Math.floor(step / period);
      const isFirst = step === 0 || turn > last;
      last = turn;
      return isFirst;
    });
}
