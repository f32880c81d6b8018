// A function whose derivative keeps its inputs only: what else the way back needs, it computes again.
import type { Array } from "../core/array.js";
import { interpret } from "../core/interpret.js";
import type { Linearized, Partitioned, Primitive, Tangent } from "../core/primitive.js";
import { typesOf, variablesRead, type Equation, type Program } from "../core/program.js";
import { bind, bindOne, inline } from "../core/trace.js";
import { barrier } from "../primitives/barrier.js";
import { batchProgram } from "../transforms/batch.js";
import { jvpProgram } from "../transforms/jvp.js";
import { partitionProgram } from "../transforms/partition.js";
import { pruneProgram } from "../transforms/prune.js";
import { applyTranspose } from "../transforms/transpose.js";
import { pick, spread, unweave } from "./lists.js";

export interface CheckpointParams {
  readonly body: Program;
}

/** The body, as far as running it goes. `jit` writes it out before it compiles. */
export const checkpoint: Primitive<CheckpointParams> = {
  name: "checkpoint",
  infer: (_inputs, { body }) => typesOf(body.outputs),
  evaluate: (inputs, { body }) => interpret(body, inputs).map((result) => result.elements),
  jvp: jvpCheckpoint,
  transpose: transposeCheckpoint,
  batch(inputs, batched, { body }, size) {
    const { program, batched: flags } = batchProgram(body, batched, size);
    return { outputs: bind(checkpoint, inputs, { body: program }), batched: flags };
  },
  partition: partitionCheckpoint,
  prune: narrow,
  subPrograms: ({ body }) => [body],
  expand: ({ body }) => body,
};

function jvpCheckpoint(
  inputs: readonly Array[],
  tangents: readonly Tangent[],
  { body }: CheckpointParams,
): Linearized {
  const { program, moving } = jvpProgram(
    body,
    tangents.map((tangent) => tangent !== null),
  );
  const moved = tangents.filter((tangent) => tangent !== null);
  const { items, extras } = unweave(bind(checkpoint, [...inputs, ...moved], { body: program }), moving, []);
  return { outputs: items, tangents: extras };
}

/** The known part runs once for its results and once more, in the other part, for what that one needs of it. */
function partitionCheckpoint(equation: Equation, unknown: readonly boolean[]): Partitioned {
  const { body } = equation.params as CheckpointParams;
  const { unknownOutputs } = partitionProgram(body, unknown);
  return {
    known: [
      narrow(
        equation,
        unknownOutputs.map((flag) => !flag),
      ),
    ],
    unknown: [narrow(equation, unknownOutputs)],
  };
}

/** The equation with only some of its outputs, and the inputs that these need. */
function narrow(equation: Equation, used: readonly boolean[]): Equation {
  const { body } = equation.params as CheckpointParams;
  const pruned = pruneProgram({ ...body, outputs: pick(body.outputs, used) });
  const read = variablesRead(pruned);
  const kept = body.inputs.map((input) => read.has(input));
  return {
    ...equation,
    params: { body: { ...pruned, inputs: pick(body.inputs, kept) } } satisfies CheckpointParams,
    inputs: pick(equation.inputs, kept),
    outputs: pick(equation.outputs, used),
  };
}

function transposeCheckpoint(
  cotangents: readonly Tangent[],
  known: readonly (Array | null)[],
  _types: unknown,
  { body }: CheckpointParams,
): Tangent[] {
  const linear = known.map((value) => value === null);
  const parts = partitionProgram(body, linear, { unknown: body.outputs.map(() => true) });
  // Behind the barrier, the compiler cannot take the values of the first time for those of the second.
  const again = known.filter((value) => value !== null).map((value) => bindOne(barrier, [value], {}));
  const residuals = inline(parts.known, again);
  return spread(applyTranspose(parts.unknown, residuals, cotangents), linear);
}
