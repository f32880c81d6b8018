// Corners of the functions that the other files show: unusual options and operands.
import { lax, nn, np, random } from "vibe-rl/array";
import type { MoreCases } from "./cases.js";

const keepdims = true;

export const cornerCases: MoreCases = {
  "corners of reductions": (x, where) => [
    np.var(x, 1, { where, ddof: 2 }),
    np.sum(x, [0, 1], { keepdims, initial: 1.5 }),
    np.mean(x, null, { where, keepdims }),
    np.average(x, 0, x.abs(), { keepdims }),
  ],
  "max pool of nan": (x) => lax.reduceWindow(x, -Infinity, np.maximum, [2, 2]),
  "sum window from": (x) =>
    lax.reduceWindow(x, 2, np.add, [2, 2], { windowStrides: [2, 1], padding: "SAME" }),
  "conv 1-D stretched": (x, w) => lax.convGeneralDilated(x, w, [1], [[1, 1]], { lhsDilation: [3] }),
  "conv 2-D letters": (x, w) =>
    lax.convGeneralDilated(x, w, [1, 2], "VALID", { dimensionNumbers: ["NWHC", "HWIO", "NHCW"] }),
  "attention one window": (q, k, v) =>
    nn.dotProductAttention(q, k, v, { localWindowSize: 1, isCausal: true }),
  "attention mask of heads": (q, k, v, mask) => nn.dotProductAttention(q, k, v, { mask, isCausal: true }),
  "gamma far out": (key, a) => random.gamma(key, a),
  "loggamma far out": (key, a) => random.loggamma(key, a),
  "poisson of its own shape": (key, rate) => random.poisson(key, rate),
  "binomial corners": (key, n, p) => random.binomial(key, n, p),
  "quantile of computed shares": (x, share) => [np.quantile(x, share, 0), np.percentile(x, share.mul(100))],
  integers: (x) => [
    np.pad(x, 1, { constantValues: 7 }),
    np.pad(
      x,
      [
        [2, 0],
        [0, 1],
      ],
      { mode: "reflect" },
    ),
    np.diff(x, 3),
    np.roll(x, [1, 2], 1),
    np.select([x.greater(3), x.less(-3)], [x, x.neg()], 0),
    np.repeat(x, 2, 1, { totalRepeatLength: 5 }),
    np.nanmax(x),
    np.cross(x.slice(":", ":3"), x.slice(":", "1:")),
  ],
  "cross axes": (x, y) => np.cross(x, y, { axisa: 0, axisb: 1, axisc: 0 }),
  "topK of ties": (x) => lax.topK(x, 2, { axis: 0 }),
  "at in blocks": (x, v) => [
    x.at(1, "1:3").max(v.slice(":2")),
    x.at(":", "::2").min(v.slice(0)),
    x.at("1:", 0).divide(v.slice(":2")),
  ],
  "at through masks of two axes": (x, v, i) => [
    x.at(i, 0).max(v, { mode: "drop" }),
    x.at(0, i).min(v, { mode: "clip" }),
    x.at(i, i).get({ mode: "fill", fillValue: 2 }),
  ],
};
