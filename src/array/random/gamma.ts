// The gamma distribution and those made of it, sampled as JAX does.
import { checked } from "../core/checked.js";
import type { Array, ArrayLike } from "../core/array.js";
import { broadcastTo } from "../core/coerce.js";
import { fail } from "../core/errors.js";
import { sizeOf, type Shape } from "../core/shape.js";
import { bindOne } from "../core/trace.js";
import { showType } from "../core/type.js";
import { stopGradient, whileLoop } from "../lax/index.js";
import { zeros } from "../np/creation.js";
import { divide, maximum, power, where } from "../np/elementwise.js";
import { exp, log, sqrt } from "../np/realFunctions.js";
import { softmax } from "../nn/functions.js";
import { vmap } from "../transforms/vmap.js";
import { exponential, normal, split, uniform } from "./basic.js";
import { gammaSample } from "./gammaDerivative.js";
import { asFloat32, drawnShape } from "./parameters.js";

/**
 * One sample of Gamma(alpha), or its logarithm. Marsaglia and Tsang, "A simple method for generating gamma
 * variables", 2000; below 1, by Gamma(alpha) = Gamma(alpha + 1) · U^(1 / alpha).
 */
function drawOne(ofKey: Array, alpha: Array, logSpace: boolean): Array {
  const isLarge = alpha.greaterEqual(1);
  const d = where(isLarge, alpha, alpha.add(1)).sub(1 / 3);
  const c = divide(1 / 3, sqrt(d));
  const [first, boostKey] = [...split(ofKey)] as [Array, Array];
  const zero = zeros([]);
  const { v } = whileLoop(
    ({ square, v, u }) =>
      u
        .greaterEqual(square.mul(square).mul(-0.0331).add(1))
        .and(log(u).greaterEqual(square.mul(0.5).add(d.mul(v.neg().add(1).add(log(v)))))),
    ({ key }) => {
      const [next, normalKey, uniformKey] = [...split(key, 3)] as [Array, Array, Array];
      const positive = whileLoop(
        ({ root }) => root.lessEqual(0),
        ({ key: current }) => {
          const [following, subkey] = [...split(current)] as [Array, Array];
          const x = normal(subkey);
          return { key: following, x, root: x.mul(c).add(1) };
        },
        { key: normalKey, x: zero, root: zero.sub(1) },
      );
      const { x, root } = positive;
      return { key: next, square: x.mul(x), v: root.mul(root).mul(root), u: uniform(uniformKey) };
    },
    // Such that the first candidate is drawn in any case.
    { key: first, square: zero, v: zero.add(1), u: zero.add(2) },
  );
  if (logSpace) {
    const logUniform = exponential(boostKey).neg();
    const boost = where(isLarge.or(logUniform.equal(0)), 0, logUniform.mul(divide(1, alpha)));
    return log(d).add(log(v)).add(boost);
  }
  const boost = where(isLarge, 1, power(uniform(boostKey).neg().add(1), divide(1, alpha)));
  return d.mul(v).mul(boost);
}

function draw(operation: string, ofKey: Array, a: ArrayLike, shape: Shape | null, logSpace: boolean): Array {
  const given = asFloat32(operation, a);
  const extents = drawnShape(operation, shape, given);
  const alpha = broadcastTo(operation, given, extents);
  const size = sizeOf(extents);
  if (size === 0) return alpha;
  const keys = split(ofKey, size);
  const samples = vmap((key: Array, each: Array) => drawOne(key, each, logSpace))(
    keys,
    stopGradient(alpha.reshape(-1)),
  ).reshape(extents);
  return bindOne(gammaSample, [samples, alpha], { logSpace });
}

/** The gamma distribution of shape parameter a and scale 1. Its derivative by a is the implicit one. */
export const gamma = checked(
  "random.gamma",
  3,
  (ofKey: Array, a: ArrayLike, shape: Shape | null = null): Array =>
    draw("random.gamma", ofKey, a, shape, false),
);

/** The logarithm of a gamma number, which keeps its digits where that would be 0. */
export const loggamma = checked(
  "random.loggamma",
  3,
  (ofKey: Array, a: ArrayLike, shape: Shape | null = null): Array =>
    draw("random.loggamma", ofKey, a, shape, true),
);

/** The beta distribution on [0, 1]. */
export const beta = checked(
  "random.beta",
  4,
  (ofKey: Array, a: ArrayLike, b: ArrayLike, shape: Shape | null = null): Array => {
    const parameters = [a, b].map((parameter) => asFloat32("random.beta", parameter));
    const extents = drawnShape("random.beta", shape, ...parameters);
    const keys = [...split(ofKey)];
    const logs = parameters.map((parameter, at) => loggamma(keys[at], parameter, extents)) as [Array, Array];
    const largest = maximum(...logs);
    const [x, y] = logs.map((each) => exp(each.sub(largest))) as [Array, Array];
    return x.div(x.add(y));
  },
);

/** The Dirichlet distribution of parameters alpha [..., n]; the shape is that of the batch, without n. */
export const dirichlet = checked(
  "random.dirichlet",
  3,
  (ofKey: Array, alpha: ArrayLike, shape: Shape | null = null): Array => {
    const parameters = asFloat32("random.dirichlet", alpha);
    if (parameters.ndim < 1) {
      fail("random.dirichlet", `alpha must be [..., n], got ${showType(parameters.type)}`);
    }
    const batch = shape ?? parameters.shape.slice(0, -1);
    const n = parameters.shape[parameters.ndim - 1];
    return softmax(loggamma(ofKey, parameters, [...batch, n]), -1);
  },
);
