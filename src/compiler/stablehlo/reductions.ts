// Many elements of some axes to one.
import type { ArgReduceParams, ReduceParams } from "../../array/index.js";
import { isFloating, one, rules } from "./rule.js";
import { showNumbers, tensor, type Element } from "./types.js";
import type { Value, Writer } from "./writer.js";

const extremes: Readonly<Record<Element, readonly [smallest: number, largest: number]>> = {
  bool: [0, 1],
  uint8: [0, 255],
  uint32: [0, 0xffffffff],
  uint64: [0, 2 ** 64],
  int32: [-0x80000000, 0x7fffffff],
  float32: [-Infinity, Infinity],
  float64: [-Infinity, Infinity],
};

const reduction = (name: "add" | "maximum" | "minimum") =>
  one((writer, [x], { params }) => {
    const { axes } = params as ReduceParams;
    const ofFlags = { add: "or", maximum: "or", minimum: "and" }[name];
    const first = name === "add" ? 0 : extremes[x.dtype][name === "maximum" ? 0 : 1];
    return writer.reduce(x.dtype === "bool" ? ofFlags : name, x, axes, writer.constant(first, x.dtype));
  });

/** The place of the first largest or smallest element along an axis; NaN is beyond all numbers. */
const position = (isLargest: boolean) =>
  one((writer, [x], { params }) => {
    const { axis } = params as ArgReduceParams;
    const places = writer.iota(x.shape, axis);
    const worst = writer.constant(extremes[x.dtype][isLargest ? 0 : 1], x.dtype);
    const shape = x.shape.filter((_, other) => other !== axis);
    const [value, index] = [tensor([], x.dtype), tensor([], "int32")];
    const [, found] = writer.regions(
      "reduce",
      [x, places, worst, writer.constant(0, "int32")],
      `dimensions = ${showNumbers([axis])}`,
      [tensor(shape, x.dtype), tensor(shape, "int32")],
      [
        {
          arguments: [value, index, value, index],
          write: ([a, at, b, bt]) => {
            const isFirst = beats(writer, isLargest, [a, at], [b, bt]);
            return [writer.select(isFirst, a, b), writer.select(isFirst, at, bt)];
          },
        },
      ],
    );
    return found;
  });

type Candidate = readonly [value: Value, place: Value];

/** Whether one of two elements comes first; the same whichever of them is asked about first. */
function beats(writer: Writer, isLargest: boolean, [a, at]: Candidate, [b, bt]: Candidate): Value {
  const isBetter = writer.compare(isLargest ? "GT" : "LT", a, b);
  const isEqual = writer.compare("EQ", a, b);
  const isEarlier = writer.compare("LT", at, bt);
  const and = (x: Value, y: Value) => writer.elementwise("and", [x, y]);
  const or = (x: Value, y: Value) => writer.elementwise("or", [x, y]);
  if (!isFloating(a.dtype)) return or(isBetter, and(isEqual, isEarlier));
  const [aIsNaN, bIsNumber] = [writer.compare("NE", a, a), writer.compare("EQ", b, b)];
  const bIsNaN = writer.compare("NE", b, b);
  const isTied = or(isEqual, and(aIsNaN, bIsNaN));
  return or(or(isBetter, and(aIsNaN, bIsNumber)), and(isTied, isEarlier));
}

export const reductions = rules({
  reduceSum: reduction("add"),
  reduceMax: reduction("maximum"),
  reduceMin: reduction("minimum"),
  argMax: position(true),
  argMin: position(false),
});
