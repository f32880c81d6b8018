// Random programs split over devices at random give what they give on one.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Array } from "vibe-rl/array";
import type { Layout, NamedAxis } from "../../../src/array/sharding/axes.js";
import type { Concrete } from "../../../src/array/core/array.js";
import { interpret } from "../../../src/array/core/interpret.js";
import { traceProgram } from "../../../src/array/core/trace.js";
import { splitProgram } from "../../../src/array/partition/partition.js";
import { expandCalls } from "../../../src/array/transforms/expand.js";
import { differences, type Tolerance } from "../../closeness.js";
import { argumentsFor, mixedPrograms, toFunction as toMixedFunction } from "../../compiler/mixedPrograms.js";
import { stateArguments, statePrograms, toStateFunction } from "../../compiler/statePrograms.js";
import { isLong } from "../../long.js";
import { blocksOf, simulate } from "./simulate.js";
import { flattenArrays } from "../../../src/array/lax/leaves.js";

const runs = 150 * Number(process.env.PROPERTY_RUNS ?? (isLong ? 5 : 1));

/** Numbers that decide about a layout, whatever they are. */
const choices = () => fc.array(fc.nat(20), { minLength: 4, maxLength: 12 });

/** A layout for a shape, or nothing, as the numbers say. */
function layoutFor(
  shape: readonly number[],
  axes: readonly NamedAxis[],
  numbers: () => number,
  canBeOpen: boolean,
): Layout | null {
  if (canBeOpen && numbers() % 4 === 0) return null;
  const layout: string[][] = shape.map(() => []);
  const counts = shape.map(() => 1);
  for (const { name, size } of numbers() % 2 === 0 ? axes : [...axes].reverse()) {
    const dimension = numbers() % (shape.length + 1);
    if (dimension === shape.length || shape[dimension] % (counts[dimension] * size) !== 0) continue;
    layout[dimension].push(name);
    counts[dimension] *= size;
  }
  return layout;
}

/** What differs between a function on one device and the same split as the numbers say. */
export function splitDifferences(
  f: (...args: Array[]) => unknown,
  args: readonly Array[],
  axes: readonly NamedAxis[],
  decisions: readonly number[],
  tolerance: Tolerance,
): string[] {
  let used = 0;
  const number = (): number => decisions[used++ % decisions.length] + Math.floor(used / decisions.length);
  const traced = traceProgram(
    "f",
    args.map(({ type }) => type),
    (inputs) => flattenArrays("f", f(...inputs), "the result").arrays,
  );
  const { program, constants } = expandCalls(traced.program);
  const inputs = [...constants, ...traced.captures, ...args] as Concrete[];
  const expected = interpret(program, inputs);
  const given = program.inputs.map(({ type }) => layoutFor(type.shape, axes, number, true));
  const wanted = program.outputs.map(({ type }) => layoutFor(type.shape, axes, number, true));
  const split = splitProgram(program, { axes, inputs: given, outputs: wanted });
  split.outputs.forEach((layout, at) => expect(wanted[at] ?? layout).toEqual(layout));
  const blocks = inputs.map((input, at) => blocksOf(input, split.inputs[at], axes));
  const results = simulate(split.program, axes, blocks);
  return expected.flatMap((value, at) => {
    const parts = blocksOf(value, split.outputs[at], axes);
    return parts.flatMap((part, device) =>
      differences(results[at][device], part, tolerance).map(
        (text) => `device ${device}, output ${at}: ${text}`,
      ),
    );
  });
}

const meshes = () =>
  fc.constantFrom<readonly NamedAxis[]>(
    [{ name: "a", size: 2 }],
    [{ name: "a", size: 3 }],
    [
      { name: "a", size: 2 },
      { name: "b", size: 2 },
    ],
    [
      { name: "a", size: 3 },
      { name: "b", size: 3 },
    ],
    [
      { name: "a", size: 2 },
      { name: "b", size: 3 },
    ],
  );

describe("random programs, split over devices", { timeout: 6_000_000 }, () => {
  it("over all dtypes: integers and bool equal, floats near", () => {
    const property = fc.property(
      mixedPrograms(),
      fc.nat(100),
      meshes(),
      choices(),
      (program, seed, axes, numbers) => {
        const args = argumentsFor(program, seed);
        expect(
          splitDifferences(toMixedFunction(program), args, axes, numbers, { rtol: 1e-5, atol: 2e-5 }),
        ).toEqual([]);
      },
    );
    fc.assert(property, { numRuns: runs });
  });

  it("with states that loops and branches exchange and overwrite", () => {
    const property = fc.property(
      statePrograms(),
      fc.nat(10),
      meshes(),
      choices(),
      (program, seed, axes, numbers) => {
        expect(splitDifferences(toStateFunction(program), stateArguments(seed), axes, numbers, {})).toEqual(
          [],
        );
      },
    );
    fc.assert(property, { numRuns: runs });
  });
});
