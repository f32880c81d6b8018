// Pooling and convolutions.
import { lax, np, type Array } from "vibe-rl/array";
import type { MoreCases } from "./cases.js";

const NWC = ["NWC", "WIO", "NWC"] as const;
const NDHWC = ["NDHWC", "DHWIO", "NDHWC"] as const;
const maxOf = (x: Array, dims: readonly number[], windowStrides: readonly number[], padding: lax.Padding) =>
  lax.reduceWindow(x, -Infinity, np.maximum, dims, { windowStrides, padding });

export const windowCases: MoreCases = {
  "max pool": (x) => maxOf(x, [1, 2, 3, 1], [1, 2, 2, 1], "VALID"),
  "max pool same": (x) => maxOf(x, [1, 3, 3, 1], [1, 2, 2, 1], "SAME"),
  "max pool of ties": (x) => maxOf(x, [1, 3, 2, 1], [1, 1, 1, 1], "SAME"),
  "min pool lower": (x) =>
    lax.reduceWindow(x, Infinity, np.minimum, [1, 2, 2, 1], {
      windowStrides: [1, 1, 2, 1],
      padding: "SAME_LOWER",
    }),
  "sum pool padded": (x) =>
    lax.reduceWindow(x, 0, np.add, [1, 2, 2, 1], {
      windowStrides: [1, 2, 1, 1],
      padding: [
        [0, 0],
        [1, 0],
        [2, 1],
        [0, 0],
      ],
    }),
  "sum pool dilated": (x) =>
    lax.reduceWindow(x, 0, np.add, [1, 2, 2, 1], {
      baseDilation: [1, 2, 1, 1],
      windowDilation: [1, 1, 3, 1],
    }),
  "product window": (x) =>
    lax.reduceWindow(x, 1, np.multiply, [2, 3], { windowStrides: [1, 2], padding: "SAME" }),
  "max window from": (x) =>
    lax.reduceWindow(x, 0.5, np.maximum, [3], { windowStrides: [2], padding: "SAME" }),
  "integer window": (x) => lax.reduceWindow(x, -Infinity, np.maximum, [2, 2]),
  "conv 1-D": (x, w) => lax.convGeneralDilated(x, w, [2], "SAME", { dimensionNumbers: NWC }),
  "conv 1-D channels first": (x, w) =>
    lax.convGeneralDilated(x, w, [1], [[2, 1]], {
      rhsDilation: [2],
      dimensionNumbers: ["NCW", "OIW", "NCW"],
    }),
  "conv 2-D lower": (x, w) => lax.convGeneralDilated(x, w, [2, 2], "SAME_LOWER"),
  "conv 2-D groups": (x, w) => lax.convGeneralDilated(x, w, [1, 2], "VALID", { featureGroupCount: 2 }),
  "conv 3-D": (x, w) => lax.convGeneralDilated(x, w, [1, 2, 1], "SAME", { dimensionNumbers: NDHWC }),
  "conv 3-D groups": (x, w) => lax.convGeneralDilated(x, w, [1, 1, 1], "VALID", { featureGroupCount: 2 }),
  "convTranspose same": (x, w) => lax.convTranspose(x, w, [2, 2], "SAME"),
  "convTranspose valid": (x, w) => lax.convTranspose(x, w, [3, 2], "VALID"),
  "convTranspose small kernel": (x, w) => lax.convTranspose(x, w, [3], "SAME"),
  "convTranspose given": (x, w) => lax.convTranspose(x, w, [2], [[1, 2]], { rhsDilation: [2] }),
  "convTranspose turned": (x, w) => lax.convTranspose(x, w, [2, 1], "SAME", { transposeKernel: true }),
};
