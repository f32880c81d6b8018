// The loop that runs as long as a test holds.
import type { Array } from "../core/array.js";
import { interpret } from "../core/interpret.js";
import type { Batched, Linearized, Partitioned, Primitive, Tangent } from "../core/primitive.js";
import { newVariable, typesOf, variablesRead, type Equation, type Program } from "../core/program.js";
import { bind, bindOne, inline, traceClosed } from "../core/trace.js";
import type { ArrayType } from "../core/type.js";
import { broadcast } from "../primitives/broadcast.js";
import { instantiate, repeatBatch } from "../primitives/linear.js";
import { reduceMax } from "../primitives/reduce.js";
import { choose } from "../primitives/select.js";
import { batchProgram } from "../transforms/batch.js";
import { jvpProgram } from "../transforms/jvp.js";
import { partitionProgram } from "../transforms/partition.js";
import { pruneProgram } from "../transforms/prune.js";
import { count, growFlags, pick, split, unweave, weave } from "./lists.js";

export interface WhileParams {
  /** Takes its constants and the carry; returns one bool. */
  readonly test: Program;
  /** Takes its constants and the carry; returns the new carry. */
  readonly body: Program;
  readonly testConstants: number;
  readonly bodyConstants: number;
  /** How many carries, at the end, are tangents of others: reverse mode has no way through those. */
  readonly tangents: number;
}

/** Something per input, by role: constants of the test, constants of the body, carry. */
const roles = <T>(list: readonly T[], { testConstants, bodyConstants }: WhileParams): [T[], T[], T[]] =>
  split(list, [testConstants, bodyConstants]) as [T[], T[], T[]];

export const whileLoop: Primitive<WhileParams> = {
  name: "while",
  refusable: true,
  infer: (_inputs, { body }) => typesOf(body.outputs),
  evaluate(inputs, params) {
    const [testConstants, bodyConstants, initial] = roles(inputs, params);
    let carry = initial;
    const holds = (): boolean => {
      const [result] = interpret(params.test, [...testConstants, ...carry]);
      return result.elements[0] !== 0;
    };
    while (holds()) carry = interpret(params.body, [...bodyConstants, ...carry]);
    return carry.map((value) => value.elements);
  },
  jvp: jvpWhile,
  batch: batchWhile,
  prune: pruneWhile,
  partition: partitionWhile,
  forwardOnly: ({ tangents }) =>
    tangents === 0
      ? null
      : "reverse-mode differentiation does not work through lax.whileLoop, or through lax.foriLoop whose bounds are " +
        "traced: the number of iterations is not known, so what the backward pass needs cannot be stored. Use lax.scan or " +
        "lax.foriLoop with plain numbers as bounds, use jvp, or put lax.stopGradient around the result",
  subPrograms: ({ test, body }) => [test, body],
};

/** A program that takes further inputs at the end and ignores them. */
const ignoring = (program: Program, types: readonly ArrayType[]): Program => ({
  ...program,
  inputs: [...program.inputs, ...types.map(newVariable)],
});

function jvpWhile(inputs: readonly Array[], tangents: readonly Tangent[], params: WhileParams): Linearized {
  const { body, test, testConstants, bodyConstants } = params;
  const [, constantsMove, carryMoves] = roles(
    tangents.map((tangent) => tangent !== null),
    params,
  );
  const { flags, result } = growFlags(
    carryMoves,
    (carry) => jvpProgram(body, [...constantsMove, ...carry], carry),
    ({ moving }) => moving,
  );
  const active = [...constantsMove, ...flags];
  const bodyInputs = inputs.slice(testConstants);
  const directions = bodyInputs.map((input, index) =>
    instantiate(tangents[testConstants + index] ?? null, input.type),
  );
  const moved = weave([...bodyInputs, ...pick(directions, active)], active, [bodyConstants]);
  const results = bind(whileLoop, [...inputs.slice(0, testConstants), ...moved], {
    test: ignoring(test, typesOf(pick(test.inputs.slice(testConstants), flags))),
    body: { ...result.program, inputs: weave(result.program.inputs, active, [bodyConstants]) },
    testConstants,
    bodyConstants: bodyConstants + count(constantsMove),
    tangents: params.tangents + count(flags),
  });
  const { items, extras } = unweave(results, flags, []);
  return { outputs: items, tangents: extras };
}

