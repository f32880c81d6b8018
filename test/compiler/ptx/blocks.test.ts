// Programs that are divided over blocks, emulated, give the interpreter's answers.
import { afterEach, describe, expect, it, vi } from "vitest";
import { debug, grad, jit, lax, np, random, tree, type Array } from "vibe-rl/array";
import { registerBackend } from "../../../src/array/index.js";
import { ptxRenderer } from "../../../src/compiler/index.js";
import { differences, type Tolerance } from "../../closeness.js";
import { isWithoutNative } from "../../device/native.js";
import type { Computation } from "../compare.js";
import { compileFor } from "../forms.js";
import { emulatedPtx, target as smallGpu } from "./backend.js";

afterEach(() => void vi.restoreAllMocks());

const target = { ...smallGpu, threads: 128 } as const;
const device = "blocks ptx";
registerBackend(emulatedPtx(device, target), { isDefault: false });

const blocksOf = (f: Computation, args: readonly Array[]): number =>
  compileFor(ptxRenderer(target))(f, ...args).compiled.code.blocks;

/** The same with clusters. */
const clusters = "cluster ptx";
registerBackend(emulatedPtx(clusters, { ...target, clusterBlocks: 8 }), { isDefault: false });

/** Fails unless a function is divided over several blocks, and gives the interpreter's answer. */
function expectDivided(f: Computation, args: readonly Array[], tolerance: Tolerance = {}, on = device): void {
  expect(blocksOf(f, args)).toBeGreaterThan(1);
  const expected = jit(f, { device: "interpreter" })(...args);
  expect(differences(jit(f, { device: on })(...args), expected, tolerance)).toEqual([]);
}

const near = { rtol: 2e-5, atol: 2e-5 };

/** Whole numbers, so that sums are the same in any order. */
const whole = (key: number, shape: readonly number[]): Array =>
  random.randint(random.key(key), [...shape], -2, 3).astype("float32");

/** Work that is worth several blocks, for 128 rows. */
const busy = (x: Array): Array => np.clip(x.matmul(x.T).clip(-3, 3).matmul(x), -50, 50);

interface Weights {
  readonly [name: string]: Array;
  readonly a: Array;
  readonly b: Array;
  readonly c: Array;
}

const map = (f: (...leaves: Array[]) => Array, ...trees: Weights[]): Weights =>
  tree.map(f, ...(trees as [Weights]));

const network = (key: Array): Weights => {
  const [first, second] = [...random.split(key)];
  return {
    a: random.normal(first, [8, 64]).mul(0.3),
    b: random.normal(second, [64, 64]).mul(0.15),
    c: np.zeros([64]),
  };
};

const loss = ({ a, b, c }: Weights, x: Array): Array =>
  np.square(np.tanh(x.matmul(a)).matmul(b).add(c).sub(1)).mean();

/** Some steps of Adam. */
function withAdam(key: Array, data: Array): unknown {
  const start = network(key);
  const zeros = map((w) => np.zeros(w.shape), start);
  return lax.scan(
    ([w, m, v]: [Weights, Weights, Weights]) => {
      const gradient = grad(loss)(w, data);
      const mean = map((x, d) => x.mul(0.9).add(d.mul(0.1)), m, gradient);
      const square = map((x, d) => x.mul(0.99).add(np.square(d).mul(0.01)), v, gradient);
      const next = map((x, a, b) => x.sub(a.mul(0.01).div(np.sqrt(b).add(1e-3))), w, mean, square);
      return [[next, mean, square] as [Weights, Weights, Weights], loss(w, data)];
    },
    [start, zeros, zeros] as [Weights, Weights, Weights],
    null,
    { length: 3 },
  );
}

