// Values and gradients of JAX.
import { grad, hessian, lax, nn, np, valueAndGrad, vmap, type Array } from "vibe-rl/array";
import { expectClose } from "../closeness.js";
import { readGolden, toArray, toTree, type GoldenArray } from "../golden.js";
import type { GoldenCase } from "./goldenCase.js";

const square = (x: Array): Array => x.mul(x);

/** The functions, as test/golden's cases define them; the gradient is taken of all arguments or of the first. */
const functions: Record<string, (...args: Array[]) => Array> = {
  matmul_tanh_sum: (a, b) => np.tanh(a.matmul(b)).sum(),
  batched_matmul: (a, b) => np.sin(np.einsum("bij,bjk->bik", a, b)).mean(),
  log_softmax_pick: (l) =>
    np
      .takeAlongAxis(nn.logSoftmax(l), np.array([[0], [2], [1]], { dtype: "int32" }), 1)
      .mean()
      .neg(),
  logsumexp_large: (l) => nn.logsumexp(l.mul(50)),
  standardise: (x) => x.sub(x.mean()).div(x.std().add(1e-8)).pow(3).sum(),
  min_max_clip_where: (x) =>
    np
      .minimum(x, 0.5)
      .sum()
      .add(np.maximum(x, -0.5).sum())
      .add(np.clip(x, -0.2, 0.3).sum())
      .add(np.where(x.greater(0), x.pow(2), x.neg()).sum()),
  relu_at_zero_and_ties: (x) =>
    nn
      .relu(x)
      .sum()
      .add(x.max())
      .add(np.maximum(x, x.slice("::-1")).sum()),
  broadcast_reduce: (a, b) =>
    square(a.slice(":", null).mul(b.slice(null, ":")).add(a.slice(":", null)).sum(0)).sum(),
  slice_concat_pad_transpose: (x) =>
    square(
      np.concatenate([
        x.slice("1:", "::2"),
        np
          .pad(x, [
            [0, 0],
            [1, 0],
          ])
          .slice(":2", ":2").T,
      ]),
    ).sum(),
  gather_scatter: (x) =>
    square(x.slice([2, 0, 2]))
      .sum()
      .add(square(np.zeros([4, 2]).at([1, 1, 3]).add(x.slice(":3"))).sum()),
  dynamic_slice: (x) =>
    square(lax.dynamicSlice(x, [1, 0], [2, 2]))
      .sum()
      .add(square(lax.dynamicUpdateSlice(x, x.slice(":1", ":1").mul(3), [2, 1])).sum()),
  cumsum_cumprod_sort: (x) =>
    square(np.cumsum(x))
      .sum()
      .add(np.cumprod(x).sum())
      .add(np.sort(x).mul(np.arange(5)).sum()),
  softplus_logistic_pow: (x) =>
    nn
      .softplus(x)
      .sum()
      .add(nn.sigmoid(x).pow(1.5).sum())
      .add(np.power(x.abs().add(0.1), 2.5).sum()),
  stop_gradient: (x) => x.mul(lax.stopGradient(x.pow(2))).sum(),
  conv_nhwc_stride2_same: (x, w) => np.tanh(lax.convGeneralDilated(x, w, [2, 2], "SAME")).sum(),
  conv_nhwc_valid: (x, w) => square(lax.convGeneralDilated(x, w, [1, 1], "VALID")).mean(),
  scan_rnn: (w, xs) => {
    const [last, sums] = lax.scan(
      (h: Array, x: Array) => {
        const next = np.tanh(h.matmul(w).add(x));
        return [next, next.sum()];
      },
      np.zeros(3),
      xs,
    );
    return last.sum().add(square(sums).sum());
  },
  scan_reverse_discount: (r, v) => {
    const [, ys] = lax.scan(
      (carry: Array, { reward, value }: { reward: Array; value: Array }) => {
        const next = reward.add(carry.mul(0.9).mul(value));
        return [next, next];
      },
      np.float32(0),
      { reward: r, value: v },
      { reverse: true },
    );
    return square(ys).sum();
  },
  cond_both_branches: (x) =>
    lax
      .cond(
        x.sum().greater(0),
        (v: Array) => v.pow(2).sum(),
        (v: Array) => v.mul(3).sum(),
        x,
      )
      .add(
        lax.cond(
          x.sum().lessEqual(0),
          (v: Array) => np.sin(v).sum(),
          (v: Array) => v.sum(),
          x,
        ),
      ),
  vmap_of_grad: (w, xs) => {
    const gradient = grad((weights: Array, x: Array) => np.tanh(weights.matmul(x)).sum());
    return square(vmap(gradient, [null, 0])(w, xs)).sum();
  },
  fori_loop_forward: (x) => lax.foriLoop(0, 5, (i, c: Array) => c.mul(1.1).add(i), x).sum(),
  hessian_trace: (x) => np.trace(hessian((y: Array) => np.sin(y).mul(y.pow(2)).sum().mul(y.prod()))(x)),
};

interface TransformCase {
  readonly name: string;
  readonly inputs: readonly GoldenArray[];
  readonly value: GoldenArray;
  readonly grads: GoldenArray | readonly GoldenArray[];
}

// A float32 sum of numbers around 1 that nearly cancel is known to about 1e-6 only.
const tolerance = { rtol: 1e-5, atol: 1e-6 };

export const transformCases = readGolden<TransformCase>("transforms.json").map(
  ({ name, inputs, value, grads }): GoldenCase => {
    const argnums = globalThis.Array.isArray(grads) ? inputs.map((_, index) => index) : 0;
    return {
      name,
      f: valueAndGrad(functions[name], { argnums }),
      args: inputs.map(toArray),
      check: (actual) => expectClose(actual, [toArray(value), toTree(grads)], tolerance),
    };
  },
);
