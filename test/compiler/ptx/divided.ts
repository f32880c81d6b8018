// Programs that are divided over blocks whether that pays or not: values chosen at random are split.
import { registerBackend } from "../../../src/array/index.js";
import { subPrograms, type Atom, type Program, type Variable } from "../../../src/array/core/program.js";
import type { DotParams } from "../../../src/array/primitives/dot.js";
import { splitProgram } from "../../../src/array/partition/partition.js";
import { wholeLayout, type Layout, type NamedAxis } from "../../../src/array/sharding/axes.js";
import { simplifyProgram } from "../../../src/compiler/simplify/simplify.js";
import { emulatedPtx, target } from "./backend.js";

/** Numbers from 0 up to a bound, the same for the same seed (xorshift). */
function chances(seed: number): (bound: number) => number {
  let state = (seed + 1) * 0x9e3779b1;
  return (bound) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % bound;
  };
}

const valuesIn = (program: Program): Variable[] =>
  program.equations.flatMap((equation) => [...equation.outputs, ...subPrograms(equation).flatMap(valuesIn)]);

/** How many parts there are along each axis: two axes where that goes, every other time. */
function arranged(parts: number, seed: number): readonly NamedAxis[] {
  const first = [2, 3].find((size) => parts % size === 0 && parts > size);
  return first === undefined || seed % 2 === 0
    ? [{ name: "parts", size: parts }]
    : [
        { name: "parts", size: first },
        { name: "others", size: parts / first },
      ];
}

/** A program for so many blocks, in which about every third value that can be split is. */
export function divideAtRandom(program: Program, parts: number, seed: number) {
  const chance = chances(seed);
  const axes = arranged(parts, seed);
  const within = new Map<Variable, Layout>();
  for (const value of valuesIn(program)) {
    const { shape } = value.type;
    if (chance(3) > 0) continue;
    const names = shape.map((): string[] => []);
    const left = [...shape];
    const order = axes.length > 1 && chance(2) > 0 ? axes.toReversed() : axes;
    for (const { name, size } of order) {
      const along = left.flatMap((extent, dimension) =>
        extent > 0 && extent % size === 0 ? [dimension] : [],
      );
      if (along.length === 0 || (axes.length > 1 && chance(3) === 0)) continue;
      const chosen = along[chance(along.length)];
      names[chosen].push(name);
      left[chosen] /= size;
    }
    if (names.some((own) => own.length > 0)) within.set(value, names);
  }
  const whole = (values: Program["outputs"]) => values.map(({ type }) => wholeLayout(type.shape.length));
  const options = { axes, inputs: whole(program.inputs), outputs: whole(program.outputs), within };
  return { program: splitProgram(program, options).program, axes };
}

/** A program for so many blocks that add up products by their shares of the depth; each needs its part of the sums along a dimension. */
export function scattering(program: Program, parts: number, dimension: number) {
  const axes: readonly NamedAxis[] = [{ name: "parts", size: parts }];
  const within = new Map<Variable, Layout>();
  const split = (value: Atom, along: number) => {
    if (value.kind === "variable" && !program.inputs.includes(value))
      within.set(
        value,
        value.type.shape.map((_, at) => (at === along ? ["parts"] : [])),
      );
  };
  for (const { primitive, params, inputs, outputs } of program.equations) {
    if (primitive.name !== "dot") continue;
    const { contract } = params as DotParams;
    inputs.forEach((input, side) => split(input, contract[side][0]));
    split(outputs[0], dimension);
  }
  const whole = (values: Program["outputs"]) => values.map(({ type }) => wholeLayout(type.shape.length));
  const options = { axes, inputs: whole(program.inputs), outputs: whole(program.outputs), within };
  return { program: splitProgram(program, options).program, axes };
}

/**
 * Registers a device whose programs are divided over so many blocks, as a seed says; returns its name. Every other seed has one
 * copy for all blocks of whatever they have alike.
 */
export function dividedDevice(parts: number, seed: number): string {
  const name = `divided ptx ${parts} ${seed}`;
  const divide = (program: Program) => divideAtRandom(simplifyProgram(program), parts, seed);
  const onceFrom = seed % 2 === 0 ? Infinity : 0;
  const own = { ...target, multiprocessors: parts, threads: 128 };
  const device = emulatedPtx(name, own, { name, divide, onceFrom });
  registerBackend(device, { isDefault: false });
  return name;
}
