// Equations that need the same constant get one each, so that splitting one does not split the other.
import { expect, it } from "vitest";
import { lax, makeProgram, np, type Array, type Program } from "vibe-rl/array";
import type { Concrete } from "../../../src/array/core/array.js";
import { interpret } from "../../../src/array/core/interpret.js";
import { subPrograms } from "../../../src/array/core/program.js";
import { withOwnConstants } from "../../../src/array/partition/ownConstants.js";
import { simplifyProgram } from "../../../src/compiler/simplify/simplify.js";

it("constants are made anew for everybody who needs them, in loops and as results too", () => {
  const f = (x: Array, y: Array) => {
    const count = np.arange(4).astype("float32");
    const [, rows] = lax.scan((c: Array) => [c.add(np.arange(4)), c.mul(np.arange(4))], x, null, {
      length: 3,
    });
    return [x.add(count), y.mul(count), rows, count];
  };
  const args = [np.array([1, 2, 3, 4]), np.array([5, 6, 7, 8])] as const;
  const program = simplifyProgram(makeProgram(f)(...args).program);
  const own = withOwnConstants(program);
  const uses = (one: Program): number[] => [
    ...one.equations.flatMap(({ outputs, primitive }) => {
      if (primitive.name !== "iota" && primitive.name !== "convert") return [];
      const readers = one.equations.filter(({ inputs }) => inputs.includes(outputs[0]));
      return [readers.length + one.outputs.filter((output) => output === outputs[0]).length];
    }),
    ...one.equations.flatMap((equation) => subPrograms(equation).flatMap(uses)),
  ];
  expect(Math.max(...uses(program))).toBeGreaterThan(1);
  expect(new Set(uses(own))).toEqual(new Set([1]));
  const run = (one: Program) =>
    interpret(one, args as readonly Concrete[]).map(({ elements }) => [...elements]);
  expect(run(own)).toEqual(run(program));
});
