// The branch: one of several Programs, chosen by an index, applied to the operands.
import type { Array } from "../core/array.js";
import { isFloat } from "../core/dtype.js";
import { constant, interpret } from "../core/interpret.js";
import type { Batched, Linearized, Primitive, Tangent } from "../core/primitive.js";
import { typesOf, variablesRead, type Equation, type Program } from "../core/program.js";
import { bind, bindOne, traceClosed } from "../core/trace.js";
import type { ArrayType } from "../core/type.js";
import { broadcast } from "../primitives/broadcast.js";
import { stopGradient } from "../primitives/convert.js";
import { instantiate, repeatBatch } from "../primitives/linear.js";
import { equal } from "../primitives/logic.js";
import { choose } from "../primitives/select.js";
import { applyBatched, batchProgram } from "../transforms/batch.js";
import { jvpProgram } from "../transforms/jvp.js";
import { pruneProgram } from "../transforms/prune.js";
import { applyTranspose } from "../transforms/transpose.js";
import { partitionCond } from "./condPartition.js";
import { anyFlag, pick, split, spread, unweave } from "./lists.js";

export interface CondParams {
  /** All take the same operands and return results of the same types. */
  readonly branches: readonly Program[];
}

/** `cond(index, ...operands)`: branch number `index`, the nearest one where it is out of range. */
export const cond: Primitive<CondParams> = {
  name: "cond",
  infer: (_inputs, { branches }) => typesOf(branches[0].outputs),
  evaluate([index, ...operands], { branches }) {
    const chosen = index.elements[0];
    const branch = branches[Math.min(Math.max(chosen, 0), branches.length - 1)];
    return interpret(branch, operands).map((result) => result.elements);
  },
  jvp: jvpCond,
  transpose: transposeCond,
  batch: batchCond,
  partition: partitionCond,
  prune: pruneCond,
  subPrograms: ({ branches }) => branches,
};

function jvpCond(
  inputs: readonly Array[],
  tangents: readonly Tangent[],
  { branches }: CondParams,
): Linearized {
  const [index, ...operands] = inputs as [Array, ...Array[]];
  const active = tangents.slice(1).map((tangent) => tangent !== null);
  const derive = (force: readonly boolean[]) => branches.map((branch) => jvpProgram(branch, active, force));
  // A result moves if it does in any branch; the others then give a zero.
  const moving = anyFlag(derive([]).map((derived) => derived.moving));
  const moved = tangents.slice(1).filter((tangent) => tangent !== null);
  const results = bind(cond, [index, ...operands, ...moved], {
    branches: derive(moving).map(({ program }) => program),
  });
  const { items, extras } = unweave(results, moving, []);
  return { outputs: items, tangents: extras };
}

function transposeCond(
  cotangents: readonly Tangent[],
  known: readonly (Array | null)[],
  types: readonly ArrayType[],
  { branches }: CondParams,
): Tangent[] {
  const [index, ...operands] = known;
  const linear = operands.map((operand) => operand === null);
  const residuals = operands.filter((operand) => operand !== null);
  const given = cotangents.map((cotangent) => cotangent !== null);
  const cts = cotangents.filter((cotangent) => cotangent !== null);
  const linearTypes = pick(types.slice(1), linear);
  const backward = branches.map((branch) => {
    const arranged: Program = {
      ...branch,
      inputs: [...pick(branch.inputs, linear, false), ...pick(branch.inputs, linear)],
    };
    return traceClosed(
      [...residuals, ...cts].map((value) => value.type),
      (inputs) => {
        const [values, incoming] = split(inputs, [residuals.length]) as [Array[], Array[]];
        return applyTranspose(arranged, values, spread(incoming, given)).map((cotangent, at) =>
          instantiate(cotangent, linearTypes[at]),
        );
      },
    );
  });
  const results = bind(cond, [index as Array, ...residuals, ...cts], { branches: backward });
  return [null, ...spread(results, linear)];
}

function batchCond(
  inputs: readonly Array[],
  batched: readonly boolean[],
  { branches }: CondParams,
  size: number,
): Batched {
  const [index, ...operands] = inputs as [Array, ...Array[]];
  const [indexBatched, ...operandsBatched] = batched;
  if (indexBatched) return chooseAmongAll(branches, index, operands, operandsBatched, size);
  const vectorise = (force: readonly boolean[]) =>
    branches.map((branch) => batchProgram(branch, operandsBatched, size, force));
  const flags = anyFlag(vectorise([]).map((branch) => branch.batched));
  const results = bind(cond, inputs, { branches: vectorise(flags).map(({ program }) => program) });
  return { outputs: results, batched: flags };
}

/** Each example has a branch of its own: all branches run, and each example takes its result. */
function chooseAmongAll(
  branches: readonly Program[],
  index: Array,
  operands: readonly Array[],
  batched: readonly boolean[],
  size: number,
): Batched {
  const inRange = index.clip(0, branches.length - 1);
  const results = branches.map((branch, number) => {
    const isTaken = bindOne(equal, [inRange, constant(number, "int32")], {});
    const guarded = guardOperands(branch, operands, batched, isTaken);
    const { outputs, batched: flags } = applyBatched(branch, guarded.operands, guarded.batched, size);
    const whole = outputs.map((output, at) => (flags[at] ? output : repeatBatch(output, size)));
    return { isTaken, outputs: whole };
  });
  const [first, ...others] = results;
  const outputs = first.outputs.map((output, at) =>
    others.reduce((chosen, { isTaken, outputs: own }) => choosePerExample(isTaken, own[at], chosen), output),
  );
  return { outputs, batched: outputs.map(() => true) };
}

/**
 * The operands of a branch, without a derivative for the examples that do not take it: their zero cotangents
 * would otherwise meet infinite derivatives inside the branch and come out as NaN.
 */
function guardOperands(
  branch: Program,
  operands: readonly Array[],
  batched: readonly boolean[],
  isTaken: Array,
): { readonly operands: Array[]; readonly batched: boolean[] } {
  const read = variablesRead(branch);
  // What is no part of a program has no derivative anyway.
  const isGuarded = operands.map(
    ({ dtype, tracer }, at) => tracer !== null && isFloat(dtype) && read.has(branch.inputs[at]),
  );
  return {
    operands: operands.map((operand, at) => {
      if (!isGuarded[at]) return operand;
      const perExample = batched[at] ? operand : repeatBatch(operand, isTaken.size);
      return choosePerExample(isTaken, perExample, bindOne(stopGradient, [perExample], {}));
    }),
    batched: batched.map((flag, at) => flag || isGuarded[at]),
  };
}

/** For each example of a batch, one of two arrays. */
const choosePerExample = (predicate: Array, onTrue: Array, onFalse: Array): Array =>
  choose(bindOne(broadcast, [predicate], { shape: onTrue.shape, axes: [0] }), onTrue, onFalse);

function pruneCond(equation: Equation, used: readonly boolean[]): Equation {
  const { branches } = equation.params as CondParams;
  const pruned = branches.map((branch) => pruneProgram({ ...branch, outputs: pick(branch.outputs, used) }));
  const read = anyFlag(
    pruned.map((branch) => {
      const variables = variablesRead(branch);
      return branch.inputs.map((input) => variables.has(input));
    }),
  );
  const params: CondParams = {
    branches: pruned.map((branch) => ({ ...branch, inputs: pick(branch.inputs, read) })),
  };
  return {
    ...equation,
    params,
    inputs: pick(equation.inputs, [true, ...read]),
    outputs: pick(equation.outputs, used),
  };
}
