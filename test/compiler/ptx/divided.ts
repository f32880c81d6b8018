// Programs that are divided over blocks whether that pays or not: values chosen at random are split.
import { registerBackend } from "../../../src/array/index.js";
import { subPrograms, type Program, type Variable } from "../../../src/array/core/program.js";
import { splitProgram } from "../../../src/array/partition/partition.js";
import { wholeLayout, type Layout } from "../../../src/array/sharding/axes.js";
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

/** A program for so many blocks, in which about every third value that can be split is. */
export function divideAtRandom(program: Program, parts: number, seed: number) {
  const chance = chances(seed);
  const axes = [{ name: "parts", size: parts }];
  const within = new Map<Variable, Layout>();
  for (const value of valuesIn(program)) {
    const { shape } = value.type;
    const along = shape.flatMap((extent, dimension) =>
      extent > 0 && extent % parts === 0 ? [dimension] : [],
    );
    if (along.length === 0 || chance(3) > 0) continue;
    const chosen = along[chance(along.length)];
    within.set(
      value,
      shape.map((_, dimension) => (dimension === chosen ? ["parts"] : [])),
    );
  }
  const whole = (values: Program["outputs"]) => values.map(({ type }) => wholeLayout(type.shape.length));
  const options = { axes, inputs: whole(program.inputs), outputs: whole(program.outputs), within };
  return { program: splitProgram(program, options).program, axes };
}

/** Registers a device whose programs are divided over so many blocks, as a seed says; returns its name. */
export function dividedDevice(parts: number, seed: number): string {
  const name = `divided ptx ${parts} ${seed}`;
  const divide = (program: Program) => divideAtRandom(simplifyProgram(program), parts, seed);
  const device = emulatedPtx(name, { ...target, multiprocessors: parts, threads: 128 }, { name, divide });
  registerBackend(device, { isDefault: false });
  return name;
}
