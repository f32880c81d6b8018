// Loops and branches: programs inside a program. What loops carry has a home, the same place in every turn.
import type { Atom, CondParams, Equation, ScanParams, Variable, WhileParams } from "../../array/index.js";
import type { Place, Step } from "../kernel.js";
import { sizeOf } from "./block.js";
import type { Region } from "./region.js";
import { placeAt, type Shared } from "./shared.js";

const copyStep = (name: string, from: Place, to: Place, size: number): Step[] =>
  size === 0 ? [] : [{ kind: "kernel", kernel: { kind: "copy", name, from, to, size } }];

/** A carry's home, which starts with the initial value. */
function homeOf(region: Region, atom: Atom, result: Variable): Place {
  const size = sizeOf(atom.type.shape);
  const place = placeAt(region.shared.buffer(atom.type.dtype, size, `carry_${result.id}`));
  if (atom.kind === "literal") region.fill(place, atom);
  else region.copy(region.placeOf(atom), place, size);
  return place;
}

/** Copies from the end of a turn to the homes for the next; a home that another carry takes is saved first. */
function bringHome(
  shared: Shared,
  outputs: readonly Place[],
  homes: readonly Place[],
  results: readonly Variable[],
): Step[] {
  const taken = new Set(homes.map(({ buffer }) => buffer));
  const saving: Step[] = [];
  const sources = outputs.map((place, index) => {
    const { dtype, shape } = results[index].type;
    if (place.buffer === homes[index].buffer || !taken.has(place.buffer)) return place;
    const saved = placeAt(shared.buffer(dtype, sizeOf(shape), "saved"));
    saving.push(...copyStep("carry", place, saved, sizeOf(shape)));
    return saved;
  });
  const bringing = sources.flatMap((from, index) =>
    from.buffer === homes[index].buffer
      ? []
      : copyStep("carry", from, homes[index], sizeOf(results[index].type.shape)),
  );
  return [...saving, ...bringing];
}

/** Says that results lie in the homes of the carries they come from, or brings them where they should lie. */
function settle(region: Region, results: readonly Variable[], homes: readonly Place[]): void {
  results.forEach((result, index) => {
    const wanted = region.places.get(result);
    if (wanted === undefined) region.places.set(result, homes[index]);
    else region.copy(homes[index], wanted, sizeOf(result.type.shape));
  });
}

export function addScan(region: Region, equation: Equation): void {
  const { constants, carries, length } = equation.params as ScanParams;
  const results = equation.outputs.slice(0, carries);
  const homes = results.map((result, index) => homeOf(region, equation.inputs[constants + index], result));
  if (length > 0) addTurns(region, equation, homes);
  settle(region, results, homes);
}

function addTurns(region: Region, { params, inputs, outputs }: Equation, homes: readonly Place[]): void {
  const { body, constants, carries, length, reverse } = params as ScanParams;
  const results = outputs.slice(0, carries);
  const counter = region.shared.counter(length);
  /** The slice of an array that belongs to a turn. */
  const sliceOf = (place: Place, { type }: Atom): Place => ({
    ...place,
    counters: [...place.counters, { counter, stride: sizeOf(type.shape.slice(1)) }],
  });
  const stacked = inputs
    .slice(constants + carries)
    .map((input) => sliceOf(region.operandPlace(input), input));
  const rows = outputs.slice(carries).map((output) => sliceOf(region.placeOf(output), output));
  const fixed = inputs.slice(0, constants).map((input) => region.operandPlace(input));
  const inner = region.inside(body, [...fixed, ...homes, ...stacked], [...results.map(() => null), ...rows]);
  const next = bringHome(region.shared, inner.outputs.slice(0, carries), homes, results);
  region.steps.push({ kind: "loop", counter, reverse, body: [...inner.steps, ...next] });
}

export function addWhile(region: Region, { params, inputs, outputs }: Equation): void {
  const { test, body, testConstants, bodyConstants } = params as WhileParams;
  const constants = testConstants + bodyConstants;
  const homes = outputs.map((output, index) => homeOf(region, inputs[constants + index], output));
  const places = inputs.slice(0, constants).map((input) => region.operandPlace(input));
  const tested = region.inside(test, [...places.slice(0, testConstants), ...homes]);
  const inner = region.inside(body, [...places.slice(testConstants), ...homes]);
  const next = bringHome(region.shared, inner.outputs, homes, outputs);
  region.steps.push({
    kind: "while",
    test: tested.steps,
    predicate: tested.outputs[0],
    body: [...inner.steps, ...next],
  });
  settle(region, outputs, homes);
}

export function addCond(region: Region, { params, inputs, outputs }: Equation): void {
  const { branches } = params as CondParams;
  const [index, ...operands] = inputs.map((input) => region.operandPlace(input));
  const results = outputs.map((output) => region.placeOf(output));
  const cases = branches.map((branch) => {
    const inner = region.inside(branch, operands);
    const copies = inner.outputs.flatMap((from, at) =>
      copyStep("branch", from, results[at], sizeOf(outputs[at].type.shape)),
    );
    return [...inner.steps, ...copies];
  });
  region.steps.push({ kind: "branch", index, cases });
}
