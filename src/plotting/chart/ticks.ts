// Ticks of an axis: round numbers at equal distances, and how they are written.

/** The round number (1, 2, 2.5 or 5 times a power of ten) nearest to a distance. */
export function niceStep(distance: number): number {
  const power = 10 ** Math.floor(Math.log10(distance));
  const away = (nice: number): number => Math.abs(Math.log((nice * power) / distance));
  return [1, 2, 2.5, 5, 10].reduce((best, nice) => (away(nice) < away(best) ? nice : best)) * power;
}

/** About `count` round numbers from `low` to `high`. */
export function ticks(low: number, high: number, count: number): number[] {
  const step = niceStep((high - low) / Math.max(1, count));
  const first = Math.ceil(low / step - 1e-9);
  const last = Math.floor(high / step + 1e-9);
  // Multiples of the step, cleaned of what binary fractions add.
  return Array.from({ length: last - first + 1 }, (_, at) => Number(((first + at) * step).toPrecision(12)));
}

/** The ends of an axis moved out to the next round numbers. */
export function niceEnds(low: number, high: number, count: number): [low: number, high: number] {
  const step = niceStep((high - low) / Math.max(1, count));
  const clean = (value: number): number => Number(value.toPrecision(12));
  return [clean(Math.floor(low / step + 1e-9) * step), clean(Math.ceil(high / step - 1e-9) * step)];
}

const units = [
  { size: 1e9, name: "B" },
  { size: 1e6, name: "M" },
  { size: 1e3, name: "k" },
] as const;

/** How many digits behind the point tell all values apart from their neighbours. */
function decimals(values: readonly number[]): number {
  for (let digits = 0; digits < 12; digits++) {
    if (values.every((value) => Math.abs(value - Number(value.toFixed(digits))) <= 1e-9 * Math.abs(value))) {
      return digits;
    }
  }
  return 12;
}

/**
 * Ticks as a reader wants them: `0`, `20k`, `1.5M`, `−100`; very small and large ones with a power of ten, and so those
 * that were divided by one.
 */
export function tickLabels(values: readonly number[], power = 0): string[] {
  const largest = Math.max(...values.map(Math.abs));
  const minus = (text: string): string => text.replace("-", "−");
  if (power !== 0)
    return values.map((value) => (value === 0 ? "0" : `${value}e${power}`.replaceAll("-", "−")));
  if (largest > 0 && (largest < 1e-3 || largest >= 1e13)) {
    return values.map((value) =>
      value === 0 ? "0" : value.toExponential().replace("e+", "e").replaceAll("-", "−"),
    );
  }
  // 500 and 1500 read better than 0.5k and 1.5k.
  const unit = units.find(({ size }) => largest >= size * (size === 1e3 ? 5 : 1)) ?? { size: 1, name: "" };
  const scaled = values.map((value) => value / unit.size);
  const digits = decimals(scaled);
  return scaled.map((value) => (value === 0 ? "0" : `${minus(value.toFixed(digits))}${unit.name}`));
}
