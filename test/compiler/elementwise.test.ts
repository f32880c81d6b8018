// Compiled elementwise functions of floats are as accurate as interpreted ones.
import { afterEach, describe, expect, it, vi } from "vitest";
import { jit, lax, nn, np, random, registerBackend, type Array } from "vibe-rl/array";
import { wasmBackend } from "../../src/device/wasm/backend.js";
import { detectFeatures } from "../../src/device/wasm/features.js";
import { isNear, type Tolerance } from "../closeness.js";
import { expectSame } from "./compare.js";
import { compiled, denseFloats, lengthDifferences, pairsOf, specialFloats } from "./samples.js";

type Unary = (x: Array) => Array;
type Binary = (x: Array, y: Array) => Array;

/** Rounded once, as IEEE 754 demands, or not at all. */
const exactUnary: Record<string, Unary> = {
  sqrt: np.sqrt,
  abs: np.abs,
  negative: np.negative,
  sign: np.sign,
  floor: np.floor,
  ceil: np.ceil,
  trunc: np.trunc,
  round: (x) => np.round(x),
  "round to hundredths": (x) => np.round(x, 2),
  square: np.square,
  reciprocal: np.reciprocal,
  rsqrt: lax.rsqrt,
  cube: (x) => x.pow(3),
  "power -3": (x) => x.pow(-3),
  "power 0": (x) => x.pow(0),
  leakyRelu: (x) => nn.leakyRelu(x),
  nanToNum: (x) => np.nanToNum(x),
  isnan: np.isnan,
  isinf: np.isinf,
  isfinite: np.isfinite,
  logicalNot: np.logicalNot,
  clamp: (x) => lax.clamp(-1, x, 1),
  mod: (x) => x.mod(2.5),
  "mod of a constant": (x) => np.mod(2.5, x),
  floorDivide: (x) => x.floorDivide(0.7),
};

/** Which zero comes out of two different ones is left open. */
const withAnyZero: Record<string, Unary> = {
  relu: nn.relu,
  relu6: nn.relu6,
  clip: (x) => x.clip(-1, 1),
  "maximum with zero": (x) => np.maximum(x, 0),
  "minimum with zero": (x) => np.minimum(0, x),
  "maximum with NaN": (x) => np.maximum(x, NaN),
};

/** Through polynomials. */
const smoothUnary: Record<string, Unary> = {
  exp: np.exp,
  expm1: np.expm1,
  log: np.log,
  log1p: np.log1p,
  sin: np.sin,
  cos: np.cos,
  tan: np.tan,
  tanh: np.tanh,
  erf: lax.erf,
  erfInv: lax.erfInv,
  logistic: lax.logistic,
  arctan: np.arctan,
  arcsin: np.arcsin,
  arccos: np.arccos,
  sinh: np.sinh,
  cosh: np.cosh,
  log2: np.log2,
  log10: np.log10,
  exp2: np.exp2,
  elu: (x) => nn.elu(x),
  softplus: nn.softplus,
  logSigmoid: nn.logSigmoid,
  "power 0.5": (x) => np.power(x, 0.5),
  "power -2.5": (x) => np.power(x, -2.5),
  "power of a constant": (x) => np.power(2.5, x),
  "logaddexp with a constant": (x) => np.logaddexp(x, 1.5),
  "arctan2 of a constant": (x) => np.arctan2(-2, x),
};

const withoutFarTurns = np.where(denseFloats.abs().greater(1e5), 1e5, denseFloats);
const isPeriodic = (name: string): boolean => ["sin", "cos", "tan"].includes(name);

