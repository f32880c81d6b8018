// Blocks that are read and written at computed places of an array whose rows are split: as on one device, and nothing
// of the array goes from one device to another but the block.
import { describe, expect, it } from "vitest";
import { jit, lax, NamedSharding, np, PartitionSpec, random, type Array } from "vibe-rl/array";
import { makeMesh } from "vibe-rl/sharding";
import "vibe-rl";
import type { Layout, NamedAxis } from "../../../src/array/sharding/axes.js";
import type { Concrete } from "../../../src/array/core/array.js";
import { interpret } from "../../../src/array/core/interpret.js";
import { traceProgram } from "../../../src/array/core/trace.js";
import { splitProgram } from "../../../src/array/partition/partition.js";
import { showProgram } from "../../../src/array/transforms/listing.js";
import { blocksOf, simulate } from "./simulate.js";

const axes: readonly NamedAxis[] = [
  { name: "a", size: 2 },
  { name: "b", size: 2 },
];

/** The result of a function on split arguments, by device, what it is on one, and what had to be gathered. */
function splitRun(f: (...args: Array[]) => Array, args: readonly Array[], layouts: readonly Layout[]) {
  const types = args.map(({ type }) => type);
  const { program } = traceProgram("f", types, (inputs) => [f(...inputs)]);
  const told: string[] = [];
  const split = splitProgram(program, {
    ...{ axes, inputs: layouts, outputs: [null], tell: (message: string) => told.push(message) },
  });
  const blocks = args.map((arg, at) => blocksOf(arg as Concrete, layouts[at], axes));
  const [found] = simulate(split.program, axes, blocks);
  const expected = blocksOf(interpret(program, args as Concrete[])[0], split.outputs[0], axes);
  const values = (list: readonly Array[]) => list.map((array) => array.toArray());
  return { found: values(found), expected: values(expected), told, program: showProgram(split.program) };
}

const data = (dtype: "float32" | "int32" | "bool", shape: readonly number[]): Array => {
  const numbers = random.normal(random.key(shape.length), [...shape]);
  return dtype === "bool" ? numbers.greater(0) : numbers.mul(100).astype(dtype);
};
const starts = [-3, 0, 1, 3, 4, 5, 9, 11, 14, 15, 20];
const sizes = [1, 2, 4, 5, 9, 15];

describe.each(["float32", "int32", "bool"] as const)(
  "%s blocks at computed places of split rows",
  (dtype) => {
    it.each(sizes)("%i rows are read from all places, the last and those beyond it included", (size) => {
      for (const start of starts) {
        const read = (x: Array, at: Array) => lax.dynamicSlice(x, [at, 0], [size, 3]);
        const run = splitRun(read, [data(dtype, [16, 3]), np.int32(start)], [[["a", "b"], []], []]);
        expect(run.found).toEqual(run.expected);
        expect(run.told).toEqual([]);
      }
    });

    it.each(sizes)("%i rows are written at all places", (size) => {
      for (const start of starts) {
        const write = (x: Array, rows: Array, at: Array) => lax.dynamicUpdateSlice(x, rows, [0, at]);
        const args = [data(dtype, [16, 16]), data(dtype, [16, size]).mul(2).astype(dtype), np.int32(start)];
        const run = splitRun(write, args, [[[], ["b", "a"]], [[], []], []]);
        expect(run.found).toEqual(run.expected);
        expect(run.told).toEqual([]);
        expect(run.program).not.toMatch(/allGather|psum/);
      }
    });
  },
);

describe("a block that is cut in two dimensions", () => {
  it("is read from and written to the whole array", () => {
    const f = (x: Array, at: Array) => {
      const block = lax.dynamicSlice(x, [at, at], [2, 2]);
      return lax.dynamicUpdateSlice(x, block, [at.add(1), 0]);
    };
    const run = splitRun(f, [data("float32", [8, 4]), np.int32(1)], [[["a"], ["b"]], []]);
    expect(run.found).toEqual(run.expected);
  });
});

describe("compiled for worker threads", () => {
  const mesh = makeMesh({ numDevices: 4, numFsdpDevices: 2 });
  const rows = NamedSharding(mesh, PartitionSpec([["batch", "fsdp"]]));

  it("a ring that is pushed to and read from in a loop is that of one device, bit for bit", () => {
    const f = (ring: Array, count: Array): [Array, Array] =>
      lax.foriLoop(
        0,
        count,
        (at, [now, sum]: [Array, Array]): [Array, Array] => {
          const row = lax.dynamicSlice(now, [at.mul(3).mod(16), 0], [2, 3]);
          const written = lax.dynamicUpdateSlice(now, row.mul(0.5).add(at), [at.mul(5).mod(16), 0]);
          return [written, sum.add(row.sum(0))];
        },
        [ring, np.zeros([3])],
      );
    const ring = data("float32", [16, 3]);
    const whole = jit(f)(ring, np.int32(40));
    const split = jit(f, { inShardings: [rows, null] })(ring, np.int32(40));
    expect(split.map((part) => part.toArray())).toEqual(whole.map((part) => part.toArray()));
    expect(split[0].addressableShards[0].data.shape).toEqual([4, 3]);
  });
});
