// What the specification of StableHLO says about the types of operations: a word about what is wrong, or null.
import { showTensor, type Region, type Tensor } from "./parse.js";

export interface Typed {
  readonly text: string;
  readonly operands: readonly Tensor[];
  readonly results: readonly Tensor[];
  readonly regions: readonly Region[];
  /** The types of what each region returns. */
  readonly returned: readonly (readonly Tensor[])[];
}

type ShapeRule = (typed: Typed) => string | null;

const same = (a: Tensor, b: Tensor): boolean => showTensor(a) === showTensor(b);
const sizeOf = (shape: readonly number[]): number => shape.reduce((product, extent) => product * extent, 1);
const wrong = (holds: boolean, words: string): string | null => (holds ? null : words);
const isShape = (tensor: Tensor, shape: readonly number[]): boolean => tensor.shape.join() === shape.join();

/** The numbers of `name = [1, 2]` or `name = array<i64: 1, 2>`; none where it is left out. */
function list(text: string, name: string): number[] {
  const found = new RegExp(`\\b${name} = (?:array<i64:? ?([^>]*)>|\\[([^\\]]*)\\])`).exec(text);
  const inside = found?.[1] ?? found?.[2] ?? "";
  return inside
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "")
    .map(Number);
}

const number = (text: string, name: string): number =>
  Number(new RegExp(`\\b${name} = (-?\\d+)`).exec(text)?.[1]);

/** All operands and the result have one type, of some elements. */
const elementwise =
  (count: number, elements: RegExp): ShapeRule =>
  ({ operands, results: [result] }) =>
    wrong(
      operands.length === count &&
        operands.every((operand) => same(operand, result)) &&
        elements.test(result.element),
      `${operands.map(showTensor).join(", ")} to ${showTensor(result)}`,
    );

const floats = /^f(32|64)$/;
const numbers = /^(?!i1$)/;
const signed = /^(f|i32)/;
const bits = /^[iu]/;

const scalar = (element: string): Tensor => ({ shape: [], element });

/** A region that makes one element of two. */
const combines = ({ regions, returned, operands: [x] }: Typed): boolean =>
  regions.length === 1 &&
  regions[0].inputs.every(({ type }) => same(type, scalar(x.element))) &&
  returned[0].length === 1 &&
  same(returned[0][0], scalar(x.element));