describe("functions of one float", () => {
  for (const [name, f] of Object.entries(exactUnary)) {
    it(`${name} is exact`, () => expectSame(f, [denseFloats], { signedZeros: true }));
  }
  for (const [name, f] of Object.entries(withAnyZero)) {
    it(`${name} is exact`, () => expectSame(f, [denseFloats]));
  }
  for (const [name, f] of Object.entries(smoothUnary)) {
    const sample = isPeriodic(name) ? withoutFarTurns : denseFloats;
    it(`${name} is within 4 ulp`, () => expectSame(f, [sample], { ulps: 4, signedZeros: true }));
  }

  // A factor of these is a small difference of larger numbers, or close to the smallest numbers.
  it.each([
    ["gelu", (x: Array) => nn.gelu(x), 1e-6],
    ["exact gelu", (x: Array) => nn.gelu(x, { approximate: false }), 1e-6],
    ["silu", nn.silu, 1e-40],
  ] as const)("%s is as accurate as its factors", (_, f, atol) => {
    expectSame(f, [denseFloats], { ulps: 4, atol });
  });

  describe.runIf(detectFeatures()?.fma)("without fused multiply-add", () => {
    afterEach(() => vi.unstubAllEnvs());
    registerBackend({ ...wasmBackend({ fma: false }), name: "plain wasm" }, { isDefault: false });
    it.each(Object.entries(smoothUnary))("%s is within 4 ulp", (name, f) => {
      vi.stubEnv("VIBE_RL_DEVICE", "plain wasm");
      expectSame(f, [isPeriodic(name) ? withoutFarTurns : denseFloats], { ulps: 4, signedZeros: true });
    });
  });

  it("sin and cos have the float64 truth where an angle has digits left, and are bounded beyond", () => {
    const angles = random.uniform(random.key(0), [4000], { minval: -1e5, maxval: 1e5 });
    const near = [...random.uniform(random.key(1), [1000], { minval: -10, maxval: 10 }).data()];
    const sample = [...angles.data(), ...near, ...denseFloats.data()].filter((x) => !Number.isNaN(x));
    for (const [f, truth] of [
      [np.sin, Math.sin],
      [np.cos, Math.cos],
    ] as const) {
      const actual = jit(f)(np.array(Float32Array.from(sample))).data();
      const wrong = sample.filter((x, at) => {
        const expected = truth(x);
        if (Math.abs(x) > 1e5) return !(Math.abs(actual[at]) <= 1) && Number.isFinite(x);
        const tolerance: Tolerance = Math.abs(expected) < 0.01 ? { rtol: 2e-6 } : { ulps: 4 };
        return !isNear(actual[at], expected, tolerance);
      });
      expect(wrong).toEqual([]);
    }
  });
});

const exactBinary: Record<string, Binary> = {
  add: np.add,
  subtract: np.subtract,
  multiply: np.multiply,
  divide: np.divide,
  rem: lax.rem,
  mod: np.mod,
  floorDivide: np.floorDivide,
  equal: np.equal,
  notEqual: np.notEqual,
  less: np.less,
  lessEqual: np.lessEqual,
  greater: np.greater,
  greaterEqual: np.greaterEqual,
  isclose: (x, y) => np.isclose(x, y),
  logicalAnd: np.logicalAnd,
  logicalXor: np.logicalXor,
  where: (x, y) => np.where(x.less(y), x, y),
};

const smoothBinary: Record<string, Binary> = {
  power: np.power,
  arctan2: np.arctan2,
  hypot: np.hypot,
};

const specialPairs = pairsOf(specialFloats, "float32");
const mixedPairs = [2, 3].map((seed) => random.permutation(random.key(seed), denseFloats)) as [Array, Array];
// Quotients from about 1 up to 2^32, near whole numbers and not.
const multiples: [Array, Array] = (() => {
  const divisor = random.uniform(random.key(4), [2000], { minval: 0.5, maxval: 2 });
  const factor = np.exp(random.uniform(random.key(5), [2000], { maxval: 22 }));
  return [np.where(np.arange(2000).mod(2).equal(0), np.round(factor), factor).mul(divisor), divisor];
})();

describe("functions of two floats", () => {
  for (const [name, f] of Object.entries(exactBinary)) {
    it(`${name} is exact`, () => {
      for (const pairs of [specialPairs, mixedPairs, multiples]) expectSame(f, pairs, { signedZeros: true });
    });
  }
  for (const [name, f] of Object.entries({ maximum: np.maximum, minimum: np.minimum })) {
    it(`${name} is exact`, () => {
      for (const pairs of [specialPairs, mixedPairs]) expectSame(f, pairs);
    });
  }
  for (const [name, f] of Object.entries(smoothBinary)) {
    it(`${name} is within 4 ulp`, () => {
      for (const pairs of [specialPairs, mixedPairs, multiples])
        expectSame(f, pairs, { ulps: 4, signedZeros: true });
    });
  }
  it("logaddexp is within 4 ulp, or of its larger summand where the two cancel", () => {
    for (const pairs of [specialPairs, mixedPairs, multiples]) {
      expectSame(np.logaddexp, pairs, { ulps: 4, atol: 2 ** -24, signedZeros: true });
    }
  });
  it("a scalar goes with every element, on either side", () => {
    const small = denseFloats.slice("::7");
    for (const f of [np.subtract, np.divide, np.mod, np.less, np.maximum] as Binary[]) {
      for (const scalar of [0.75, -0, Infinity, NaN].map((x) => np.float32(x))) {
        expectSame(f, [small, scalar]);
        expectSame(f, [scalar, small]);
      }
    }
  });
});

describe("every length gives the same bits", () => {
  for (const [name, f] of Object.entries({ ...exactUnary, ...withAnyZero, ...smoothUnary })) {
    it(name, () => expect(lengthDifferences(compiled(f), [denseFloats])).toEqual([]));
  }
  for (const [name, f] of Object.entries({ ...exactBinary, ...smoothBinary, logaddexp: np.logaddexp })) {
    it(`${name} of two`, () => {
      expect(lengthDifferences(compiled(f as Binary), mixedPairs)).toEqual([]);
    });
  }
});