describe.skipIf(isWithoutNative("test/compiler/ptx/blocks.test.ts"))(
  "programs divided over blocks",
  { timeout: 600_000 },
  () => {
    it("train a network on minibatches in random order (SGD)", () => {
      const train = (key: Array, data: Array) =>
        lax.scan(
          ([weights, rng]: [Weights, Array]) => {
            const [next, draw] = [...random.split(rng)] as [Array, Array];
            const batch = np.take(data, random.permutation(draw, 256).slice(":128"), 0);
            const gradient = grad(loss)(weights, batch);
            return [
              [map((w, d) => w.sub(d.mul(0.3)), weights, gradient), next] as [Weights, Array],
              loss(weights, batch),
            ];
          },
          [network(key), key] as [Weights, Array],
          null,
          { length: 3 },
        );
      expectDivided(train, [random.key(3), random.normal(random.key(4), [256, 8])], near);
    });

    it.for([device, clusters])("train a network with the moments of Adam (%s)", (on) => {
      expectDivided(withAdam, [random.key(3), random.normal(random.key(4), [128, 8])], near, on);
    });

    it("are a cluster where that has room for them", () => {
      const args = [random.key(3), random.normal(random.key(4), [128, 8])] as const;
      const codeOf = (clusterBlocks: number) =>
        compileFor(ptxRenderer({ ...target, clusterBlocks }))(withAdam, ...args).compiled.code;
      for (const [most, isCluster] of [
        [0, false],
        [2, false],
        [8, true],
      ] as const) {
        const code = codeOf(most);
        expect([code.isCluster, code.text.includes(`.reqnctapercluster ${code.blocks}, 1, 1`)]).toEqual([
          isCluster,
          isCluster,
        ]);
      }
    });

    it("add up many arrays of different lengths at once", () => {
      const sizes = [1, 2, 4, 7, 64, 130, 300];
      const f = (x: Array) => {
        const y = busy(x);
        return [
          y.sum(),
          ...sizes.map((size, at) => y.add(at).reshape([-1, 8]).sum(1).slice(`:${size}`).sum()),
        ];
      };
      const sums = (x: Array) =>
        sizes.map((size) => np.tile(busy(x).sum(1).reshape([-1, 1]), [1, size]).sum(0));
      expectDivided(f, [whole(1, [128, 16])]);
      expectDivided(sums, [whole(1, [128, 16])]);
    });

    it("sort together: random keys, equal ones, NaN, and ones that are nearly all the same block's", () => {
      const f = (x: Array, keys: Array, few: Array, uneven: Array) => [
        busy(x).sum(),
        np.sort(keys),
        np.argsort(keys),
        np.argsort(few),
        np.sort(few),
        np.argsort(uneven),
        np.sort(uneven),
        // What the last turn has sorted is still being read where this one begins.
        lax.foriLoop(0, 2, (i, sorted: Array) => np.sort(np.flip(sorted).mul(i.mul(2).sub(1))), uneven.neg()),
      ];
      const floats = random.normal(random.key(5), [2500]);
      const keys = np.where(floats.greater(1.5), NaN, np.where(floats.less(-1.5), -Infinity, floats));
      const few = random.randint(random.key(6), [2100], 0, 50);
      const uneven = random.uniform(random.key(7), [2048]).add(1);
      const args = [whole(1, [128, 16]), keys, few, uneven] as const;
      const { plan } = compileFor(ptxRenderer(target))(f, ...args);
      expect(plan.division.sorts.size).toBeGreaterThanOrEqual(3);
      expectDivided(f, args);
    });

    it("sort what was sorted by other keys as turns of a loop, also where a turn is too much for a block", () => {
      const even = random.bits(random.key(1), [3000]);
      const uneven = np.where(even.less(2 ** 31), 7, even);
      const again = (y: Array, first: Array, second: Array, x: Array) => {
        // Nothing else can be done between the two.
        const number = np.abs(busy(y).sum()).astype("uint32");
        const [, once] = lax.sort([first.add(number), x], { numKeys: 1 });
        return lax.sort([second.add(number), once], { numKeys: 1 })[1];
      };
      for (const x of [np.arange(3000), random.normal(random.key(2), [3000])])
        for (const [first, second] of [
          [even, even.mul(3)],
          [even, uneven],
          [uneven, even],
        ]) {
          const args = [whole(1, [128, 16]), first, second, x] as const;
          const { compiled } = compileFor(ptxRenderer(target))(again, ...args);
          expect(compiled.code.schedule()).toContain("2 times:");
          expectDivided(again, args);
        }
      const permuted = (y: Array) => [busy(y).sum(), random.permutation(random.key(3), 3000)];
      expectDivided(permuted, [whole(1, [128, 16])]);
    });

    it("hand back arguments in each other's place, and the same one twice", () => {
      const f = (x: Array, y: Array, z: Array) => [y, x, busy(x), z, z, y.add(1)];
      expectDivided(f, [whole(1, [128, 16]), whole(2, [128, 16]), whole(3, [5])]);
    });

    it("keep a state that is handed back over several calls", () => {
      const step = (a: Array, b: Array, x: Array): [Array, Array, Array] => [
        b,
        a.add(busy(x).add(a).clip(-9, 9)),
        b.sum(),
      ];
      const args = [whole(1, [128, 16]), whole(2, [128, 16]), whole(3, [128, 16])] as const;
      expect(blocksOf(step, args)).toBeGreaterThan(1);
      const results = ["interpreter", device].map((on) => {
        const run = jit(step, { device: on, donateArgnums: [0, 1] });
        let [a, b]: readonly Array[] = args.slice(0, 2).map((x) => x.add(0));
        const sums: Array[] = [];
        for (let call = 0; call < 4; call++) {
          const [nextA, nextB, sum] = run(a, b, args[2].add(call));
          [a, b] = [nextA, nextB];
          sums.push(sum);
        }
        return [a, b, ...sums].map((x) => x.toArray());
      });
      expect(results[1]).toEqual(results[0]);
    });

    it("print every message once, in order, with what all blocks have", () => {
      const f = (x: Array) =>
        lax.foriLoop(
          0,
          2,
          (i, y: Array) => {
            const next = busy(y).clip(-2, 2);
            debug.print("{i}: {sum} {corner}", { i, sum: next.sum(), corner: next.slice("126:", 0) });
            return next;
          },
          x,
        );
      const args = [whole(1, [128, 64])] as const;
      expect(blocksOf(f, args)).toBeGreaterThan(1);
      const [expected, printed] = ["interpreter", device].map((on) => {
        const lines: string[] = [];
        vi.spyOn(console, "log").mockImplementation((line: string) => void lines.push(line));
        jit(f, { device: on })(...args);
        return lines;
      });
      expect(printed).toHaveLength(2);
      expect(printed).toEqual(expected);
    });

    it("loop and branch by what they have computed together", () => {
      const f = (x: Array, least: Array) =>
        lax.whileLoop(
          ([, turns]: [Array, Array]) => turns.less(least),
          ([y, turns]: [Array, Array]) => {
            const next = busy(y).clip(-2, 2);
            const chosen = lax.cond(
              next.sum().greater(0),
              (z: Array) => np.flip(z, 0).sub(1),
              (z: Array) => np.roll(z, 3, 0).add(1),
              next,
            );
            return [chosen, turns.add(1)] as [Array, Array];
          },
          [x, np.int32(0)] as [Array, Array],
        );
      for (const turns of [0, 2]) expectDivided(f, [whole(1, [128, 64]), np.int32(turns)]);
    });

    it("have one copy of what is large and alike in all of them, and others for each", () => {
      const fill = (rows: number) => (x: Array) =>
        lax.scan(
          ([ring, y]: [Array, Array], at: Array) => {
            const next = busy(y).clip(-2, 2);
            const filled = lax.dynamicUpdateSlice(ring, next.sum(0, { keepdims: true }), [at, 0]);
            return [[filled, next] as [Array, Array], np.take(filled, at.floorDivide(2), 0)];
          },
          [np.zeros([rows, 64]), x] as [Array, Array],
          np.arange(5000),
        )[1];
      const isOnce = (rows: number) => {
        const { plan } = compileFor(ptxRenderer(target))(fill(rows), whole(1, [128, 64]));
        expect(plan.division.parts).toBeGreaterThan(1);
        return [...plan.division.common].some(({ size }) => size === 64 * rows);
      };
      expect([isOnce(2 ** 18), isOnce(2 ** 13)]).toEqual([true, false]);
    });

    it("are left to one block where there is little to do", () => {
      expect(blocksOf((x) => x.matmul(x.T).sum(), [np.ones([16, 16])])).toBe(1);
      expect(blocksOf((x) => x.add(1), [np.ones([4])])).toBe(1);
    });
  },
);
