// Programs that take their rows in pieces, each through all of its equations before the next: what is computed on the way is
// as small as a piece. Parts of one axis, as on devices, but one after the other.
import type { Array } from "../core/array.js";
import { constant, literalArray } from "../core/interpret.js";
import { typesOf, type Atom, type Program, type Variable } from "../core/program.js";
import { range, replaceAt } from "../core/shape.js";
import { bind, bindOne, replaying, traceClosed, traceProgram } from "../core/trace.js";
import { arrayType, type ArrayType } from "../core/type.js";
import { split } from "../control/lists.js";
import { scan } from "../control/scan.js";
import { broadcast } from "../primitives/broadcast.js";
import { dynamicSlice } from "../primitives/dynamicSlice.js";
import { iota } from "../primitives/iota.js";
import { permute, reshape } from "../primitives/reshape.js";
import { joinCollectives, separateCollectives } from "./join.js";
import { bytesOf, Schedule, type CutValue, type Item, type Loop } from "./phases.js";
import { rowRules, type Join } from "./rowRules.js";

/** What cutting rows would do to the arrays of a loop, in bytes. */
export interface PieceSizes {
  /** What they take at most at a time if all rows stay together. */
  readonly bytes: number;
  /** What is kept of all rows behind the loop. */
  readonly stored: number;
}

/** How to cut a program. */
export interface PieceOptions {
  /** A product whose rows, its first dimension, are cut. */
  readonly value: Variable;
  /** Into how many pieces. */
  readonly count: number;
  /** Whether a loop over pieces is worth it; otherwise all rows stay together. */
  readonly isGain: (sizes: PieceSizes) => boolean;
}

/** A way to cut a program. */
export interface PiecePlan {
  /** What arrays would take at most at a time if all rows stayed together. */
  readonly bytes: number;
  readonly cut: () => Program;
}

/** Finds out what cutting the rows of a value does to a program; null where nothing is gained by it. */
export function planPieces(given: Program, { value, count, isGain }: PieceOptions): PiecePlan | null {
  // Sums with other devices that were joined may belong to different phases.
  const program = separateCollectives(given);
  let rules = rowRules(program, value, count);
  for (;;) {
    const schedule = new Schedule(program, rules);
    const { loops } = schedule.build();
    const isKept = loops.map(({ bytes, stored }) =>
      isGain({ bytes, stored: stored.reduce((sum, { variable }) => sum + bytesOf(variable.type), 0) }),
    );
    const kept = new Set(
      schedule.around().flatMap((item) => (isKept[schedule.phaseOf(item)] ? [item.position] : [])),
    );
    if (kept.size === 0) return null;
    if (rules.every((rule, position) => rule === null || kept.has(position)))
      return {
        bytes: Math.max(...loops.map(({ bytes }) => bytes)),
        cut: () => joinCollectives(cut(program, schedule, count)),
      };
    rules = rules.map((rule, position) => (kept.has(position) ? rule : null));
  }
}

/** The whole form of a value. */
type Whole = (atom: Atom) => Array;

function cut(program: Program, schedule: Schedule, count: number): Program {
  const { between, loops } = schedule.build();
  return traceClosed(typesOf(program.inputs), (inputs) => {
    const values = new Map<Variable, Array>(program.inputs.map((input, at) => [input, inputs[at]]));
    const whole: Whole = (atom) =>
      atom.kind === "literal" ? literalArray(atom) : (values.get(atom) as Array);
    between.forEach((items, phase) => {
      for (const { equation } of items) {
        const { primitive, inputs: operands, params, outputs } = equation;
        const results = replaying(equation, () => bind(primitive, operands.map(whole), params));
        outputs.forEach((output, at) => values.set(output, results[at]));
      }
      if (phase === loops.length) return;
      for (const [variable, result] of loopOver(loops[phase], whole, count)) values.set(variable, result);
    });
    return program.outputs.map(whole);
  });
}

