// What parts of a machine have in common, and where that lies.
import { expect, it } from "vitest";
import { isGather, placeCommon, togetherIn } from "../../../src/compiler/plan/common.js";
import { axisIndex, buffer, copy, exchange, sort, stepsOf } from "./kernels.js";

it("what is gathered, or sorted together, there is once; what else is written there each part has", () => {
  const [index, own, all, sum, sorted, mixed, alone] = [
    ...["index", "own", "all", "sum", "sorted", "mixed", "alone"],
  ].map((name) => buffer(name));
  const together = sort(all, sorted);
  const steps = stepsOf([
    axisIndex(index),
    copy(index, own),
    exchange(null, own, all),
    exchange("add", own, sum),
    together,
    exchange(null, own, mixed),
    copy(own, mixed),
    sort(own, alone),
  ]);
  expect(togetherIn(steps, [{ name: "parts", size: 4 }])).toEqual({
    sorts: new Set([together]),
    gathered: new Set([all, sorted]),
  });
  expect(togetherIn(steps, [])).toEqual({ sorts: new Set(), gathered: new Set() });
});

it("a sort one of whose results is written elsewhere, too, each part does for itself", () => {
  const [input, first, second, third] = ["input", "first", "second", "third"].map((name) => buffer(name));
  const one = sort(input, first);
  const both = {
    ...one,
    values: [...one.values, { ...one.values[0], to: sort(input, second).values[0].to }],
  };
  // Of the other's results the first is then no longer in common, either.
  const other = sort(input, first);
  const clean = sort(input, third);
  const steps = stepsOf([both, other, clean, copy(input, second)]);
  expect(togetherIn(steps, [{ name: "parts", size: 4 }])).toEqual({
    sorts: new Set([clean]),
    gathered: new Set([third]),
  });
});

it("gathering is what gives all parts the same, side by side", () => {
  const [from, to] = [buffer("from"), buffer("to")];
  expect(isGather(exchange(null, from, to))).toBe(true);
  expect(isGather(exchange("add", from, to))).toBe(false);
  expect(isGather(exchange(null, from, to, 8))).toBe(false);
  expect(isGather({ ...exchange(null, from, to), pairs: [[0, 1]] })).toBe(false);
});

it("outputs take the places of inputs of their kind that do not keep their values, in order", () => {
  const [weights, state, other, integers] = [
    buffer("weights", 100),
    buffer("state", 100),
    buffer("other", 100),
    buffer("integers", 100, "int32"),
  ];
  const [first, second, third, counts] = [
    buffer("first", 100),
    buffer("second", 100),
    buffer("third", 100),
    buffer("counts", 100, "int32"),
  ];
  const gathered = buffer("gathered", 3);
  const inputs = [weights, state, other, integers];
  const outputs = [counts, first, second, third];
  const common = new Set([...inputs, ...outputs, gathered]);
  const { addresses, bytes } = placeCommon(inputs, outputs, new Set([weights]), common);
  const at = (one: typeof weights) => addresses.get(one);
  expect(inputs.map(at)).toEqual([0, 448, 896, 1344]);
  expect([first, second, counts].map(at)).toEqual([state, other, integers].map(at));
  // Nobody is left whose place it could take.
  expect(at(third)).toBe(1792);
  expect(at(gathered)).toBe(2240);
  expect(bytes).toBe(2304);
});

it("nothing is in common where there is one part", () => {
  const { addresses, bytes } = placeCommon([buffer("input")], [buffer("output")], new Set(), new Set());
  expect([addresses.size, bytes]).toEqual([0, 0]);
});
