// Primitives that reduce axes. Few elements are combined where the result is used; else a loop runs over them.
import {
  sizeOf,
  type ArgReduceParams,
  type Atom,
  type Equation,
  type ReduceParams,
} from "../../array/index.js";
import { everyIndex, type Index } from "../fuse/expressions.js";
import type { Lowering } from "../fuse/lower.js";
import type { Expression, Reduce } from "../kernel.js";
import { entry, smallExtent, type PrimitiveEntry, type Written } from "./entry.js";

/** The elements of an operand that come to one element of the result. */
function elementsOf(
  lowering: Lowering,
  x: Atom,
  axes: readonly number[],
  indices: readonly Index[],
): Expression[] {
  return [...everyIndex(axes.map((axis) => x.type.shape[axis]))].map((reduced) => {
    let next = 0;
    return lowering.at(
      x,
      x.type.shape.map((_, axis) => (axes.includes(axis) ? reduced[axes.indexOf(axis)] : indices[next++])),
    );
  });
}

const ofFlags = { sum: "or", max: "or", min: "and" } as const;

const writtenOut =
  (operation: "sum" | "max" | "min"): Written =>
  (lowering, { inputs: [x], params }, indices) => {
    const { dtype } = x.type;
    const elements = elementsOf(lowering, x, (params as ReduceParams).axes, indices);
    // Of nothing, all are true; other smallest and largest values do not exist.
    if (elements.length === 0) return lowering.build.constant(operation === "min" ? 1 : 0, dtype);
    if (dtype === "float32" && operation !== "sum") return extremum(lowering, operation, elements);
    const name = dtype === "bool" ? ofFlags[operation] : operation === "sum" ? "add" : operation;
    return elements.reduce((total, element) => lowering.operation(name, dtype, [total, element]));
  };

/** The largest or smallest of some floats, NaN if there is one: cheaper than asking for NaN at every step. */
function extremum(lowering: Lowering, operation: "max" | "min", elements: readonly Expression[]): Expression {
  const [first] = elements;
  if (elements.length === 1) return first;
  const isNaN = elements.map((element) => lowering.operation("notEqual", "bool", [element, element]));
  const anyNaN = isNaN.reduce((any, one) => lowering.operation("or", "bool", [any, one]));
  const best = elements.reduce((a, b) => lowering.operation(`${operation}Number`, first.dtype, [a, b]));
  return lowering.operation("select", first.dtype, [anyNaN, lowering.build.constant(NaN, first.dtype), best]);
}

const positionWrittenOut =
  (isLargest: boolean): Written =>
  (lowering, { inputs: [x], params }, indices) => {
    const elements = elementsOf(lowering, x, [(params as ArgReduceParams).axis], indices);
    let [best] = elements;
    let position = lowering.int(0);
    for (let at = 1; at < elements.length; at++) {
      const element = elements[at];
      const beats = lowering.operation("less", "bool", isLargest ? [best, element] : [element, best]);
      // The first NaN wins against every number.
      const isNaN = lowering.operation("notEqual", "bool", [element, element]);
      const bestIsNumber = lowering.operation("equal", "bool", [best, best]);
      const wins =
        x.type.dtype === "float32"
          ? lowering.operation("or", "bool", [beats, lowering.both(isNaN, bestIsNumber)])
          : beats;
      best = lowering.operation("select", best.dtype, [wins, element, best]);
      position = lowering.operation("select", "int32", [wins, lowering.int(at), position]);
    }
    return position;
  };

const reduction = (
  operation: Reduce,
  axes: (equation: Equation) => readonly number[],
  written: Written,
): PrimitiveEntry =>
  entry({
    repeats: smallExtent / 2,
    written,
    isInlineable: (equation) =>
      sizeOf(axes(equation).map((axis) => equation.inputs[0].type.shape[axis])) <= smallExtent,
    form: { kind: "reduction", operation, axes },
  });

const axesOf = ({ params }: Equation): readonly number[] => (params as ReduceParams).axes;
const axisOf = ({ params }: Equation): readonly number[] => [(params as ArgReduceParams).axis];

export const reductions = {
  reduceSum: reduction("sum", axesOf, writtenOut("sum")),
  reduceMax: reduction("max", axesOf, writtenOut("max")),
  reduceMin: reduction("min", axesOf, writtenOut("min")),
  argMax: reduction("argMax", axisOf, positionWrittenOut(true)),
  argMin: reduction("argMin", axisOf, positionWrittenOut(false)),
} satisfies Record<string, PrimitiveEntry>;
