// Loops and branches. What their bodies only read is seen from inside, and is no part of what a loop carries.
import {
  hasEffect,
  type CondParams,
  type Equation,
  type Program,
  type ScanParams,
  type WhileParams,
} from "../../array/index.js";
import { rules, type Context, type Rule } from "./rule.js";
import { showList, tensor, tensorOf } from "./types.js";
import type { Value, Writer } from "./writer.js";

/** Equations with bodies that print carry the log along. */
const logOf = ({ log }: Context, equation: Equation): readonly Value[] =>
  hasEffect(equation) ? log.state : [];

/** The equations of a body, which go on with a log where one is carried; returns its outputs, then the log. */
function writeBody(
  context: Context,
  program: Program,
  inputs: readonly Value[],
  log: readonly Value[],
): Value[] {
  if (log.length === 0) return context.inline(context, program, inputs);
  context.log.state = log;
  return [...context.inline(context, program, inputs), ...context.log.state];
}

/** The results of an equation, without the log, which the program goes on with. */
function takeLog(context: Context, results: readonly Value[], count: number): readonly Value[] {
  if (results.length > count) context.log.state = results.slice(count);
  return results.slice(0, count);
}

const scan: Rule = (context, equation, operands) => {
  const { writer } = context;
  const { body, constants, carries, length, reverse } = equation.params as ScanParams;
  const shared = operands.slice(0, constants);
  const initial = operands.slice(constants, constants + carries);
  const stacked = operands.slice(constants + carries);
  const results = equation.outputs.slice(carries).map(({ type }) => tensorOf(type));
  const empty = results.map(({ shape, dtype }) => writer.constant(0, dtype, shape));
  if (length === 0) return [...initial, ...empty];
  const log = logOf(context, equation);
  const counter = writer.constant(0, "int32");
  const after = writer.while(
    [counter, ...initial, ...empty, ...log],
    ([iteration]) => writer.compare("LT", iteration, writer.constant(length, "int32")),
    ([iteration, ...carried]) => {
      const row = reverse
        ? writer.elementwise("subtract", [writer.constant(length - 1, "int32"), iteration])
        : iteration;
      const inputs = [...shared, ...carried.slice(0, carries), ...stacked.map((x) => rowOf(writer, x, row))];
      const values = writeBody(context, body, inputs, carried.slice(equation.outputs.length));
      const filled = values
        .slice(carries, body.outputs.length)
        .map((value, at) => putRow(writer, carried[carries + at], value, row));
      const next = writer.elementwise("add", [iteration, writer.constant(1, "int32")]);
      return [next, ...values.slice(0, carries), ...filled, ...values.slice(body.outputs.length)];
    },
  );
  return takeLog(context, after.slice(1), equation.outputs.length);
};

const startsAt = (writer: Writer, row: Value, rank: number): Value[] => [
  row,
  ...Array.from({ length: rank - 1 }, () => writer.constant(0, "int32")),
];

/** One slice along the first axis. */
function rowOf(writer: Writer, x: Value, row: Value): Value {
  const rest = x.shape.slice(1);
  if (x.splat !== undefined) return writer.constant(x.splat, x.dtype, rest);
  const sizes = [1, ...rest];
  const starts = startsAt(writer, row, sizes.length);
  const slice = writer.op(
    "dynamic_slice",
    [x, ...starts],
    tensor(sizes, x.dtype),
    `sizes = ${showList(sizes)}`,
  );
  return writer.reshape(slice, rest);
}

function putRow(writer: Writer, x: Value, value: Value, row: Value): Value {
  const slice = writer.reshape(value, [1, ...value.shape]);
  return writer.op(
    "dynamic_update_slice",
    [x, slice, ...startsAt(writer, row, x.shape.length)],
    tensor(x.shape, x.dtype),
  );
}

const whileLoop: Rule = (context, equation, operands) => {
  const { test, body, testConstants, bodyConstants } = equation.params as WhileParams;
  const ofTest = operands.slice(0, testConstants);
  const ofBody = operands.slice(testConstants, testConstants + bodyConstants);
  const initial = operands.slice(testConstants + bodyConstants);
  const count = initial.length;
  const log = logOf(context, equation);
  if (test.equations.some(hasEffect)) {
    // The test of a loop returns one flag, and no log: it is made with what the loop carries, and carried along.
    const tested = (carry: readonly Value[], before: readonly Value[]): Value[] => {
      const [goesOn, ...next] = writeBody(context, test, [...ofTest, ...carry], before);
      return [...carry, ...next, goesOn];
    };
    const after = context.writer.while(
      tested(initial, log),
      (carried) => carried[carried.length - 1],
      (carried) => {
        const values = writeBody(
          context,
          body,
          [...ofBody, ...carried.slice(0, count)],
          carried.slice(count, -1),
        );
        return tested(values.slice(0, count), values.slice(count));
      },
    );
    return takeLog(context, after.slice(0, -1), count);
  }
  const after = context.writer.while(
    [...initial, ...log],
    (carried) => context.inline(context, test, [...ofTest, ...carried.slice(0, count)])[0],
    (carried) => writeBody(context, body, [...ofBody, ...carried.slice(0, count)], carried.slice(count)),
  );
  return takeLog(context, after, count);
};

const cond: Rule = (context, equation, [index, ...operands]) => {
  const { writer } = context;
  const { branches } = equation.params as CondParams;
  const log = logOf(context, equation);
  const types = [...equation.outputs.map(({ type }) => tensorOf(type)), ...log];
  if (types.length === 0) return [];
  // An index that is too large means the last branch, and so does a negative one to XLA, but not to us.
  const chosen = writer.elementwise("maximum", [writer.convert(index, "int32"), writer.constant(0, "int32")]);
  const results = writer.regions(
    "case",
    [chosen],
    "",
    types,
    branches.map((branch) => ({
      arguments: [],
      write: () => writeBody(context, branch, operands, log),
    })),
  );
  return takeLog(context, results, equation.outputs.length);
};

export const control = rules({ scan, while: whileLoop, cond });
