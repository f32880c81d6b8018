// What lies in fast memory: what is used most for its size, and nothing that is seen from outside.
import { expect, it } from "vitest";
import type { Buffer, Step } from "../../../src/compiler/kernel.js";
import { planMemory } from "../../../src/compiler/plan/arena.js";
import { adding, buffer, exchange, loopOf, print, stepsOf } from "./kernels.js";

/** The names of what lies in so many bytes of fast memory. */
const fastOf = (steps: readonly Step[], input: Buffer, output: Buffer, fastBytes: number) => {
  const { fast, fastBytes: used } = planMemory(steps, [input], [output], [], { scratch: () => 0, fastBytes });
  return { names: [...fast].map(({ name }) => name).sort(), used };
};

const [input, output] = [buffer("input", 100), buffer("output", 100)];
const [often, seldom] = [buffer("often", 90), buffer("seldom", 80)];
/** One value is used in a loop, another one before and behind it. */
const steps = [
  ...stepsOf([exchange("add", input, seldom)]),
  loopOf(50, stepsOf([exchange("add", input, often), exchange("add", often, output)])),
  ...stepsOf([exchange("add", seldom, output)]),
];

it("inputs and outputs do not, however often they are used", () => {
  expect(fastOf(steps, input, output, 10_000)).toEqual({ names: ["often", "seldom"], used: 688 });
});

it("where there is too little for all, what is used in loops does", () => {
  expect(fastOf(steps, input, output, 500)).toEqual({ names: ["often"], used: 368 });
  expect(fastOf(steps, input, output, 340)).toEqual({ names: ["seldom"], used: 320 });
  expect(fastOf(steps, input, output, 0)).toEqual({ names: [], used: 0 });
});

it("what is printed does not: the host reads it", () => {
  const printed = [...steps.slice(0, 1), ...stepsOf([print(seldom)]), ...steps.slice(1)];
  expect(fastOf(printed, input, output, 10_000).names).toEqual(["often"]);
});

it("values that are never in use at the same time share it", () => {
  const [one, two] = [buffer("one", 64), buffer("two", 32)];
  const chain = stepsOf([
    exchange("add", input, one),
    exchange("add", one, output),
    exchange("add", input, two),
    exchange("add", two, output),
  ]);
  expect(fastOf(chain, input, output, 256)).toEqual({ names: ["one", "two"], used: 256 });
});

it("of arrays of one size those do of which kernels touch most", () => {
  const [ring, whole] = [buffer("ring", 400), buffer("whole", 400)];
  const drawn = [1, 2, 3].map((number) => buffer(`drawn ${number}`, 10));
  const reading = [
    ...stepsOf([exchange("add", input, ring)]),
    loopOf(50, stepsOf([...drawn.map((one) => adding(ring, one)), exchange("add", input, whole)])),
    ...stepsOf([exchange("add", whole, output), exchange("add", ring, output)]),
  ];
  expect(fastOf(reading, input, output, 1850).names).toEqual(["drawn 1", "drawn 2", "drawn 3", "whole"]);
});
