// What reductions have in common on all machines.
import type { DType } from "../../array/index.js";
import type { Reduction } from "../kernel.js";

/** What a reduction starts from. */
export function startOf(operation: Reduction["operation"], dtype: DType): number {
  if (operation === "sum") return 0;
  const isLargest = operation === "max" || operation === "argMax";
  switch (dtype) {
    case "float32":
    case "float64":
      return isLargest ? -Infinity : Infinity;
    case "int32":
      return isLargest ? -(2 ** 31) : 2 ** 31 - 1;
    case "bool":
      return isLargest ? 0 : 1;
    case "uint32":
    case "uint8":
      return isLargest ? 0 : 2 ** 32 - 1;
  }
}