const moved: Record<string, ShapeRule> = {
  "stablehlo.constant": ({ text, results: [result] }) =>
    wrong(
      (/^ dense<>$/.test(text) && sizeOf(result.shape) === 0) ||
        (floats.test(result.element)
          ? /^ dense<(-?\d+\.\d+(e[-+]?\d+)?|0x[0-9A-F]{8}([0-9A-F]{8})?)>$/.test(text)
          : result.element === "i1"
            ? /^ dense<(true|false)>$/.test(text)
            : /^ dense<-?\d+>$/.test(text)),
      text,
    ),
  "stablehlo.iota": ({ text, results: [result] }) =>
    wrong(number(text, "dim") < result.shape.length && result.element !== "i1", text),
  "stablehlo.broadcast_in_dim": ({ text, operands: [x], results: [result] }) => {
    const dims = list(text, "dims");
    const fits = x.shape.every((extent, at) => extent === 1 || extent === result.shape[dims[at]]);
    return wrong(dims.length === x.shape.length && fits && x.element === result.element, text);
  },
  "stablehlo.reshape": ({ operands: [x], results: [result] }) =>
    wrong(sizeOf(x.shape) === sizeOf(result.shape) && x.element === result.element, "sizes differ"),
  "stablehlo.transpose": ({ text, operands: [x], results: [result] }) =>
    wrong(
      isShape(
        result,
        list(text, "dims").map((axis) => x.shape[axis]),
      ),
      text,
    ),
  "stablehlo.reverse": ({ operands: [x], results: [result] }) => wrong(same(x, result), "types differ"),
  "stablehlo.optimization_barrier": ({ operands: [x], results: [result] }) =>
    wrong(same(x, result), "types differ"),
  "stablehlo.slice": ({ text, operands: [x], results: [result] }) => {
    const ranges =
      /\[(.*)\]$/
        .exec(text)?.[1]
        .split(",")
        .map((range) => range.trim().split(":").map(Number)) ?? [];
    const used = ranges.filter((range) => range.length > 1);
    const isInside = used.every(([from, to], axis) => from >= 0 && from <= to && to <= x.shape[axis]);
    const shape = used.map(([from, to, step = 1]) => Math.ceil((to - from) / step));
    return wrong(used.length === x.shape.length && isInside && isShape(result, shape), text);
  },
  "stablehlo.pad": ({ text, operands: [x, value], results: [result] }) => {
    const [low, high, interior] = ["low", "high", "interior"].map((name) => list(text, name));
    const shape = x.shape.map(
      (extent, axis) => low[axis] + high[axis] + extent + Math.max(0, extent - 1) * interior[axis],
    );
    return wrong(isShape(result, shape) && same(value, scalar(x.element)), text);
  },
  "stablehlo.concatenate": ({ text, operands, results: [result] }) => {
    const dim = number(text, "dim");
    const total = operands.reduce((sum, { shape }) => sum + shape[dim], 0);
    const shape = operands[0].shape.map((extent, axis) => (axis === dim ? total : extent));
    const areAlike = operands.every(
      (one) => one.element === result.element && one.shape.length === shape.length,
    );
    return wrong(areAlike && isShape(result, shape), text);
  },
  "stablehlo.dynamic_slice": ({ text, operands: [x, ...starts], results: [result] }) => {
    const sizes = list(text, "sizes");
    const fits = sizes.every((extent, axis) => extent <= x.shape[axis]);
    const areScalars =
      starts.length === x.shape.length && starts.every((start) => same(start, scalar("i32")));
    return wrong(fits && areScalars && isShape(result, sizes), text);
  },
  "stablehlo.dynamic_update_slice": ({ operands: [x, update, ...starts], results: [result] }) => {
    const fits =
      update.shape.length === x.shape.length && update.shape.every((extent, at) => extent <= x.shape[at]);
    const areScalars =
      starts.length === x.shape.length && starts.every((start) => same(start, scalar("i32")));
    return wrong(
      fits && areScalars && same(x, result) && update.element === x.element,
      "the update does not fit",
    );
  },
  "stablehlo.gather": ({ text, operands: [x, indices], results: [result] }) => {
    const [offset, collapsed, batching, map, sizes] = [
      "offset_dims",
      "collapsed_slice_dims",
      "operand_batching_dims",
      "start_index_map",
      "slice_sizes",
    ].map((name) => list(text, name));
    const vector = number(text, "index_vector_dim");
    const gone = new Set([...collapsed, ...batching]);
    const kept = sizes.filter((_, axis) => !gone.has(axis));
    const batch = indices.shape.filter((_, axis) => axis !== vector);
    const shape = result.shape.map((_, axis) =>
      offset.includes(axis)
        ? kept[offset.indexOf(axis)]
        : batch[axis - offset.filter((one) => one < axis).length],
    );
    const isOne = [...gone].every((axis) => sizes[axis] === 1);
    const fits = sizes.length === x.shape.length && sizes.every((size, axis) => size <= x.shape[axis]);
    const count = vector === indices.shape.length ? 1 : indices.shape[vector];
    const areAll = map.length === count && offset.length === kept.length;
    return wrong(
      isOne &&
        fits &&
        areAll &&
        isShape(result, shape) &&
        result.shape.length === offset.length + batch.length,
      text,
    );
  },
  "stablehlo.scatter": (typed) => {
    const {
      text,
      operands: [x, indices, updates],
      results: [result],
    } = typed;
    const [windows, inserted, batching, map] = [
      "update_window_dims",
      "inserted_window_dims",
      "input_batching_dims",
      "scatter_dims_to_operand_dims",
    ].map((name) => list(text, name));
    const vector = number(text, "index_vector_dim");
    const kept = x.shape.filter((_, axis) => ![...inserted, ...batching].includes(axis));
    const places = indices.shape.filter((_, axis) => axis !== vector);
    const shape = updates.shape.map((_, axis) =>
      windows.includes(axis)
        ? kept[windows.indexOf(axis)]
        : places[axis - windows.filter((one) => one < axis).length],
    );
    const areAll = map.length === indices.shape[vector] && windows.length === kept.length;
    return wrong(combines(typed) && same(x, result) && areAll && isShape(updates, shape), text);
  },
};

