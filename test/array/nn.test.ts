// The functions of jax.nn: values at known points, stability at the ends, derivatives at the kinks.
import { describe, expect, it } from "vitest";
import { checkGrads, grad, nn, np, type Array } from "vibe-rl/array";
import { expectClose } from "../golden.js";

const near = { rtol: 2e-6, atol: 1e-7 };

describe("activations", () => {
  it("have their values", () => {
    const x = np.array([-2, 0, 1]);
    expectClose(nn.relu(x), np.array([0, 0, 1]), near);
    expect(nn.relu(np.array([NaN, -0])).toArray()).toEqual([NaN, 0]);
    expectClose(nn.relu6(np.array([-1, 3, 9])), np.array([0, 3, 6]), near);
    expectClose(nn.leakyRelu(x, 0.1), np.array([-0.2, 0, 1]), near);
    expectClose(nn.elu(x), np.array([Math.expm1(-2), 0, 1]), near);
    expectClose(nn.silu(x), np.array([-2 / (1 + Math.exp(2)), 0, 1 / (1 + Math.exp(-1))]), near);
    expectClose(nn.gelu(x), np.array([-0.04540229, 0, 0.841192]), { rtol: 1e-5, atol: 1e-7 });
    expectClose(nn.gelu(x, { approximate: false }), np.array([-0.04550026, 0, 0.8413447]), {
      rtol: 1e-5,
      atol: 1e-7,
    });
    expectClose(nn.logSigmoid(x), np.array([-2, 0, 1].map((v) => -Math.log1p(Math.exp(-v)))), near);
  });

  it("have a derivative of zero at relu's kink, and finite ones far out", () => {
    const slope = (f: (x: Array) => Array) =>
      grad((x: Array) => f(x).sum())(np.array([-1e4, 0, 1e4])).toArray();
    expect(slope(nn.relu)).toEqual([0, 0, 1]);
    expect(slope(nn.softplus)).toEqual([0, 0.5, 1]);
    expect(slope(nn.sigmoid)).toEqual([0, 0.25, 0]);
    expect(slope(nn.elu)).toEqual([0, 1, 1]);
    expect(slope(nn.silu)).toEqual([0, 0.5, 1]);
  });

  it("have second derivatives at the kinks that are none", () => {
    expect(grad(grad((x: Array) => nn.softplus(x)))(np.float32(0)).item()).toBe(0.25);
  });

  it("agree with finite differences", () => {
    const x = np.linspace(-2, 2.3, 6, { dtype: "float64" });
    for (const f of [
      nn.gelu,
      nn.silu,
      nn.elu,
      nn.softplus,
      nn.logSigmoid,
      nn.softmax,
      nn.logSoftmax,
      nn.standardize,
    ]) {
      checkGrads((v: Array) => f(v), [x], 2);
    }
  });
});

describe("softmax and friends", () => {
  it("do not overflow, and handle minus infinity", () => {
    expect(nn.softmax(np.array([1000, 1000])).toArray()).toEqual([0.5, 0.5]);
    expect(nn.logsumexp(np.array([1000, 1000])).item()).toBeCloseTo(1000 + Math.LN2, 3);
    expect(nn.logsumexp(np.array([-Infinity, 0])).item()).toBe(0);
    expect(nn.logsumexp(np.array([-Infinity, -Infinity])).item()).toBe(-Infinity);
    expect(nn.softmax(np.array([-Infinity, 0])).toArray()).toEqual([0, 1]);
    expect(grad((x: Array) => nn.logsumexp(x))(np.array([-Infinity, 0])).toArray()).toEqual([0, 1]);
  });

  it("reduce along the axes they are told", () => {
    const x = np.arange(6).reshape([2, 3]).astype("float32");
    expectClose(nn.softmax(x, 0).sum(0), np.ones([3]), near);
    expectClose(np.exp(nn.logSoftmax(x)).sum(-1), np.ones([2]), near);
    expect(nn.logsumexp(x, 1, { keepdims: true }).shape).toEqual([2, 1]);
  });
});

describe("oneHot and standardize", () => {
  it("mark a position along any axis", () => {
    expect(nn.oneHot(np.int32([1, 5]), 3).toArray()).toEqual([
      [0, 1, 0],
      [0, 0, 0],
    ]);
    expect(nn.oneHot(np.int32([1, 0]), 2, { axis: 0, dtype: "int32" }).toArray()).toEqual([
      [0, 1],
      [1, 0],
    ]);
  });

  it("have mean 0 and variance 1", () => {
    const x = nn.standardize(np.array([1, 2, 3, 4]), -1, { epsilon: 0 });
    expect([x.mean().item(), x.var().item()].map((v) => Math.round(v * 1e5) / 1e5)).toEqual([0, 1]);
  });
});
