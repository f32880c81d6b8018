// A function with derivative rules of its own: a Program to run, and beside it the rules for the transforms.
import type { Array } from "../core/array.js";
import { interpret } from "../core/interpret.js";
import { keepAxes, otherAxes } from "../core/namedAxes.js";
import type { Batched, Linearized, Primitive, Tangent } from "../core/primitive.js";
import { typesOf, type Program } from "../core/program.js";
import { bind, inline, traceClosed } from "../core/trace.js";
import { reduceSum } from "../primitives/reduce.js";
import { batchProgram, batchType } from "../transforms/batch.js";
import type { JvpProgram } from "../transforms/jvp.js";
import { instantiate } from "../primitives/linear.js";
import { pick, spread, unweave } from "./lists.js";

export interface CallParams {
  readonly name: string;
  readonly body: Program;
  /** The derivative as a program, given which inputs have tangents; see `jvpProgram`. */
  readonly derive: (active: readonly boolean[]) => JvpProgram;
  /**
   * For functions that are linear in some inputs: given which, the program from the other inputs and the cotangents
   * of all outputs to the cotangents of the linear inputs.
   */
  readonly transposed?: (linear: readonly boolean[]) => Program;
  /** The named axes that the rules may work along, whether the body does or not. */
  readonly axes?: readonly string[];
}

/** The body, as far as running it goes. `jit` writes it out before it compiles. */
export const call: Primitive<CallParams> = {
  name: "call",
  infer: (_inputs, { body }) => typesOf(body.outputs),
  evaluate: (inputs, { body }) => interpret(body, inputs).map((result) => result.elements),
  jvp: jvpCall,
  transpose(cotangents, known, _types, { body, name, transposed }) {
    if (transposed === undefined) {
      throw new Error(`${name} in a linear program has no transpose rule; this is a bug in vibe-rl`);
    }
    const linear = known.map((value) => value === null);
    const cts = body.outputs.map(({ type }, index) => instantiate(cotangents[index] ?? null, type));
    const values = known.filter((value) => value !== null);
    return spread(inline(transposed(linear), [...values, ...cts]), linear);
  },
  batch: batchCall,
  subPrograms: ({ body }) => [body],
  expand: ({ body }) => body,
  axes: ({ axes = [] }) => axes,
};

function jvpCall(inputs: readonly Array[], tangents: readonly Tangent[], params: CallParams): Linearized {
  const active = tangents.map((tangent) => tangent !== null);
  if (!active.includes(true)) {
    const outputs = bind(call, inputs, params);
    return { outputs, tangents: outputs.map(() => null) };
  }
  const { program, moving } = params.derive(active);
  const results = inline(program, [...inputs, ...tangents.filter((tangent) => tangent !== null)]);
  const { items, extras } = unweave(results, moving, []);
  return { outputs: items, tangents: extras };
}

function batchCall(
  inputs: readonly Array[],
  batched: readonly boolean[],
  params: CallParams,
  size: number,
): Batched {
  const { body, derive, transposed } = params;
  const later = keepAxes();
  const outputs = bind(call, inputs, {
    ...params,
    body: batchAll(body, batched, size),
    derive: (active) =>
      later(() => {
        const { program, moving } = derive(active);
        return { program: batchAll(program, [...batched, ...pick(batched, active)], size), moving };
      }),
    ...(transposed && {
      transposed: (linear) => later(() => batchTransposed(transposed(linear), linear, batched, size)),
    }),
    axes: otherAxes(params.axes),
  });
  return { outputs, batched: outputs.map(() => true) };
}

/** A program over a batch, all of whose results have the batch axis. */
export const batchAll = (program: Program, batched: readonly boolean[], size: number): Program =>
  batchProgram(
    program,
    batched,
    size,
    program.outputs.map(() => true),
  ).program;

/** The way back from a batch: the cotangents of what its examples share are summed. */
function batchTransposed(
  program: Program,
  linear: readonly boolean[],
  batched: readonly boolean[],
  size: number,
): Program {
  const known = pick(batched, linear, false);
  const flags = program.inputs.map((_, index) => known[index] ?? true);
  const whole = batchAll(program, flags, size);
  const isOwn = pick(batched, linear);
  return traceClosed(
    typesOf(program.inputs).map((type, index) => (flags[index] ? batchType(type, size) : type)),
    (inputs) =>
      inline(whole, inputs).map((cotangent, index) =>
        isOwn[index] ? cotangent : bind(reduceSum, [cotangent], { axes: [0] })[0],
      ),
  );
}
