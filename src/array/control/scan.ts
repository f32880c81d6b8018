// The loop with a fixed number of iterations: a carry goes through, slices come in, results are stacked.
import type { Array, Concrete } from "../core/array.js";
import { allocate } from "../core/dtype.js";
import { concrete, interpret } from "../core/interpret.js";
import type { Batched, Linearized, Primitive, Tangent } from "../core/primitive.js";
import { typesOf } from "../core/program.js";
import { range, sizeOf } from "../core/shape.js";
import { bind } from "../core/trace.js";
import { arrayType } from "../core/type.js";
import { instantiate, repeatBatch } from "../primitives/linear.js";
import { permute } from "../primitives/reshape.js";
import { batchProgram } from "../transforms/batch.js";
import { jvpProgram } from "../transforms/jvp.js";
import { count, growFlags, pick, unweave, weave } from "./lists.js";
import { scanRoles, type ScanParams } from "./scanParams.js";
import { partitionScan } from "./scanPartition.js";
import { pruneScan } from "./scanPrune.js";
import { transposeScan } from "./scanTranspose.js";

export const scan: Primitive<ScanParams> = {
  name: "scan",
  infer: (_inputs, { body, carries, length }) =>
    typesOf(body.outputs).map((type, index) =>
      index < carries ? type : arrayType([length, ...type.shape], type.dtype),
    ),
  evaluate(inputs, params, outputs) {
    const { body, length, reverse, carries } = params;
    const [constants, initial, stacked] = scanRoles(inputs, params);
    const results = outputs.slice(carries).map((type) => allocate(type.dtype, sizeOf(type.shape)));
    let carry = initial;
    for (let iteration = 0; iteration < length; iteration++) {
      const at = reverse ? length - 1 - iteration : iteration;
      const values = interpret(body, [...constants, ...carry, ...stacked.map((input) => rowOf(input, at))]);
      carry = values.slice(0, carries);
      values.slice(carries).forEach((value, index) => {
        const row = value.elements;
        results[index].set(row, at * row.length);
      });
    }
    return [...carry.map((value) => value.elements), ...results];
  },
  jvp: jvpScan,
  transpose: (...rule) => transposeScan(scan, ...rule),
  batch: batchScan,
  partition: partitionScan,
  prune: pruneScan,
  subPrograms: ({ body }) => [body],
};

/** One slice along the first axis, without copying. */
function rowOf(stacked: Concrete, row: number): Concrete {
  const shape = stacked.shape.slice(1);
  const length = sizeOf(shape);
  const elements = stacked.elements.subarray(row * length, (row + 1) * length);
  return concrete(arrayType(shape, stacked.dtype), elements);
}

/** One loop that carries values and tangents. */
function jvpScan(inputs: readonly Array[], tangents: readonly Tangent[], params: ScanParams): Linearized {
  const { body, constants, carries } = params;
  const moves = tangents.map((tangent) => tangent !== null);
  const [constantsMove, carryMoves, stackedMove] = scanRoles(moves, params);
  // A carry moves if it does at the start, or if the body makes it.
  const { flags, result } = growFlags(
    carryMoves,
    (carry) => jvpProgram(body, [...constantsMove, ...carry, ...stackedMove], carry),
    ({ moving }) => moving.slice(0, carries),
  );
  const active = [...constantsMove, ...flags, ...stackedMove];
  const directions = inputs.map((input, index) => instantiate(tangents[index] ?? null, input.type));
  const { program, moving } = result;
  const results = bind(scan, weave([...inputs, ...pick(directions, active)], active, [constants, carries]), {
    ...params,
    body: {
      inputs: weave(program.inputs, active, [constants, carries]),
      equations: program.equations,
      outputs: weave(program.outputs, moving, [carries]),
    },
    constants: constants + count(constantsMove),
    carries: carries + count(flags),
  });
  const { items, extras } = unweave(results, moving, [carries]);
  return { outputs: items, tangents: extras };
}

/** One loop whose iterations each work on the whole batch. */
function batchScan(
  inputs: readonly Array[],
  batched: readonly boolean[],
  params: ScanParams,
  size: number,
): Batched {
  const { body, constants, carries } = params;
  const [constantsBatched, carryBatched, stackedBatched] = scanRoles(batched, params);
  const { flags, result } = growFlags(
    carryBatched,
    (carry) => batchProgram(body, [...constantsBatched, ...carry, ...stackedBatched], size, carry),
    (attempt) => attempt.batched.slice(0, carries),
  );
  const operands = inputs.map((input, index) => {
    const carry = index - constants;
    if (carry >= carries) return batched[index] ? swapLeading(input) : input;
    return flags[carry] && !batched[index] ? repeatBatch(input, size) : input;
  });
  const results = bind(scan, operands, { ...params, body: result.program });
  return {
    // Stacked inputs and results have the batch axis in front, the loop wants its own there.
    outputs: results.map((output, index) =>
      index >= carries && result.batched[index] ? swapLeading(output) : output,
    ),
    batched: result.batched,
  };
}

const swapLeading = (array: Array): Array => permute(array, [1, 0, ...range(array.ndim - 2, 2)]);
