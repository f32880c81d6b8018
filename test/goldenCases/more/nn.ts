// Activations and attention.
import { nn, np } from "vibe-rl/array";
import type { MoreCases } from "./cases.js";

export const nnCases: MoreCases = {
  selu: nn.selu,
  mish: nn.mish,
  celu: (x) => nn.celu(x),
  celuHalf: (x) => nn.celu(x, 0.5),
  softSign: nn.softSign,
  hardTanh: nn.hardTanh,
  hardSigmoid: nn.hardSigmoid,
  hardSilu: nn.hardSwish,
  squareplus: (x) => nn.squareplus(x),
  squareplusOne: (x) => nn.squareplus(x, 1),
  sparsePlus: nn.sparsePlus,
  sparseSigmoid: nn.sparseSigmoid,
  logSigmoid: nn.logSigmoid,
  glu: (x) => [nn.glu(x), nn.glu(x, 0)],
  attention: (q, k, v) => nn.dotProductAttention(q, k, v),
  "attention causal": (q, k, v) => nn.dotProductAttention(q, k, v, { isCausal: true, scale: 0.7 }),
  "attention bias mask": (q, k, v, bias, mask) => nn.dotProductAttention(q, k, v, { bias, mask }),
  "attention groups": (q, k, v) => nn.dotProductAttention(q, k, v),
  "attention unbatched": (q, k, v) => nn.dotProductAttention(q, k, v, { isCausal: true }),
  "attention lengths": (q, k, v, querySeqLengths, keyValueSeqLengths) =>
    nn.dotProductAttention(q, k, v, { querySeqLengths, keyValueSeqLengths }),
  "attention window": (q, k, v) =>
    nn.dotProductAttention(q, k, v, {
      localWindowSize: [1, 2],
      mask: np.ones([1, 1, 3, 6], { dtype: "bool" }),
    }),
  "attention row without keys": (q, k, v, mask) => nn.dotProductAttention(q, k, v, { mask }),
};