const computed: Record<string, ShapeRule> = {
  ...Object.fromEntries(
    ["add", "subtract", "multiply", "divide", "remainder", "power", "maximum", "minimum"].map((name) => [
      `stablehlo.${name}`,
      elementwise(2, numbers),
    ]),
  ),
  ...Object.fromEntries(["and", "or", "xor"].map((name) => [`stablehlo.${name}`, elementwise(2, bits)])),
  ...Object.fromEntries(
    ["shift_left", "shift_right_logical", "shift_right_arithmetic"].map((name) => [
      `stablehlo.${name}`,
      elementwise(2, /^(ui|i32)/),
    ]),
  ),
  ...Object.fromEntries(
    [
      ...["ceil", "floor", "round_nearest_even", "sqrt", "exponential", "exponential_minus_one", "log"],
      ...["log_plus_one", "logistic", "tanh", "sine", "cosine"],
    ].map((name) => [`stablehlo.${name}`, elementwise(1, floats)]),
  ),
  "stablehlo.atan2": elementwise(2, floats),
  "stablehlo.negate": elementwise(1, numbers),
  "stablehlo.not": elementwise(1, bits),
  "stablehlo.abs": elementwise(1, signed),
  "stablehlo.sign": elementwise(1, signed),
  "stablehlo.is_finite": ({ operands: [x], results: [result] }) =>
    wrong(isShape(result, x.shape) && result.element === "i1" && floats.test(x.element), "no flags"),
  "stablehlo.compare": ({ text, operands: [x, y], results: [result] }) => {
    const kind = x.element.startsWith("f") ? "FLOAT" : x.element === "i32" ? "SIGNED" : "UNSIGNED";
    return wrong(
      same(x, y) && isShape(result, x.shape) && result.element === "i1" && text.endsWith(`, ${kind}`),
      text,
    );
  },
  "stablehlo.select": ({ operands: [predicate, x, y], results: [result] }) =>
    wrong(
      predicate.element === "i1" &&
        (predicate.shape.length === 0 || isShape(predicate, x.shape)) &&
        same(x, y) &&
        same(x, result),
      [predicate, x, y].map(showTensor).join(", "),
    ),
  "stablehlo.convert": ({ operands: [x], results: [result] }) =>
    wrong(isShape(result, x.shape), "shapes differ"),
  "stablehlo.bitcast_convert": ({ operands: [x], results: [result] }) => {
    const width = ({ element }: Tensor) => /\d+$/.exec(element)?.[0];
    return wrong(isShape(result, x.shape) && width(x) === width(result), "widths differ");
  },
  "stablehlo.dot_general": ({ text, operands: [x, y], results: [result] }) => {
    const pair = (name: string): number[][] =>
      new RegExp(`${name} = \\[([^\\]]*)\\] x \\[([^\\]]*)\\]`)
        .exec(text)
        ?.slice(1)
        .map((part) =>
          part
            .split(",")
            .filter((one) => one.trim() !== "")
            .map(Number),
        ) ?? [[], []];
    const [batch, contract] = [pair("batching_dims"), pair("contracting_dims")];
    const free = ({ shape }: Tensor, side: number) =>
      shape.filter((_, axis) => ![...batch[side], ...contract[side]].includes(axis));
    const agree = [batch, contract].every(([left, right]) =>
      left.every((axis, at) => x.shape[axis] === y.shape[right[at]]),
    );
    const shape = [...batch[0].map((axis) => x.shape[axis]), ...free(x, 0), ...free(y, 1)];
    return wrong(agree && isShape(result, shape) && x.element === y.element && numbers.test(x.element), text);
  },
  "stablehlo.reduce": (typed) => {
    const { text, operands, results, regions, returned } = typed;
    const count = operands.length / 2;
    const axes = list(text, "dimensions");
    const isReduced = results.every((result, at) => {
      const x = operands[at];
      const kept = x.shape.filter((_, axis) => !axes.includes(axis));
      return (
        isShape(result, kept) && x.element === result.element && same(operands[count + at], scalar(x.element))
      );
    });
    const types = results.map(({ element }) => showTensor(scalar(element))).join();
    const isRight =
      regions.length === 0
        ? / applies stablehlo\.(add|maximum|minimum|and|or) across /.test(text)
        : returned[0].map(showTensor).join() === types;
    return wrong(isReduced && isRight, text);
  },
  "stablehlo.sort": ({ operands, results, returned }) =>
    wrong(
      operands.every((operand, at) => same(operand, results[at])) &&
        returned[0].map(showTensor).join() === "tensor<i1>",
      "no order",
    ),
};

const flowing: Record<string, ShapeRule> = {
  "stablehlo.while": ({ operands, results, returned: [test, body] }) =>
    wrong(
      test.map(showTensor).join() === "tensor<i1>" &&
        body.map(showTensor).join() === results.map(showTensor).join() &&
        operands.map(showTensor).join() === results.map(showTensor).join(),
      "what is carried changes its type",
    ),
  "stablehlo.case": ({ operands: [index], results, returned }) =>
    wrong(
      same(index, scalar("i32")) &&
        returned.every((one) => one.map(showTensor).join() === results.map(showTensor).join()),
      "branches return other types",
    ),
};

const together: Record<string, ShapeRule> = {
  "stablehlo.all_reduce": (typed) =>
    wrong(combines(typed) && same(typed.operands[0], typed.results[0]), "types differ"),
  "stablehlo.reduce_scatter": (typed) => wrong(combines(typed), "no sum"),
  "stablehlo.all_gather": ({ text, operands: [x], results: [result] }) =>
    wrong(
      x.shape.every(
        (extent, axis) => axis === number(text, "all_gather_dim") || extent === result.shape[axis],
      ),
      text,
    ),
  "stablehlo.all_to_all": ({ operands: [x], results: [result] }) =>
    wrong(sizeOf(x.shape) === sizeOf(result.shape), "sizes differ"),
  "stablehlo.collective_permute": ({ operands: [x], results: [result] }) =>
    wrong(same(x, result), "types differ"),
  "stablehlo.partition_id": ({ results: [result] }) => wrong(same(result, scalar("ui32")), "no number"),
  "stablehlo.custom_call": ({ text, operands: [x], results: [result] }) =>
    wrong(
      /^ @(Sharding|SPMDFullToShardShape|SPMDShardToFullShape)\(%\w+(#\d+)?\) \{mhlo\.sharding = "\{.*\}"\}$/.test(
        text,
      ) && x.element === result.element,
      text,
    ),
};

export const shapeRules: Readonly<Record<string, ShapeRule | undefined>> = {
  ...moved,
  ...computed,
  ...flowing,
  ...together,
};
