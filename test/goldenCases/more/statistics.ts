// Statistics, interpolation and choices.
import { np } from "vibe-rl/array";
import type { MoreCases } from "./cases.js";

const keepdims = true;
const counts = np.int32([1, 2, 3, 1]);

export const statisticsCases: MoreCases = {
  "nan reductions": (x) => [
    np.nansum(x, 1),
    np.nanprod(x, 1),
    np.nanmean(x, 0),
    np.nanvar(x, 0),
    np.nanstd(x, 0, { ddof: 1 }),
    np.nanmax(x, 0),
    np.nanmin(x, 0, { keepdims }),
  ],
  "nan rows": (x) => [np.nanmean(x, 1), np.nanvar(x, 1), np.nanmax(x, 1), np.nanmin(x, 1)],
  "nan where": (x, where) => [
    np.nansum(x, null, { where }),
    np.nanmean(x, 0, { where }),
    np.nanmax(x, 1, { initial: 0, where }),
  ],
  quantile: (x) => [
    np.quantile(x, 0.3, 1),
    np.quantile(x, [0, 0.25, 1], 0),
    np.quantile(x, 0.9, null, { keepdims }),
  ],
  "quantile methods": (x) =>
    (["lower", "higher", "midpoint", "nearest"] as const).map((method) => np.quantile(x, 0.4, 1, { method })),
  "quantile axes": (x) => np.quantile(x, [0.1, 0.5], [0, 2], { keepdims }),
  "percentile median": (x) => [
    np.percentile(x, 30, 0),
    np.median(x, 1),
    np.median(x),
    np.median(x, [0, 1], { keepdims }),
  ],
  "quantile of nan": (x) => [np.quantile(x, 0.5, 1), np.median(x, 0)],
  "quantile of integers": (x) => [np.quantile(x, 0.3), np.median(x, 1)],
  average: (x, w, u) => [
    np.average(x, 1),
    np.average(x, null, w),
    np.average(x, 1, u),
    ...np.average(x, 0, w, { returned: true }),
  ],
  diff: (x) => [
    np.diff(x),
    np.diff(x, 2, 0),
    np.diff(x, 1, -1, { prepend: 1 }),
    np.diff(x, 1, 0, { append: x.slice(":1") }),
  ],
  "diff of others": (i, f) => [np.diff(i), np.diff(f)],
  select: (x, y) => np.select([x.greater(1), x.greater(0), y.greater(0)], [x, y.mul(2), x.mul(y)], 7),
  isin: (x) => [np.isin(x, [1, -3, 8]), np.isin(x, np.int32([[2, 5]]), { invert: true })],
  meshgrid: (x, y, z) => [
    ...np.meshgrid(x, y),
    ...np.meshgrid(x, y, { indexing: "ij" }),
    ...np.meshgrid(x, y, z, { sparse: true }),
  ],
  interp: (x, xp, fp) => [
    np.interp(x, xp, fp),
    np.interp(x, xp, fp, { left: -9, right: 9 }),
    np.interp(x, xp, fp, { period: 2.5 }),
  ],
  cov: (x, y) => [
    np.cov(x),
    np.cov(x, y, { rowvar: false, bias: true }),
    np.cov(x.slice(0)),
    np.cov(x, null, { ddof: 0 }),
  ],
  "cov weights": (x, aweights) => [
    np.cov(x, null, { fweights: counts }),
    np.cov(x, null, { aweights }),
    np.cov(x, null, { fweights: counts, aweights, ddof: 0 }),
  ],
  corrcoef: (x) => [np.corrcoef(x), np.corrcoef(x, null, { rowvar: false })],
  allclose: (x) => [
    np.allclose(x, x.add(1e-7)),
    np.allclose(x, x.add(1e-2)),
    np.allclose(x, x.add(1e-2), { atol: 0.1 }),
    np.isclose(x, x.mul(1.00001), { rtol: 1e-6 }),
  ],
};
