// How much memory a run needs, before any of it is taken: what cannot fit is refused with the setting that is the cause.
import { fail, itemSize, sizeOf, type DType } from "../array/index.js";
import type { RunnerConfig } from "./config.js";

/** 32-bit WebAssembly addresses end here. Native programs and GPUs have what they have, and say so themselves. */
const limit = 2 ** 32;

/** What one setting costs. */
export interface Cost {
  /** As the user calls it. */
  readonly setting: string;
  readonly value: number | readonly number[];
  /** What the memory is for. */
  readonly what: string;
  readonly bytes: number;
}

/** The bytes of the arrays in each part of a state of which only the shapes are known. */
export const bytesOf = <R extends object>(shapes: R): Readonly<{ [K in keyof R]: number }> =>
  Object.fromEntries(Object.entries(shapes).map(([key, value]) => [key, bytesIn(value)])) as {
    [K in keyof R]: number;
  };

function bytesIn(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  if ("shape" in value && "dtype" in value) {
    const { shape, dtype } = value as { readonly shape: readonly number[]; readonly dtype: DType };
    return itemSize(dtype) * sizeOf(shape);
  }
  return Object.values(value).reduce<number>((sum, part) => sum + bytesIn(part), 0);
}

const gibibytes = (bytes: number): string => `${(bytes / 2 ** 30).toFixed(1)} GiB`;

/** What some costs come to, in bytes. */
export const totalOf = (costs: readonly Cost[]): number => costs.reduce((sum, { bytes }) => sum + bytes, 0);

/** Refuses a run that cannot fit into memory, with the setting that costs most. */
export function checkMemory(
  operation: string,
  costs: readonly Cost[],
  { device }: Pick<RunnerConfig, "device">,
): void {
  const total = totalOf(costs);
  if (device === "native" || device === "cuda" || device === "gpu" || total <= limit) return;
  const most = costs.reduce((largest, cost) => (cost.bytes > largest.bytes ? cost : largest));
  const { setting, value, what, bytes } = most;
  const shown = typeof value === "number" ? value.toLocaleString("en") : `[${value.join(", ")}]`;
  const rest = total - bytes;
  const fitting = typeof value === "number" ? roundDown((value * (limit - rest)) / bytes) : 0;
  const advice =
    fitting >= 1 ? `at most about ${fitting.toLocaleString("en")} would fit` : `lower ${setting}`;
  fail(
    operation,
    `${setting} ${shown} takes about ${gibibytes(bytes)} for ${what}` +
      (rest > 0.01 * total ? `, the whole run ${gibibytes(total)}` : "") +
      `; a WebAssembly program has ${gibibytes(limit)} in all: ${advice}, or a native one (device "native")`,
  );
}

/** A number with one digit and zeros. */
function roundDown(value: number): number {
  if (value < 1) return 0;
  const power = 10 ** Math.floor(Math.log10(value));
  return Math.floor(value / power) * power;
}
