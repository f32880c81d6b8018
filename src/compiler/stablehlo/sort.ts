// Sorting: keys ascend, NaN comes last, equal keys keep their order.
import type { SortParams } from "../../array/index.js";
import { isFloating, rules } from "./rule.js";
import { tensor } from "./types.js";
import type { Value, Writer } from "./writer.js";

/** Whether a key comes before another one. */
function isBefore(writer: Writer, a: Value, b: Value): Value {
  const isLess = writer.compare("LT", a, b);
  if (!isFloating(a.dtype)) return isLess;
  const beforeNaN = writer.elementwise("and", [writer.compare("EQ", a, a), writer.compare("NE", b, b)]);
  return writer.elementwise("or", [isLess, beforeNaN]);
}

/** The first key decides, then the next one where neither comes first. */
function inOrder(writer: Writer, keys: readonly (readonly [Value, Value])[]): Value {
  const [[a, b], ...rest] = keys;
  const first = isBefore(writer, a, b);
  if (rest.length === 0) return first;
  const isTied = writer.elementwise("not", [writer.elementwise("or", [first, isBefore(writer, b, a)])]);
  return writer.elementwise("or", [first, writer.elementwise("and", [isTied, inOrder(writer, rest)])]);
}

export const sorting = rules({
  sort: ({ writer }, { params }, operands) => {
    const { axis, keys } = params as SortParams;
    const types = operands.map(({ shape, dtype }) => tensor(shape, dtype));
    if (types[0].shape.includes(0)) return operands;
    return writer.regions("sort", operands, `dimension = ${axis} : i64, is_stable = true`, types, [
      {
        arguments: operands.flatMap(({ dtype }) => [tensor([], dtype), tensor([], dtype)]),
        write: (given) => {
          const pairs = operands
            .slice(0, keys)
            .map((_, key) => [given[2 * key], given[2 * key + 1]] as const);
          return [inOrder(writer, pairs)];
        },
      },
    ]);
  },
});
