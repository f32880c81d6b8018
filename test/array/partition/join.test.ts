// Devices meet once for what does not wait for each other: pushing a transition of several arrays, drawing a batch.
import { describe, expect, it } from "vitest";
import { np, type Array } from "vibe-rl/array";
import type { Concrete } from "../../../src/array/core/array.js";
import { interpret } from "../../../src/array/core/interpret.js";
import { traceProgram } from "../../../src/array/core/trace.js";
import { splitProgram } from "../../../src/array/partition/partition.js";
import { blocksOf, simulate } from "./simulate.js";

const axes = [{ name: "a", size: 2 }];
const arrays = [
  np.arange(16).reshape([8, 2]).astype("float32"),
  np.arange(8).greater(3),
  np.arange(8).mul(7).astype("int32"),
];
const rows = arrays.map(({ ndim }) => [["a"], ...(ndim > 1 ? [[]] : [])]);

/** The names of the collectives of a function whose arguments and results are split along their rows. */
function meetings(f: (...args: Array[]) => Array[], args: readonly Array[], inputs: readonly string[][][]) {
  const types = args.map(({ type }) => type);
  const { program } = traceProgram("f", types, (given) => f(...given));
  const outputs = program.outputs.map(({ type }) => [["a"], ...type.shape.slice(1).map(() => [])]);
  const split = splitProgram(program, { axes, inputs, outputs });
  const blocks = args.map((arg, at) => blocksOf(arg as Concrete, inputs[at], axes));
  const found = simulate(split.program, axes, blocks);
  interpret(program, args as Concrete[]).forEach((whole, at) => {
    const expected = blocksOf(whole, outputs[at], axes);
    expect(found[at].map((part) => part.toArray())).toEqual(expected.map((part) => part.toArray()));
  });
  const { equations } = split.program;
  return equations.map(({ primitive }) => primitive.name).filter((name) => /^(p[a-z]|all)/.test(name));
}

describe("devices that share a ring", () => {
  it("meet once to draw a batch of floats, flags and integers", () => {
    const draw = (at: Array, ...ring: Array[]) => ring.map((array) => np.take(array, at, 0));
    const at = np.array([3, 7, 0, 0], { dtype: "int32" });
    expect(meetings(draw, [at, ...arrays], [[[]], ...rows])).toEqual(["psumScatter"]);
  });

  it("meet once to push transitions", () => {
    const push = (at: Array, ...both: Array[]) =>
      arrays.map((_, index) => both[index].at(at).set(both[index + arrays.length]));
    const at = np.array([7, 0], { dtype: "int32" });
    const fresh = arrays.map((array) => array.slice("2:4"));
    expect(meetings(push, [at, ...arrays, ...fresh], [[[]], ...rows, ...rows])).toEqual(["allGather"]);
  });
});
