// What is the same in all parts of a machine, and which sorts they can therefore do together.
import { expect, it } from "vitest";
import { differingIn, sharedSortsIn } from "../../../src/compiler/plan/uniform.js";
import { axisIndex, buffer, copy, exchange, loopOf, sort, stepsOf } from "./kernels.js";

it("what some parts make alike among themselves still differs from others", () => {
  const [index, both, total, ofAll] = ["index", "both", "total", "ofAll"].map((name) => buffer(name));
  const steps = stepsOf([
    axisIndex(index),
    { ...axisIndex(both), axes: ["parts", "others"] },
    exchange("add", index, total),
    exchange("add", both, ofAll),
  ]);
  expect(differingIn(steps)).toEqual(new Set([index, both, ofAll]));
});

it("parts differ by their numbers, by what comes of these, and by what they are handed each for itself", () => {
  const [index, sliced, total, all, scattered, input, same] = [
    ...["index", "sliced", "total", "all", "scattered", "input", "same"],
  ].map((name) => buffer(name));
  const steps = stepsOf([
    axisIndex(index),
    copy(index, sliced),
    exchange("add", sliced, total),
    exchange(null, sliced, all),
    exchange("add", input, scattered, 4),
    copy(input, same),
    copy(total, same),
  ]);
  expect(differingIn(steps)).toEqual(new Set([index, sliced, scattered]));
});

it("what differs at the end of a turn differs at its beginning", () => {
  const [first, second, third, index] = ["first", "second", "third", "index"].map((name) => buffer(name));
  const body = stepsOf([copy(second, third), copy(first, second), copy(index, first)]);
  expect(differingIn([...stepsOf([axisIndex(index)]), loopOf(3, body)])).toEqual(
    new Set([index, first, second, third]),
  );
});

it("long sorts of what is the same are shared, others are not", () => {
  const [index, own, input, short] = [buffer("index"), buffer("own"), buffer("input"), buffer("short", 2047)];
  const shared = sort(input, buffer("sorted"));
  const different = sort(own, buffer("sorted"));
  const small = sort(short, buffer("sorted", 2047));
  const lanes = { ...sort(input, buffer("sorted")), lanes: 2, length: 2048 };
  const carried = sort(input, buffer("sorted"));
  const withOwn = {
    ...carried,
    values: [...carried.values, { ...carried.values[0], from: different.keys[0] }],
  };
  const steps = stepsOf([axisIndex(index), copy(index, own), shared, different, small, lanes, withOwn]);
  expect(sharedSortsIn(steps)).toEqual(new Set([shared]));
});
