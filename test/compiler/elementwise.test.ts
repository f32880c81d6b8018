// Compiled elementwise functions of floats are as accurate as interpreted ones.
import { afterEach, describe, expect, it, vi } from "vitest";
import { jit, np, random, registerBackend } from "vibe-rl/array";
import { wasmBackend } from "../../src/device/wasm/backend.js";
import { detectFeatures } from "../../src/device/wasm/features.js";
import { isNear, type Tolerance } from "../closeness.js";
import { exactly, expectSame } from "./compare.js";
import {
  exactBinary,
  exactUnary,
  mixedPairs,
  multiples,
  productUnary,
  sampleFor,
  smoothBinary,
  smoothUnary,
  specialPairs,
  withAnyZero,
  type Binary,
} from "./floatFunctions.js";
import { compiled, denseFloats, lengthDifferences } from "./samples.js";

describe("functions of one float", () => {
  for (const [name, f] of Object.entries(exactUnary)) {
    it(`${name} is exact`, () => expectSame(f, [denseFloats], { ...exactly, signedZeros: true }));
  }
  for (const [name, f] of Object.entries(withAnyZero)) {
    it(`${name} is exact`, () => expectSame(f, [denseFloats]));
  }
  for (const [name, f] of Object.entries(smoothUnary)) {
    it(`${name} is within 4 ulp`, () => expectSame(f, [sampleFor(name)], { ulps: 4, signedZeros: true }));
  }

  it.each(Object.entries(productUnary))("%s is as accurate as its factors", (_, { f, atol }) => {
    expectSame(f, [denseFloats], { ulps: 4, atol });
  });

  describe.runIf(detectFeatures()?.fma)("without fused multiply-add", () => {
    afterEach(() => vi.unstubAllEnvs());
    registerBackend({ ...wasmBackend({ fma: false }), name: "plain wasm" }, { isDefault: false });
    it.each(Object.entries(smoothUnary))("%s is within 4 ulp", (name, f) => {
      vi.stubEnv("VIBE_RL_DEVICE", "plain wasm");
      expectSame(f, [sampleFor(name)], { ulps: 4, signedZeros: true });
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

describe("functions of two floats", () => {
  for (const [name, f] of Object.entries(exactBinary)) {
    it(`${name} is exact`, () => {
      for (const pairs of [specialPairs, mixedPairs, multiples])
        expectSame(f, pairs, { ...exactly, signedZeros: true });
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
        expectSame(f, [small, scalar], exactly);
        expectSame(f, [scalar, small], exactly);
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
