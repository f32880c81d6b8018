// Einstein's summation convention: products described by naming axes.
import { markEntry } from "../core/userCode.js";
import { type Array, type ArrayLike } from "../core/array.js";
import { promote } from "../core/coerce.js";
import { describe, fail } from "../core/errors.js";
import { range, showShape } from "../core/shape.js";
import { bindOne } from "../core/trace.js";
import { showType } from "../core/type.js";
import { dot } from "../primitives/dot.js";
import { iota } from "../primitives/iota.js";
import { permute } from "../primitives/reshape.js";
import { where } from "./elementwise.js";

interface Term {
  readonly array: Array;
  /** One letter per axis. */
  readonly axes: readonly string[];
}

type EinsumArguments =
  | readonly [subscripts: string, ...operands: ArrayLike[]]
  // The types of a list that alternates cannot be written; what is odd is refused when it is read.
  | readonly [
      operand: ArrayLike,
      axes: readonly (number | "...")[],
      ...more: (ArrayLike | readonly (number | "...")[])[],
    ];

/** The form `einsum(x, [0, 1], y, [1, 2], [0, 2])` as a text and its operands. */
function fromLists(args: readonly unknown[]): [subscripts: string, operands: unknown[]] {
  const operands: unknown[] = [];
  const terms: string[] = [];
  const pairs = Math.floor(args.length / 2);
  for (let at = 0; at < pairs; at++) {
    operands.push(args[2 * at]);
    terms.push(lettersOf(args[2 * at + 1]));
  }
  if (pairs === 0) fail("einsum", `needs a text such as "ij,jk->ik", got ${describe(args[0])}`);
  const output = args.length % 2 === 1 ? `->${lettersOf(args[args.length - 1])}` : "";
  return [terms.join(",") + output, operands];
}

/** Axes numbered 0 … 51 as letters, in the order of the alphabet: that of the result, if it is not given. */
function lettersOf(axes: unknown): string {
  if (!globalThis.Array.isArray(axes)) {
    fail("einsum", `needs a list of axes such as [0, 1] behind each operand, got ${describe(axes)}`);
  }
  return (axes as unknown[])
    .map((axis) => {
      if (axis === "...") return "...";
      if (typeof axis !== "number" || !Number.isInteger(axis) || axis < 0 || axis >= 52) {
        fail("einsum", `an axis must be a whole number from 0 to 51 or "...", got ${describe(axis)}`);
      }
      return String.fromCharCode(axis < 26 ? 65 + axis : 97 + axis - 26);
    })
    .join("");
}

/** `einsum("bij,bjk->bik", x, y)`, or with lists `einsum(x, [0, 1], y, [1, 2], [0, 2])`: axes with the same letter run together, those not in the result are summed. */
export const einsum = markEntry((...args: EinsumArguments): Array => {
  const [subscripts, operands] = typeof args[0] === "string" ? [args[0], args.slice(1)] : fromLists(args);
  const arrays = promote("einsum", operands as readonly ArrayLike[]);
  const { inputs, output } = parse(subscripts, arrays);
  const extents = commonExtents(subscripts, inputs, arrays);
  let terms = inputs.map((axes, index) =>
    dropUnitAxes(takeDiagonals({ array: arrays[index], axes }), extents),
  );
  while (terms.length > 1) {
    const [first, second, ...rest] = terms as [Term, Term, ...Term[]];
    const needed = new Set([...output, ...rest.flatMap((term) => term.axes)]);
    terms = [contractPair(first, second, needed), ...rest];
  }
  const [last] = terms as [Term];
  const result = sumAway(last, new Set(output));
  const present = output.filter((axis) => result.axes.includes(axis));
  const ordered = permute(
    result.array,
    present.map((axis) => result.axes.indexOf(axis)),
  );
  // An axis that had extent 1 everywhere was dropped; the result still has it.
  return ordered.reshape(output.map((axis) => (result.axes.includes(axis) ? (extents.get(axis) ?? 1) : 1)));
}, "np.einsum");

