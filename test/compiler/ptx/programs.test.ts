// Programs in PTX, emulated, give the interpreter's answers: a few cases of each batch. `npm run test:ptx` runs all cases.
import { afterEach, describe, expect, it, vi } from "vitest";
import { jit, lax, np, type Array } from "vibe-rl/array";
import { isWithoutNative } from "../../device/native.js";
import { functionBatches } from "../functionBatches.js";
import { expectPrintsInOrder } from "../printing.js";
import { programBatches } from "../programBatches.js";
import { expectTogether, fewOf, named, type Batches } from "../together.js";
import "./backend.js";

afterEach(() => void vi.restoreAllMocks());

const device = "emulated ptx";
const isWhole = process.env.VIBE_RL_PTX_TESTS === "all";

/** All batches, or what there is time for as one. */
const batchesOf = (batches: Batches): Batches =>
  isWhole
    ? batches
    : {
        "give the interpreter's answers": () =>
          Object.entries(batches).flatMap(([fact, batch]) => named(fact, fewOf(batch(device), 3))),
      };

describe.skipIf(isWithoutNative("test/compiler/ptx/programs.test.ts"))(
  "programs in PTX",
  { timeout: 600_000 },
  () => {
    it.for(Object.entries(batchesOf(functionBatches)))("of functions %s", ([, batch]) =>
      expectTogether(batch(device), device),
    );

    it.for(Object.entries(batchesOf(programBatches)))("of many kinds %s", ([, batch]) =>
      expectTogether(batch(device), device),
    );

    it("count on nothing that only a branch not taken has computed", () => {
      // A loop that one warp does, then kernels that ask for the number of theirs.
      const halved = (x: Array) => lax.foriLoop(0, 3, (i, y) => y.mul(0.5).add(i), x);
      const f = (x: Array) => {
        const y = lax.cond(x.sum().greater(0), np.flip, halved, x);
        return [np.outer(y, x).matmul(y), np.outer(x, y).sum(0)];
      };
      const args = [np.arange(4).astype("float32"), np.arange(-4, 0).astype("float32")];
      for (const x of args) {
        const results = [device, "interpreter"].map((on) =>
          jit(f, { device: on })(x).map((y) => y.toArray()),
        );
        expect(results[0]).toEqual(results[1]);
      }
    });

    it("loop over any number of points, with what is the same for all of them", () => {
      const sizes = [511, 513, 2048, 4100, 5000];
      const f = (scale: Array, ...arrays: Array[]) =>
        arrays.map((x) =>
          x
            .mul(scale.slice(0))
            .add(scale.slice(1))
            .mul(x)
            .add(x.greater(scale.slice(2))),
        );
      const args = [
        np.array([3, 5, 7]).astype("float32"),
        ...sizes.map((size) => np.arange(size).mod(11).astype("float32")),
      ];
      const results = [device, "interpreter"].map((on) => jit(f, { device: on })(...(args as [Array])));
      sizes.forEach((size, at) =>
        expect([size, results[0][at].toArray()]).toEqual([size, results[1][at].toArray()]),
      );
    });

    it("print in order from loops and branches, and stop where printing fails", () =>
      expectPrintsInOrder(device));
  },
);
