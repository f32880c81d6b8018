// Distributions of counts. Poisson and binomial numbers come from rejection loops, the same as JAX's.
import { checked } from "../core/checked.js";
import type { Array, ArrayLike } from "../core/array.js";
import { broadcastTo } from "../core/coerce.js";
import type { Shape } from "../core/shape.js";
import { ceil, clip, floor, isnan, where } from "../np/elementwise.js";
import { lgamma } from "../np/gammaFunction.js";
import { array, full, zeros } from "../np/creation.js";
import { log, log1p, sqrt } from "../np/realFunctions.js";
import { any } from "../np/reductions.js";
import { take } from "../np/taking.js";
import { whileLoop } from "../lax/loops.js";
import { split, uniform } from "./basic.js";
import { asFloat32, drawnShape } from "./parameters.js";

/** How many trials of probability p until the first success, at least 1, int32. */
export const geometric = checked(
  "random.geometric",
  3,
  (ofKey: Array, p: ArrayLike, shape: Shape | null = null): Array => {
    const probability = asFloat32("random.geometric", p);
    const extents = drawnShape("random.geometric", shape, probability);
    const u = uniform(ofKey, extents);
    const trials = floor(log(where(u.equal(0), 1, u)).div(log1p(probability.neg())));
    return trials.add(1).astype("int32");
  },
);

/** How many events of a mean rate happen, int32. */
export const poisson = checked(
  "random.poisson",
  3,
  (ofKey: Array, lam: ArrayLike, shape: Shape | null = null): Array => {
    const given = asFloat32("random.poisson", lam);
    const extents = drawnShape("random.poisson", shape, given);
    const rate = broadcastTo("random.poisson", given, extents);
    const isSmall = isnan(rate).or(rate.less(10));
    const few = poissonByProduct(ofKey, where(isSmall, rate, 0), extents);
    // A large rate where the result is not used: there few are rejected.
    const many = poissonByRejection(ofKey, where(isSmall, 1e5, rate), extents);
    return where(rate.equal(0), 0, where(isSmall, few, many)).astype("int32");
  },
);

/** Knuth: how many uniform numbers until their product is below exp(−rate). */
function poissonByProduct(ofKey: Array, rate: Array, shape: Shape): Array {
  const isOpen = (logProduct: Array): Array => logProduct.greater(rate.neg());
  const { count } = whileLoop(
    ({ logProduct }) => any(isOpen(logProduct)),
    ({ count, key, logProduct }) => {
      const [next, subkey] = [...split(key)] as [Array, Array];
      return {
        count: where(isOpen(logProduct), count.add(1), count),
        key: next,
        logProduct: logProduct.add(log(uniform(subkey, shape))),
      };
    },
    { count: zeros(shape, { dtype: "int32" }), key: ofKey, logProduct: zeros(shape) },
  );
  return count.sub(1);
}

/** A rejection loop: candidates drawn from two uniform numbers until each place has taken one. */
function acceptOneEach(
  ofKey: Array,
  shape: Shape,
  candidate: (u: Array, v: Array) => { readonly count: Array; readonly accept: Array },
): Array {
  const { drawn } = whileLoop(
    ({ isDone }) => any(isDone.not()),
    ({ drawn, isDone, key }) => {
      const [next, first, second] = [...split(key, 3)] as [Array, Array, Array];
      const { count, accept } = candidate(uniform(first, shape).sub(0.5), uniform(second, shape));
      return { drawn: where(accept, count, drawn), isDone: isDone.or(accept), key: next };
    },
    { drawn: full(shape, -1), isDone: zeros(shape, { dtype: "bool" }), key: ofKey },
  );
  return drawn;
}

/** Hörmann, "The transformed rejection method for generating Poisson random variables", 1993. */
function poissonByRejection(ofKey: Array, rate: Array, shape: Shape): Array {
  const logRate = log(rate);
  const b = sqrt(rate).mul(2.53).add(0.931);
  const a = b.mul(0.02483).add(-0.059);
  const inverseAlpha = b.sub(3.4).pow(-1).mul(1.1328).add(1.1239);
  const bound = b.sub(2).pow(-1).mul(-3.6224).add(0.9277);
  const drawn = acceptOneEach(ofKey, shape, (u, v) => {
    const shifted = u.abs().neg().add(0.5);
    const count = floor(a.mul(2).div(shifted).add(b).mul(u).add(rate).add(0.43));
    const s = log(v.mul(inverseAlpha).div(a.div(shifted.mul(shifted)).add(b)));
    const t = count
      .mul(logRate)
      .sub(rate)
      .sub(lgamma(count.add(1)));
    const isSurelyIn = shifted.greaterEqual(0.07).and(v.lessEqual(bound));
    const isOut = count.less(0).or(shifted.less(0.013).and(v.greater(shifted)));
    return { count, accept: isSurelyIn.or(isOut.not().and(s.lessEqual(t))) };
  });
  return drawn.astype("int32");
}

