// How PTX cuts up products and shares out points: without conflicts in shared memory, and with the right sums in tiles
// of every kind.
import { describe, expect, it } from "vitest";
import { np, registerBackend, type Array } from "../../../src/array/index.js";
import { frontsOf } from "../../../src/compiler/ptx/dot/cost.js";
import { tilingOf } from "../../../src/compiler/ptx/dot/tiling.js";
import { wavefronts } from "../../../src/compiler/ptx/dot/wavefronts.js";
import { isWithoutNative } from "../../device/native.js";
import { wholeNumbers } from "../compare.js";
import { matrices } from "../productPrograms.js";
import { expectTogether, type BatchedCase } from "../together.js";
import { emulatedPtx } from "./backend.js";
import { product } from "./products.js";

const lanes = (element: (lane: number) => number): number[] =>
  globalThis.Array.from({ length: 32 }, (_, lane) => element(lane));

describe("wavefronts of a load", () => {
  it.each([
    { what: "neighbours", width: 1, element: (lane: number) => lane, expected: 1 },
    { what: "one for all", width: 1, element: () => 7, expected: 1 },
    { what: "every second word", width: 1, element: (lane: number) => 2 * lane, expected: 2 },
    { what: "rows of 64", width: 1, element: (lane: number) => 64 * lane, expected: 32 },
    { what: "rows of 65", width: 1, element: (lane: number) => 65 * lane, expected: 1 },
    { what: "vectors side by side", width: 4, element: (lane: number) => 4 * lane, expected: 4 },
    {
      what: "vectors that two neighbours share",
      width: 4,
      element: (lane: number) => 4 * (lane >> 1),
      expected: 2,
    },
    {
      what: "vectors that lanes two apart share",
      width: 4,
      element: (lane: number) => 4 * ((lane & 1) + 2 * (lane >> 2)),
      expected: 2,
    },
    {
      what: "vectors that lanes four apart share",
      width: 4,
      element: (lane: number) => 4 * (lane % 4),
      expected: 4,
    },
    {
      what: "vectors that halves share, in one bank",
      width: 4,
      element: (lane: number) => 64 * (lane >> 3),
      expected: 4,
    },
    { what: "vectors of rows of 64", width: 4, element: (lane: number) => 64 * lane, expected: 32 },
    { what: "vectors of rows of 36", width: 4, element: (lane: number) => 36 * lane, expected: 4 },
    {
      what: "vectors of rows of 64, each further along",
      width: 4,
      element: (lane: number) => 64 * lane + 4 * (lane % 8),
      expected: 4,
    },
  ])("are $expected for $what", ({ width, element, expected }) =>
    expect(wavefronts(lanes(element), width)).toBe(expected),
  );
});

describe("tilings", () => {
  const forms = { forward: [true, false], "to the input": [true, true], "to the weights": [false, false] };
  const shapes = [
    [128, 64, 64],
    [64, 128, 128],
    [256, 256, 256],
  ] as const;
  it.each(Object.entries(forms).flatMap(([name, form]) => shapes.map((shape) => ({ name, form, shape }))))(
    "of a product $name of $shape are large, and free of conflicts",
    ({ form, shape }) => {
      const { tiling } = tilingOf(product(shape, form[0], form[1]), { threads: 256 });
      expect(tiling.rows * tiling.columns).toBeGreaterThanOrEqual(32);
      expect(frontsOf(tiling, "left", true)).toBeLessThanOrEqual(4);
      expect(frontsOf(tiling, "right", true)).toBeLessThanOrEqual(4);
    },
  );

  it("go round the depth where neighbours of both operands lie along it", () => {
    expect(tilingOf(product([128, 64, 64], true, true), { threads: 256 }).tiling.rotation).not.toBeNull();
    expect(tilingOf(product([128, 64, 64], true, false), { threads: 256 }).tiling.rotation).toBeNull();
  });
});

/** Numbers whose exponents are given, with some that have none between. */
const ofExponents = (count: number, exponent: (at: number) => number): Array => {
  const found = globalThis.Array.from({ length: count }, (_, at) => {
    if (at % 97 === 5) return [0, -0, Infinity, -Infinity, Number.NaN][at % 5];
    const size = Math.fround(1 + ((at * 389) % 1009) / 1009) * 2 ** exponent(at);
    return at % 3 === 0 ? -size : size;
  });
  return np.array(new Float32Array(found));
};

/** Products with what comes before and behind them, and sums and points that are many for each thread. */
const programs: BatchedCase[] = [
  {
    name: "quotients and roots of all sizes",
    f: (x: Array, y: Array) => [
      x.div(y),
      np.divide(1, x),
      x.div(3e-20),
      np.divide(7e15, y),
      np.sqrt(x),
      np.sqrt(np.abs(y)),
    ],
    args: [
      ofExponents(512, (at) => 4 * (at % 64) - 128),
      ofExponents(512, (at) => 32 * (at >> 6) + (at % 5) - 128),
    ],
    tolerance: { signedZeros: true },
  },
  {
    name: "quotients of many points, few of which are exceptions",
    f: (x: Array, y: Array) => [x.div(np.sqrt(np.abs(y)).add(1e-8)), np.sqrt(x)],
    args: [ofExponents(4096, (at) => -(at % 90)), ofExponents(4096, (at) => (at % 128) - 100)],
    tolerance: { signedZeros: true },
  },
  matrices(36, 68, 64),
  matrices(9, 130, 5),
  matrices(2, 600, 40),
  {
    name: "what follows a product in tiles that stick out",
    f: (x, w, b, y) => [np.maximum(x.matmul(w).add(b), 0).mul(y), x.matmul(w).T],
    args: [
      wholeNumbers([33, 20], "float32", 1),
      wholeNumbers([20, 36], "float32", 2),
      wholeNumbers([36], "float32", 3),
      wholeNumbers([33, 36], "float32", 4),
    ],
  },
  {
    name: "many points",
    f: (x, y) => [x.mul(2).add(y), x.T.sub(y.reshape([50, 1]))],
    args: [wholeNumbers([61, 50], "float32", 1), wholeNumbers([50], "float32", 2)],
  },
  {
    name: "long reductions",
    f: (x: Array) => [x.sum(0), x.sum(1), np.argmax(x, 0), np.argmin(x, 1), x.max(), np.any(x.greater(7), 0)],
    args: [wholeNumbers([300, 33], "float32", 1)],
  },
  {
    name: "the first NaN of many",
    f: (x: Array) => [np.argmax(x.div(x), 0), np.argmax(np.sqrt(x), 1)],
    args: [wholeNumbers([90, 40], "float32", 1)],
  },
];

describe.skipIf(isWithoutNative("test/compiler/ptx/tiles.test.ts"))("blocks", { timeout: 600_000 }, () => {
  it.each(process.env.VIBE_RL_PTX_TESTS === "all" ? [128, 512] : [512])(
    "of %s threads give the interpreter's answers",
    (threads) => {
      const device = `emulated ptx of ${threads}`;
      const target = { multiprocessors: 1, sharedBytes: 96 * 1024, threads };
      registerBackend(emulatedPtx(device, target), { isDefault: false });
      expectTogether(programs, device);
    },
  );
});
