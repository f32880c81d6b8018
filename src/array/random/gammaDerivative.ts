// How a gamma sample moves with its parameter: implicit reparametrisation (Figurnov et al., 2018). The sample z
// keeps its place in the distribution, P(a, z) = const, so dz/da = −(∂P/∂a) / p(z). The incomplete gamma function P
// and its derivative come from the series below the mean and from the continued fraction above it.
import type { Array } from "../core/array.js";
import type { Primitive } from "../core/primitive.js";
import { bindOne } from "../core/trace.js";
import { zeros } from "../np/creation.js";
import { divide, maximum, where } from "../np/elementwise.js";
import { digamma } from "../np/gammaFunction.js";
import { exp, log } from "../np/realFunctions.js";
import { any } from "../np/reductions.js";
import { whileLoop } from "../lax/loops.js";
import { stopGradient } from "../lax/operators.js";
import { repeatBatch } from "../primitives/linear.js";
import { epsilon, tiny } from "./parameters.js";

interface GammaSampleParams {
  /** Whether the sample is the logarithm of one. */
  readonly logSpace: boolean;
}

/** `gammaSample(z, a)` is z, with a derivative by a as well. */
export const gammaSample: Primitive<GammaSampleParams> = {
  name: "gammaSample",
  infer: ([sample]) => [sample],
  evaluate: ([sample]) => [sample.elements],
  jvp([sample, a], [dSample, dA], params) {
    const outputs = [bindOne(gammaSample, [sample, a], params)];
    const moved = dA?.mul(speed(stopGradient(a), stopGradient(sample), params).astype(a.dtype));
    return { outputs, tangents: [dSample && moved ? dSample.add(moved) : (dSample ?? moved ?? null)] };
  },
  batch([sample, a], [sampleBatched, aBatched], params, size) {
    const both = [sampleBatched ? sample : repeatBatch(sample, size), aBatched ? a : repeatBatch(a, size)];
    return { outputs: [bindOne(gammaSample, both, params)], batched: [true] };
  },
};

/** dz/da, or of the logarithm of z. */
function speed(a: Array, sample: Array, { logSpace }: GammaSampleParams): Array {
  const z = logSpace ? maximum(exp(sample), tiny) : sample;
  const isAbove = z.greater(1).and(z.greater(a));
  // Each formula gets harmless arguments where the other one counts.
  const below = speedBySeries(where(isAbove, 1, a), where(isAbove, 1, maximum(z, tiny)));
  const above = speedByFraction(where(isAbove, a, 1), where(isAbove, z, 2));
  const both = where(isAbove, above, below);
  return logSpace ? both.div(z) : where(z.equal(0), 0, both);
}

/** P(a, z) ∝ Σ zᵏ / ((a + 1) … (a + k)), term by term with its derivative by a. */
function speedBySeries(a: Array, z: Array): Array {
  const zero = a.mul(0);
  const { sum, sumByA } = whileLoop(
    ({ term, termByA, sum, sumByA }) =>
      any(term.greater(sum.mul(epsilon / 4)).or(termByA.abs().greater(sumByA.abs().mul(epsilon / 4)))),
    ({ at, term, termByA, sum, sumByA }) => {
      const next = at.add(1);
      const ratio = z.div(next);
      const nextByA = termByA.mul(ratio).sub(term.mul(ratio).div(next));
      const nextTerm = term.mul(ratio);
      return {
        at: next,
        term: nextTerm,
        termByA: nextByA,
        sum: sum.add(nextTerm),
        sumByA: sumByA.add(nextByA),
      };
    },
    { at: a, term: zero.add(1), termByA: zero, sum: zero.add(1), sumByA: zero },
  );
  const slope = log(z).sub(digamma(a.add(1)));
  return sumByA.add(sum.mul(slope)).mul(z).div(a).neg();
}

/** 1 − P(a, z) ∝ 1 / (z + 1 − a − 1 (1 − a) / (z + 3 − a − …)), by Lentz's method with its derivative by a. */
function speedByFraction(a: Array, z: Array): Array {
  const zero = a.mul(0);
  const first = z.sub(a).add(1);
  const { value, byA } = whileLoop(
    ({ change, at }) => any(change.abs().greater(epsilon)).and(at.less(2000)),
    ({ at, c, cByA, d, dByA, value, byA }) => {
      const count = at.add(1).astype(a.dtype);
      const numerator = a.sub(count).mul(count);
      const odd = first.add(count.mul(2));
      // d ← 1 / (b + n d), c ← b + n / c, each with its derivative; n' = count, b' = −1.
      const denominator = odd.add(numerator.mul(d));
      const denominatorByA = count.mul(d).add(numerator.mul(dByA)).sub(1);
      const nextD = divide(1, denominator);
      const nextDByA = denominatorByA.mul(nextD).mul(nextD).neg();
      const nextC = odd.add(numerator.div(c));
      const nextCByA = count
        .div(c)
        .sub(numerator.mul(cByA).div(c.mul(c)))
        .sub(1);
      const factor = nextC.mul(nextD);
      const factorByA = nextCByA.mul(nextD).add(nextC.mul(nextDByA));
      const nextValue = value.mul(factor);
      const nextByA = byA.mul(factor).add(value.mul(factorByA));
      return {
        at: at.add(1),
        c: nextC,
        cByA: nextCByA,
        d: nextD,
        dByA: nextDByA,
        value: nextValue,
        byA: nextByA,
        change: maximum(factor.sub(1).abs(), nextByA.sub(byA).abs().div(nextByA.abs().add(nextValue.abs()))),
      };
    },
    {
      at: zeros([], { dtype: "int32" }),
      c: first.add(1e30),
      cByA: zero.sub(1),
      d: divide(1, first),
      dByA: divide(1, first.mul(first)),
      value: divide(1, first),
      byA: divide(1, first.mul(first)),
      change: zero.add(1),
    },
  );
  // 1 − P = z^a e^(−z) / Γ(a) · value and p(z) = z^(a − 1) e^(−z) / Γ(a).
  const slope = log(z).sub(digamma(a));
  return byA.add(value.mul(slope)).mul(z);
}
