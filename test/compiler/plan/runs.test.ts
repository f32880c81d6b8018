// Arrays that kernels of one form read and write: one behind the other, so that one loop can do the work of all kernels.
import { expect, it } from "vitest";
import type { Buffer } from "../../../src/compiler/kernel.js";
import { planMemory } from "../../../src/compiler/plan/arena.js";
import { adding, buffer, exchange, stepsOf } from "./kernels.js";

const sizes = [40, 7, 64, 33];
/** Where each array begins if each begins a new piece of 32. */
const starts = [0, 64, 96, 160].map((elements) => 4 * elements);

/** Arrays of several sizes, each one more than another. */
function program() {
  const of = (name: string): Buffer[] => sizes.map((size, at) => buffer(`${name}${at}`, size));
  const [from, to] = [of("from"), of("to")];
  const [input, output] = [buffer("input", 64), buffer("output", 64)];
  const steps = [
    ...stepsOf(from.map((one) => exchange("add", input, one))),
    ...stepsOf(from.map((one, at) => adding(one, to[at]))),
    ...stepsOf(to.map((one) => exchange("add", one, output))),
  ];
  return { from, to, input, output, steps };
}

/** Where arrays lie, from the first of them on. */
function placesIn(fastBytes: number, inRuns: boolean) {
  const { from, to, input, output, steps } = program();
  const needs = { scratch: () => 0, fastBytes, inRuns };
  const { addresses, fast } = planMemory(steps, [input], [output], [], needs);
  const placesOf = (buffers: readonly Buffer[]) => {
    const places = buffers.map((one) => addresses.get(one) as number);
    return places.map((place) => place - places[0]);
  };
  return { from: placesOf(from), to: placesOf(to), count: fast.size };
}

it("lie in runs where the renderer wants that", () => {
  expect(placesIn(4096, true)).toEqual({ from: starts, to: starts, count: 8 });
});

it("lie anywhere otherwise", () => {
  expect(placesIn(4096, false).from).not.toEqual(starts);
});

it("lie apart where there is no room for runs, and still lie in fast memory", () => {
  expect(placesIn(900, true).count).toBeGreaterThan(4);
});
