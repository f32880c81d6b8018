// Recording: while a Trace is active every operation becomes an equation instead of being computed.
import { Array, failLeaked, type Concrete } from "./array.js";
import { evaluatePrimitive, literalArray, walk } from "./interpret.js";
import type { Primitive } from "./primitive.js";
import { newLiteral, newVariable, type Atom, type Equation, type Program, type Variable } from "./program.js";
import type { ArrayType } from "./type.js";
import { constantArray } from "../primitives/constant.js";
import { fail } from "./errors.js";
import { callBack, captureStack } from "./userCode.js";

/** The recording of one function. Traces nest: a loop body is recorded inside the function around it. */
export class Trace {
  readonly equations: Equation[] = [];
  /** Values from outside, by the variable that stands for each in here. */
  readonly captures = new Map<Array | Variable, { readonly outside: Array; readonly inside: Variable }>();
  /** Where the user asked for the trace; for the message about a leaked value. */
  readonly origin = captureStack();
  finished = false;

  constructor(
    /** What is being traced, as in `jit(loss)`. */
    readonly name: string,
  ) {}

  /** The atom that stands for an array inside this trace. */
  atom(array: Array, operation: string): Atom {
    const { tracer } = array;
    if (tracer?.trace === this) return tracer.variable;
    if (tracer?.trace.finished === true) failLeaked(array, operation);
    if (tracer === null && array.ndim === 0) {
      return newLiteral((array.elements as ArrayLike<number>)[0], array.type);
    }
    const identity = tracer?.variable ?? array;
    let capture = this.captures.get(identity);
    if (capture === undefined) {
      capture = { outside: array, inside: newVariable(array.type) };
      this.captures.set(identity, capture);
    }
    return capture.inside;
  }
}

let current: Trace | null = null;

/** Whether operations are being recorded now. */
export const isTracing = (): boolean => current !== null;

// The origin of the equation that a transform is working on, for what it records in its stead.
let replayed: Error | null = null;

/** Does a transform's work on an equation; what it records keeps the equation's place in the user's code. */
export function replaying<T>(equation: Equation, work: () => T): T {
  if (equation.origin === null) return work();
  const outer = replayed;
  replayed = equation.origin;
  try {
    return work();
  } finally {
    replayed = outer;
  }
}

/** Applies a primitive: records an equation while tracing, computes at once otherwise. */
export function bind<P extends object>(
  primitive: Primitive<P>,
  inputs: readonly Array[],
  params: P,
): Array[] {
  const trace = current;
  if (trace === null) {
    for (const input of inputs) {
      if (input.tracer !== null) failLeaked(input, primitive.name);
    }
    const types = primitive.infer(
      inputs.map((input) => input.type),
      params,
    );
    return evaluatePrimitive(primitive, inputs as readonly Concrete[], params, types);
  }
  const atoms = inputs.map((input) => trace.atom(input, primitive.name));
  const types = primitive.infer(
    inputs.map((input) => input.type),
    params,
  );
  const outputs = types.map(newVariable);
  const origin = primitive.refusable === true ? (replayed ?? captureStack()) : null;
  trace.equations.push({ primitive: primitive, inputs: atoms, params, outputs, origin });
  return outputs.map((variable) => new Array(variable.type, null, { trace, variable }));
}

/** `bind` for primitives with a single result. */
export const bindOne = <P extends object>(
  primitive: Primitive<P>,
  inputs: readonly Array[],
  params: P,
): Array => bind(primitive, inputs, params)[0];

/** A recorded function. The program's first inputs are the values it captured from outside. */
export interface TracedProgram {
  readonly program: Program;
  readonly captures: readonly Array[];
}

/** Records `f` applied to inputs of the given types. */
export function traceProgram(
  name: string,
  types: readonly ArrayType[],
  f: (inputs: Array[]) => readonly Array[],
): TracedProgram {
  const trace = new Trace(name);
  const inputs = types.map(newVariable);
  const outer = current;
  current = trace;
  try {
    const traced = inputs.map((variable) => new Array(variable.type, null, { trace, variable }));
    const results = callBack(() => f(traced));
    const outputs = results.map((result) => trace.atom(result, name));
    const captures = [...trace.captures.values()];
    return {
      program: {
        inputs: [...captures.map((capture) => capture.inside), ...inputs],
        equations: trace.equations,
        outputs,
      },
      captures: captures.map((capture) => capture.outside),
    };
  } finally {
    current = outer;
    trace.finished = true;
  }
}

/**
 * Records a function as a program of its own, such as a transform of another: arrays that it refers to from outside
 * become constants in it. What another trace has yet to compute is refused.
 */
export function traceClosed(
  types: readonly ArrayType[],
  f: (inputs: Array[]) => readonly Array[],
  name = "a transformed program",
): Program {
  const { program, captures } = traceProgram(name, types, f);
  if (captures.length === 0) return program;
  const constants = captures.map((value, index): Equation => {
    if (value.elements === null) {
      fail(
        name,
        `it refers to ${value.toString()} of ${value.tracer?.trace.name ?? "a trace"} around it, which its program ` +
          `cannot hold; make that an argument`,
      );
    }
    const params = { value: value as Concrete };
    return {
      primitive: constantArray,
      inputs: [],
      params,
      outputs: [program.inputs[index]],
      origin: null,
    };
  });
  return {
    inputs: program.inputs.slice(captures.length),
    equations: [...constants, ...program.equations],
    outputs: program.outputs,
  };
}

/** Applies a program as if its equations had been written here: recorded while tracing, computed otherwise. */
export const inline = (program: Program, inputs: readonly Array[]): Array[] =>
  walk<Array>(program, inputs, literalArray, (equation, operands) =>
    replaying(equation, () => bind(equation.primitive, operands, equation.params)),
  );