function parse(subscripts: string, arrays: readonly Array[]): { inputs: string[][]; output: string[] } {
  const [left, right, ...more] = subscripts.replaceAll(" ", "").split("->");
  const names = left.split(",");
  if (more.length > 0 || names.length !== arrays.length) {
    fail("einsum", `"${subscripts}" names ${names.length} operands, got ${arrays.length}`);
  }
  const term = /^[A-Za-z]*(?:\.\.\.)?[A-Za-z]*$/;
  if (!names.every((name) => term.test(name)) || !term.test(right ?? "")) {
    fail("einsum", `"${subscripts}" may hold letters, commas, "..." and one "->" only`);
  }
  // The axes behind "..." get names of their own, counted from the back so that they broadcast.
  const spread = names.map((name, index) => {
    const named = name.replace("...", "").length;
    return name.includes("...") ? arrays[index].ndim - named : 0;
  });
  const dots = Math.max(0, ...spread);
  const ellipsis = (count: number) => range(count, dots - count).map((at) => `…${at}`);
  const axesOf = (name: string, count: number) =>
    name.split("...").flatMap((letters, part) => [...(part === 1 ? ellipsis(count) : []), ...letters]);
  const inputs = names.map((name, index) => axesOf(name, spread[index]));
  inputs.forEach((axes, index) => {
    const { type, ndim } = arrays[index];
    if (axes.length !== ndim) {
      fail(
        "einsum",
        `"${names[index]}" names ${axes.length} axes, but operand ${index} is ${showType(type)}`,
      );
    }
  });
  const all = inputs.flat();
  const once = [...new Set(all)].filter(
    (axis) => !axis.startsWith("…") && all.filter((a) => a === axis).length === 1,
  );
  const output = right === undefined ? [...ellipsis(dots), ...once.sort()] : axesOf(right, dots);
  const unknown = output.find((axis) => !all.includes(axis));
  if (unknown !== undefined)
    fail("einsum", `"${subscripts}": axis ${unknown} of the result is in no operand`);
  if (new Set(output).size !== output.length)
    fail("einsum", `"${subscripts}" names an axis of the result twice`);
  return { inputs, output };
}

/** The extent of every axis; an extent of 1 goes with any other. */
function commonExtents(
  subscripts: string,
  inputs: readonly string[][],
  arrays: readonly Array[],
): ReadonlyMap<string, number> {
  const extents = new Map<string, number>();
  inputs.forEach((axes, index) =>
    axes.forEach((axis, at) => {
      const extent = arrays[index].shape[at];
      const known = extents.get(axis) ?? 1;
      if (known !== extent && known !== 1 && extent !== 1) {
        const shapes = arrays.map((array) => showShape(array.shape)).join(", ");
        fail(
          "einsum",
          `"${subscripts}" with shapes ${shapes}: axis ${axis} has extents ${known} and ${extent}`,
        );
      }
      extents.set(axis, known === 1 ? extent : known);
    }),
  );
  return extents;
}

/** Without the axes of extent 1: they take part in no sum, and broadcast by not being there. */
function dropUnitAxes({ array, axes }: Term, extents: ReadonlyMap<string, number>): Term {
  const kept = axes.filter((axis, at) => array.shape[at] !== 1 || extents.get(axis) === undefined);
  return { array: array.reshape(array.shape.filter((extent) => extent !== 1)), axes: kept };
}

/** An axis named twice in one operand means its diagonal. */
function takeDiagonals({ array, axes }: Term): Term {
  const repeated = axes.findIndex((axis, at) => axes.indexOf(axis) !== at);
  if (repeated < 0) return { array, axes };
  const first = axes.indexOf(axes[repeated]);
  const { shape } = array;
  const [a, b] = [first, repeated].map((axis) => bindOne(iota, [], { shape, axis, dtype: "int32" })) as [
    Array,
    Array,
  ];
  const diagonal = where(a.equal(b), array, 0).sum(repeated);
  return takeDiagonals({ array: diagonal, axes: axes.filter((_, at) => at !== repeated) });
}

/** The term with the axes summed that are not needed any more. */
function sumAway({ array, axes }: Term, needed: ReadonlySet<string>): Term {
  const gone = range(axes.length).filter((at) => !needed.has(axes[at]));
  return gone.length === 0
    ? { array, axes }
    : { array: array.sum(gone), axes: axes.filter((axis) => needed.has(axis)) };
}

function contractPair(first: Term, second: Term, needed: ReadonlySet<string>): Term {
  // What only one of the two has and nobody needs is summed beforehand.
  const x = sumAway(first, new Set([...needed, ...second.axes]));
  const y = sumAway(second, new Set([...needed, ...first.axes]));
  const common = x.axes.filter((axis) => y.axes.includes(axis));
  const batch = common.filter((axis) => needed.has(axis));
  const summed = common.filter((axis) => !needed.has(axis));
  const places = (term: Term, names: readonly string[]) => names.map((name) => term.axes.indexOf(name));
  const array = bindOne(dot, [x.array, y.array], {
    contract: [places(x, summed), places(y, summed)],
    batch: [places(x, batch), places(y, batch)],
  });
  const own = (term: Term) => term.axes.filter((axis) => !common.includes(axis));
  return { array, axes: [...batch, ...own(x), ...own(y)] };
}
