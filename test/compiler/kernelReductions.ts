// What reductions come to, taking their elements in any order.
import { limitOf } from "../../src/array/core/dtype.js";
import type { Reduction } from "../../src/compiler/kernel.js";
import { combined, rounded, type PointValues } from "./kernelValues.js";

interface Running {
  readonly take: (values: PointValues) => void;
  readonly result: () => number;
}

export function startReduction(reduction: Reduction): Running {
  switch (reduction.operation) {
    case "sum":
      return runningSum(reduction);
    case "max":
    case "min":
      return runningExtremum(reduction, reduction.operation);
    case "argMax":
    case "argMin":
      return runningPosition(reduction, reduction.operation === "argMax");
  }
}

/** Floats are summed in double precision, so that every order gives the same but for the last bit. */
function runningSum({ value, dtype }: Reduction): Running {
  let total = 0;
  return {
    take: (values) => {
      const sum = total + values.of(value);
      total = dtype === "float32" ? sum : rounded(sum, dtype);
    },
    result: () => rounded(total, dtype),
  };
}

function runningExtremum({ value, dtype }: Reduction, operation: "max" | "min"): Running {
  let best = limitOf(dtype, operation === "max" ? -1 : 1);
  return {
    take: (values) => (best = combined(operation, dtype, best, values.of(value))),
    result: () => best,
  };
}

function runningPosition({ value, position }: Reduction, isLargest: boolean): Running {
  let best: { readonly value: number; readonly at: number } | null = null;
  /** NaN before numbers, then the better, then the earlier. */
  const wins = (x: number, at: number): boolean => {
    if (best === null) return true;
    const [isNaN, bestIsNaN] = [Number.isNaN(x), Number.isNaN(best.value)];
    if (isNaN !== bestIsNaN) return isNaN;
    if (isNaN || x === best.value) return at < best.at;
    return isLargest ? x > best.value : x < best.value;
  };
  return {
    take: (values) => {
      const [x, at] = [values.of(value), position === null ? NaN : values.of(position)];
      if (Number.isNaN(at)) throw new Error("a reduction to a position has none");
      if (wins(x, at)) best = { value: x, at };
    },
    result: () => {
      if (best === null) throw new Error("a position among no elements");
      return best.at;
    },
  };
}