/** How many of n trials of probability p succeed, float32 as in JAX; NaN where n or p make no sense. */
export const binomial = checked(
  "random.binomial",
  4,
  (ofKey: Array, n: ArrayLike, p: ArrayLike, shape: Shape | null = null): Array => {
    const operation = "random.binomial";
    const [trials, probability] = [n, p].map((parameter) => asFloat32(operation, parameter)) as [
      Array,
      Array,
    ];
    const extents = drawnShape(operation, shape, trials, probability);
    const given = broadcastTo(operation, trials, extents);
    const success = broadcastTo(operation, probability, extents);
    // The rarer of the two outcomes is counted.
    const isRare = success.less(0.5);
    const rare = where(isRare, success, success.neg().add(1));
    const isOdd = isnan(rare).or(rare.less(0));
    const q = where(isOdd, 0.01, rare);
    const isNoCount = isnan(given).or(given.less(0));
    const isFew = isNoCount.or(given.mul(q).lessEqual(10));
    const count = floor(given);
    const few = binomialByInversion(ofKey, where(isFew, count, 0), q, extents);
    const many = binomialByRejection(ofKey, where(isFew, 1e4, count), where(isFew, 0.5, q), extents);
    const isEndless = given.equal(Infinity);
    const counted = where(isEndless, Infinity, where(isFew, few, many));
    const drawn = where(isOdd.or(isNoCount), NaN, counted);
    return where(isRare.or(isNoCount).or(isnan(rare)).or(isEndless), drawn, count.sub(drawn));
  },
);

/** How many waits until a success fit into the number of trials. */
function binomialByInversion(ofKey: Array, count: Array, q: Array, shape: Shape): Array {
  const logFailure = log1p(q.neg());
  const { waits } = whileLoop(
    ({ total }) => any(total.lessEqual(count)),
    ({ waits, total, key }) => {
      const [subkey, next] = [...split(key)] as [Array, Array];
      const wait = ceil(log(uniform(subkey, shape)).div(logFailure));
      return {
        waits: where(total.lessEqual(count), waits.add(1), waits),
        total: total.add(wait),
        key: next,
      };
    },
    { waits: zeros(shape), total: zeros(shape), key: ofKey },
  );
  return waits.sub(1);
}

/** Hörmann, "The generation of binomial random variates", 1993 (algorithm BTRS). */
function binomialByRejection(ofKey: Array, count: Array, q: Array, shape: Shape): Array {
  const spread = sqrt(count.mul(q).mul(q.neg().add(1)));
  const b = spread.mul(2.53).add(1.15);
  const a = b.mul(0.0248).add(-0.0873).add(q.mul(0.01));
  const c = count.mul(q).add(0.5);
  const bound = b.pow(-1).mul(-4.2).add(0.92);
  const odds = q.div(q.neg().add(1));
  const alpha = b.pow(-1).mul(5.1).add(2.83).mul(spread);
  const mode = floor(count.add(1).mul(q));
  return acceptOneEach(ofKey, shape, (u, v) => {
    const shifted = u.abs().neg().add(0.5);
    const k = floor(a.mul(2).div(shifted).add(b).mul(u).add(c));
    const left = count.sub(k).add(1);
    const ofMode = count.sub(mode).add(1);
    const limit = mode
      .add(0.5)
      .mul(log(mode.add(1).div(odds.mul(ofMode))))
      .add(count.add(1).mul(log(ofMode.div(left))))
      .add(k.add(0.5).mul(log(odds.mul(left).div(k.add(1)))))
      .add(stirlingTail(mode))
      .add(stirlingTail(count.sub(mode)))
      .sub(stirlingTail(k))
      .sub(stirlingTail(count.sub(k)));
    const height = log(v.mul(alpha).div(a.div(shifted.mul(shifted)).add(b)));
    const isSurelyIn = shifted.greaterEqual(0.07).and(v.lessEqual(bound));
    const isOut = k.less(0).or(k.greater(count));
    return { count: k, accept: isSurelyIn.or(isOut.not().and(height.lessEqual(limit))) };
  });
}

// What Stirling's formula leaves out of log k! for k = 0 … 9.
const smallTails = [
  0.0810614667953272, 0.0413406959554092, 0.0276779256849983, 0.02079067210376509, 0.0166446911898211,
  0.0138761288230707, 0.0118967099458917, 0.010411265261972, 0.00925546218271273, 0.00833056343336287,
];

/** What Stirling's formula leaves out of log k!. */
function stirlingTail(k: Array): Array {
  const inverse = k.add(1).pow(-1);
  const square = inverse.mul(inverse);
  const series = square
    .mul(-1 / 1260)
    .add(1 / 360)
    .mul(square)
    .neg()
    .add(1 / 12)
    .mul(inverse);
  const position = floor(clip(k, 0, 9)).astype("int32");
  return where(k.lessEqual(9), take(array(smallTails), position), series);
}
