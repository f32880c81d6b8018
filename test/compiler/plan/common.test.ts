// What parts of a machine have in common, and where that lies.
import { expect, it } from "vitest";
import { gatheredIn, isGather, placeCommon } from "../../../src/compiler/plan/common.js";
import { buffer, copy, exchange, sort, stepsOf } from "./kernels.js";

it("what is gathered, or sorted together, there is once; what else is written there each part has", () => {
  const [own, all, sum, sorted, mixed, alone] = ["own", "all", "sum", "sorted", "mixed", "alone"].map(
    (name) => buffer(name),
  );
  const together = sort(all, sorted);
  const steps = stepsOf([
    exchange(null, own, all),
    exchange("add", own, sum),
    together,
    exchange(null, own, mixed),
    copy(own, mixed),
    sort(own, alone),
  ]);
  expect(gatheredIn(steps, new Set([together]))).toEqual(new Set([all, sorted]));
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