function batchWhile(
  inputs: readonly Array[],
  batched: readonly boolean[],
  params: WhileParams,
  size: number,
): Batched {
  const [testBatched, bodyBatched, carryBatched] = roles(batched, params);
  const [testConstants, bodyConstants, initial] = roles(inputs, params);
  const { flags, result } = growFlags(
    carryBatched,
    (carry) => {
      const test = batchProgram(params.test, [...testBatched, ...carry], size);
      const body = batchProgram(params.body, [...bodyBatched, ...carry], size, carry);
      return { test, body, perExample: test.batched[0] };
    },
    // Once examples may stop at different times, every carry differs between them.
    ({ body, perExample }) => (perExample ? carryBatched.map(() => true) : body.batched),
  );
  const carry = initial.map((value, index) =>
    flags[index] && !carryBatched[index] ? repeatBatch(value, size) : value,
  );
  const inner: WhileParams = { ...params, test: result.test.program, body: result.body.program };
  const results = result.perExample
    ? bind(whileLoop, [...testConstants, ...testConstants, ...bodyConstants, ...carry], freezeFinished(inner))
    : bind(whileLoop, [...testConstants, ...bodyConstants, ...carry], inner);
  return { outputs: results, batched: flags };
}

/**
 * A loop for a batch that goes on while any example does, and leaves the finished ones as they are. Its body
 * makes the test as well, so the test's constants are also the first of the body's.
 */
function freezeFinished(params: WhileParams): WhileParams {
  const { test, body, testConstants, bodyConstants } = params;
  const anyGoesOn = traceClosed(typesOf(test.inputs), (inputs) => [
    bindOne(reduceMax, inline(test, inputs), { axes: [0] }),
  ]);
  const testTypes = typesOf(test.inputs.slice(0, testConstants));
  const frozen = traceClosed([...testTypes, ...typesOf(body.inputs)], (inputs) => {
    const [forTest, forBody, carry] = split(inputs, [testConstants, bodyConstants]) as [
      Array[],
      Array[],
      Array[],
    ];
    const [goesOn] = inline(test, [...forTest, ...carry]);
    return inline(body, [...forBody, ...carry]).map((value, index) => {
      const mask = bindOne(broadcast, [goesOn], { shape: value.shape, axes: [0] });
      return choose(mask, value, carry[index]);
    });
  });
  return { ...params, test: anyGoesOn, body: frozen, bodyConstants: testConstants + bodyConstants };
}

function pruneWhile(equation: Equation, used: readonly boolean[]): Equation {
  const params = equation.params as WhileParams;
  const { test, body, bodyConstants, testConstants } = params;
  const testReads = variablesRead(test);
  const testCarry = test.inputs.slice(testConstants);
  const needed = used.map((flag, index) => flag || testReads.has(testCarry[index]));
  const { flags, result } = growFlags(
    needed,
    (carry) => {
      const pruned = pruneProgram({ ...body, outputs: pick(body.outputs, carry) });
      return { pruned, read: variablesRead(pruned) };
    },
    ({ read }) => body.inputs.slice(bodyConstants).map((input) => read.has(input)),
  );
  const constantKept = body.inputs.slice(0, bodyConstants).map((input) => result.read.has(input));
  const narrowed: WhileParams = {
    test: { ...test, inputs: [...test.inputs.slice(0, testConstants), ...pick(testCarry, flags)] },
    body: { ...result.pruned, inputs: pick(body.inputs, [...constantKept, ...flags]) },
    testConstants,
    bodyConstants: count(constantKept),
    tangents: count(flags.slice(flags.length - params.tangents)),
  };
  return {
    ...equation,
    params: narrowed,
    inputs: [
      ...equation.inputs.slice(0, testConstants),
      ...pick(equation.inputs.slice(testConstants), [...constantKept, ...flags]),
    ],
    outputs: pick(equation.outputs, flags),
  };
}

/** The carries that depend on nothing unknown run in a loop of their own; the other loop runs them again. */
function partitionWhile(equation: Equation, unknown: readonly boolean[]): Partitioned {
  const params = equation.params as WhileParams;
  const [testUnknown, bodyUnknown, carryUnknown] = roles(unknown, params);
  const { flags: waits } = growFlags(
    carryUnknown,
    (carry) => partitionProgram(params.body, [...bodyUnknown, ...carry], { unknown: carry }),
    ({ unknownOutputs }) => unknownOutputs,
  );
  const tests = variablesRead(params.test);
  const testWaits = [...testUnknown, ...waits].some((flag, at) => flag && tests.has(params.test.inputs[at]));
  if (testWaits || !waits.includes(false)) return { known: [], unknown: [equation] };
  const rest = pruneWhile(equation, waits);
  const isWaiting = new Set(pick(equation.outputs, waits));
  return {
    known: [
      pruneWhile(
        equation,
        waits.map((flag) => !flag),
      ),
    ],
    unknown: [
      {
        ...rest,
        outputs: rest.outputs.map((output) => (isWaiting.has(output) ? output : newVariable(output.type))),
      },
    ],
  };
}
