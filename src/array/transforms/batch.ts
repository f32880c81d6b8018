// Vectorisation: a Program applied to a whole batch at once. The batch axis is always axis 0.
import type { Array } from "../core/array.js";
import { literalArray, walk } from "../core/interpret.js";
import { batchingAxis, usesAxis } from "../core/namedAxes.js";
import type { Batched } from "../core/primitive.js";
import { typesOf, type Program } from "../core/program.js";
import { bind, replaying, traceClosed } from "../core/trace.js";
import { arrayType, type ArrayType } from "../core/type.js";
import { repeatBatch } from "../primitives/linear.js";

interface Item {
  readonly value: Array;
  readonly isBatched: boolean;
}

/**
 * Applies a program to inputs some of which have a batch axis in front. What works along the axis by its name differs
 * from example to example even if no input does.
 */
export function applyBatched(
  program: Program,
  inputs: readonly Array[],
  batched: readonly boolean[],
  size: number,
): Batched {
  const name = batchingAxis();
  const results = walk<Item>(
    program,
    inputs.map((value, index) => ({ value, isBatched: batched[index] })),
    (literal) => ({ value: literalArray(literal), isBatched: false }),
    (equation, operands) =>
      replaying(equation, () => {
        const { primitive, params } = equation;
        const values = operands.map((operand) => operand.value);
        const flags = operands.map((operand) => operand.isBatched);
        const isVectorised = flags.includes(true) || (name !== null && usesAxis(equation, name));
        const result = isVectorised
          ? primitive.batch(values, flags, params, size)
          : { outputs: bind(primitive, values, params), batched: [] };
        return result.outputs.map((value, index) => ({ value, isBatched: result.batched[index] ?? false }));
      }),
  );
  return { outputs: results.map((item) => item.value), batched: results.map((item) => item.isBatched) };
}

/** A type with the batch axis in front. */
export const batchType = (type: ArrayType, size: number): ArrayType =>
  arrayType([size, ...type.shape], type.dtype, type.weak);

/** A program over a batch, and which of its outputs have the batch axis. */
export interface BatchedProgram {
  readonly program: Program;
  readonly batched: readonly boolean[];
}

/** The vectorised program; outputs named by `force` have a batch axis even if all examples agree. */
export function batchProgram(
  program: Program,
  batched: readonly boolean[],
  size: number,
  force: readonly boolean[] = [],
): BatchedProgram {
  const types = typesOf(program.inputs).map((type, index) => (batched[index] ? batchType(type, size) : type));
  let flags: readonly boolean[] = [];
  const vectorised = traceClosed(types, (inputs) => {
    const result = applyBatched(program, inputs, batched, size);
    flags = result.batched.map((isBatched, index) => isBatched || (force[index] ?? false));
    return result.outputs.map((output, index) =>
      flags[index] && !result.batched[index] ? repeatBatch(output, size) : output,
    );
  });
  return { program: vectorised, batched: flags };
}
