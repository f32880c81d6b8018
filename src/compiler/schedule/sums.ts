// Sums of many floats. A running total loses the low bits of what is added to it, more the longer it runs, so long
// sums are taken in blocks, and what is lost between the totals of blocks is carried along (Kahan's method).

/** What is done with sums of up to so many terms: how long blocks are, and whether their totals are compensated. */
export interface Regime {
  readonly upTo: number;
  readonly block: number;
  readonly isCompensated: boolean;
}

// Measured on equal terms, whose errors all go one way: a chain of 64 loses less than 1e-6 of its sum, of 256
// 2.4e-6, of 512 4e-6. In a product, blocks of 256 take 2 % more time, compensated ones of 64 12 %; in reductions 5 %.
export const reductionRegimes: readonly Regime[] = [
  { upTo: 256, block: 256, isCompensated: false },
  { upTo: Infinity, block: 64, isCompensated: true },
];
export const productRegimes: readonly Regime[] = [
  { upTo: 512, block: 512, isCompensated: false },
  { upTo: 32768, block: 256, isCompensated: false },
  { upTo: Infinity, block: 64, isCompensated: true },
];

/** In which loop a sum is cut into blocks, and after how many of its iterations; null for nowhere. */
export interface Cut {
  readonly loop: number;
  readonly iterations: number;
  readonly isCompensated: boolean;
}

export function cutOf(iterations: readonly number[], regimes: readonly Regime[]): Cut | null {
  const length = iterations.reduce((product, count) => product * count, 1);
  const { block, isCompensated } = regimes.find(({ upTo }) => length <= upTo) as Regime;
  if (length <= block) return null;
  let inner = 1;
  let loop = iterations.length - 1;
  for (; inner * iterations[loop] <= block; loop--) inner *= iterations[loop];
  return { loop, iterations: Math.floor(block / inner), isCompensated };
}
