// Loops and branches: programs inside a program. What loops carry has a place, the same in every iteration.
import {
  sizeOf,
  type Atom,
  type CondParams,
  type Equation,
  type ScanParams,
  type Variable,
  type WhileParams,
} from "../../array/index.js";
import type { Place, Step } from "../kernel.js";
import type { RegionBuilder } from "./builder.js";
import { placeAt, type Shared } from "./shared.js";

const copyStep = (name: string, from: Place, to: Place, size: number): Step[] =>
  size === 0 ? [] : [{ kind: "kernel", kernel: { kind: "copy", name, from, to, size } }];

/** A carry's place, which starts with the initial value. */
function carryPlaceOf(builder: RegionBuilder, atom: Atom, result: Variable): Place {
  const size = sizeOf(atom.type.shape);
  const place = placeAt(builder.shared.buffer(atom.type.dtype, size, `carry_${result.id}`));
  if (atom.kind === "literal") builder.fill(place, atom);
  else builder.copy(builder.placeOf(atom), place, size);
  return place;
}

/** Copies from the end of an iteration to the places of the carries; one that another carry takes is saved first. */
function copyToCarries(
  shared: Shared,
  outputs: readonly Place[],
  carryPlaces: readonly Place[],
  results: readonly Variable[],
): Step[] {
  const taken = new Set(carryPlaces.map(({ buffer }) => buffer));
  const saving: Step[] = [];
  const sources = outputs.map((place, index) => {
    const { dtype, shape } = results[index].type;
    if (place.buffer === carryPlaces[index].buffer || !taken.has(place.buffer)) return place;
    const saved = placeAt(shared.buffer(dtype, sizeOf(shape), "saved"));
    saving.push(...copyStep("carry", place, saved, sizeOf(shape)));
    return saved;
  });
  const bringing = sources.flatMap((from, index) =>
    from.buffer === carryPlaces[index].buffer
      ? []
      : copyStep("carry", from, carryPlaces[index], sizeOf(results[index].type.shape)),
  );
  return [...saving, ...bringing];
}

/** Says that results lie in the places of the carries they come from, or brings them where they should lie. */
function placeResults(
  builder: RegionBuilder,
  results: readonly Variable[],
  carryPlaces: readonly Place[],
): void {
  results.forEach((result, index) => {
    const wanted = builder.places.get(result);
    if (wanted === undefined) builder.places.set(result, carryPlaces[index]);
    else builder.copy(carryPlaces[index], wanted, sizeOf(result.type.shape));
  });
}

export function addScan(builder: RegionBuilder, equation: Equation): void {
  const { constants, carries, length } = equation.params as ScanParams;
  const results = equation.outputs.slice(0, carries);
  const carryPlaces = results.map((result, index) =>
    carryPlaceOf(builder, equation.inputs[constants + index], result),
  );
  if (length > 0) addIterations(builder, equation, carryPlaces);
  placeResults(builder, results, carryPlaces);
}

function addIterations(
  builder: RegionBuilder,
  { params, inputs, outputs }: Equation,
  carryPlaces: readonly Place[],
): void {
  const { body, constants, carries, length, reverse } = params as ScanParams;
  const { shared } = builder;
  const results = outputs.slice(0, carries);
  const turns = shared.sizes.turnsAtOnce(body, length, shared.timesRun);
  const counter = shared.counter(length / turns);
  /** The slice of an array that belongs to an iteration, the first or a later one of those in one turn. */
  const sliceOf = (place: Place, { type }: Atom, turn: number): Place => {
    const stride = sizeOf(type.shape.slice(1));
    const offset = place.offset + stride * (reverse ? turns - 1 - turn : turn);
    return { ...place, offset, counters: [...place.counters, { counter, stride: turns * stride }] };
  };
  const stacked = inputs.slice(constants + carries);
  const stackedPlaces = stacked.map((input) => builder.operandPlace(input));
  const rows = outputs.slice(carries);
  const rowPlaces = rows.map((output) => builder.placeOf(output));
  const fixed = inputs.slice(0, constants).map((input) => builder.operandPlace(input));
  const steps: Step[] = [];
  let carried = carryPlaces;
  shared.inLoop(length, () => {
    for (let turn = 0; turn < turns; turn++) {
      const inner = builder.inside(
        body,
        [...fixed, ...carried, ...stackedPlaces.map((place, at) => sliceOf(place, stacked[at], turn))],
        [...results.map(() => null), ...rowPlaces.map((place, at) => sliceOf(place, rows[at], turn))],
      );
      steps.push(...inner.steps);
      carried = inner.outputs.slice(0, carries);
    }
  });
  const next = copyToCarries(shared, carried, carryPlaces, results);
  builder.steps.push({ kind: "loop", counter, reverse, body: [...steps, ...next] });
}

export function addWhile(builder: RegionBuilder, { params, inputs, outputs }: Equation): void {
  const { test, body, testConstants, bodyConstants } = params as WhileParams;
  const constants = testConstants + bodyConstants;
  const carryPlaces = outputs.map((output, index) =>
    carryPlaceOf(builder, inputs[constants + index], output),
  );
  const places = inputs.slice(0, constants).map((input) => builder.operandPlace(input));
  const tested = builder.inside(test, [...places.slice(0, testConstants), ...carryPlaces]);
  const inner = builder.inside(body, [...places.slice(testConstants), ...carryPlaces]);
  const next = copyToCarries(builder.shared, inner.outputs, carryPlaces, outputs);
  builder.steps.push({
    kind: "while",
    test: tested.steps,
    predicate: tested.outputs[0],
    body: [...inner.steps, ...next],
  });
  placeResults(builder, outputs, carryPlaces);
}

export function addCond(builder: RegionBuilder, { params, inputs, outputs }: Equation): void {
  const { branches } = params as CondParams;
  const [index, ...operands] = inputs.map((input) => builder.operandPlace(input));
  const results = outputs.map((output) => builder.placeOf(output));
  const cases = branches.map((branch) => {
    const inner = builder.inside(branch, operands);
    const copies = inner.outputs.flatMap((from, at) =>
      copyStep("branch", from, results[at], sizeOf(outputs[at].type.shape)),
    );
    return [...inner.steps, ...copies];
  });
  builder.steps.push({ kind: "branch", index, cases });
}