/** The loop over the pieces: what it joins and what it stores, whole. */
function loopOver({ items, sliced, stored }: Loop, whole: Whole, count: number): Map<Variable, Array> {
  const joined = items.flatMap(({ equation, rule }) =>
    rule !== null && rule.join !== null ? [{ variable: equation.outputs[0], join: rule.join }] : [],
  );
  const starts = joined.map(({ variable, join }) => neutralOf(variable.type, join));
  const stacked = sliced.filter((value) => value.cut === 0);
  const given = [
    bindOne(iota, [], { shape: [count], axis: 0, dtype: "int32" }),
    ...stacked.map(({ variable }) => inPieces(whole(variable), count)),
  ];
  const types = [
    ...starts.map(({ type }) => type),
    ...given.map(({ shape, dtype }) => arrayType(shape.slice(1), dtype)),
  ];
  const { program: body, captures } = traceProgram("pieces", types, (values) => {
    const [totals, [index], slices] = split(values, [joined.length, 1]) as [Array[], Array[], Array[]];
    const pieces = new Map(stacked.map(({ variable }, at) => [keyOf(variable, 0), slices[at]]));
    for (const value of sliced)
      if (value.cut !== 0) pieces.set(keyOf(value.variable, value.cut), pieceOf(value, whole, count, index));
    for (const item of items) {
      const results = replaying(item.equation, () => applyTo(item, pieces, whole, index));
      item.equation.outputs.forEach((output, at) =>
        pieces.set(keyOf(output, item.rule?.results[at] ?? null), results[at]),
      );
    }
    const read = (variable: Variable, along: number | null) => pieces.get(keyOf(variable, along)) as Array;
    return [
      ...joined.map(({ variable, join }, at) => join.combine(totals[at], read(variable, null))),
      ...stored.map((value) => read(value.variable, value.cut)),
    ];
  });
  const results = bind(scan, [...captures, ...starts, ...given], {
    body,
    constants: captures.length,
    carries: joined.length,
    length: count,
    reverse: false,
    unroll: 1,
  });
  return new Map([
    ...joined.map(({ variable }, at) => [variable, results[at]] as const),
    ...stored.map((value, at) => [value.variable, together(results[joined.length + at], value)] as const),
  ]);
}

const keyOf = ({ id }: Variable, along: number | null): string => `${id} ${along}`;

function applyTo(
  { equation, rule }: Item,
  pieces: ReadonlyMap<string, Array>,
  whole: Whole,
  index: Array,
): readonly Array[] {
  if (rule === null) throw new Error(`${equation.primitive.name} needs all rows`);
  const operands = equation.inputs.map((input, at) => {
    const along = rule.operands[at];
    return along === null || input.kind === "literal"
      ? whole(input)
      : (pieces.get(keyOf(input, along)) as Array);
  });
  return rule.apply(operands, index);
}

function neutralOf({ shape, dtype }: ArrayType, { neutral }: Join): Array {
  const value = constant(neutral(dtype), dtype);
  return shape.length === 0 ? value : bindOne(broadcast, [value], { shape, axes: [] });
}

/** An array of pieces of rows. */
const inPieces = (x: Array, count: number): Array =>
  bindOne(reshape, [x], { shape: [count, x.shape[0] / count, ...x.shape.slice(1)] });

/** A piece along another dimension than the first. */
function pieceOf({ variable, cut: along }: CutValue, whole: Whole, count: number, index: Array): Array {
  const x = whole(variable);
  const extent = x.shape[along] / count;
  const start = index.mul(constant(extent, "int32"));
  const starts = x.shape.map((_, dimension) => (dimension === along ? start : constant(0, "int32")));
  return bindOne(dynamicSlice, [x, ...starts], { sizes: replaceAt(x.shape, along, extent) });
}

/** Stacked pieces as one array. */
function together(pieces: Array, { variable, cut: along }: CutValue): Array {
  const order = [...range(along, 1), 0, ...range(pieces.ndim - along - 1, along + 1)];
  const turned = along === 0 ? pieces : permute(pieces, order);
  return bindOne(reshape, [turned], { shape: variable.type.shape });
}
