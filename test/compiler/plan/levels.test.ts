// Kernels that need not wait for each other come together, and do not get in each other's way by sharing memory.
import { describe, expect, it } from "vitest";
import type { Kernel, Step } from "../../../src/compiler/kernel.js";
import { accessesOf } from "../../../src/compiler/plan/accesses.js";
import { planMemory } from "../../../src/compiler/plan/arena.js";
import { companyOf } from "../../../src/compiler/plan/company.js";
import { findLifetimes } from "../../../src/compiler/plan/lifetimes.js";
import { inLevels } from "../../../src/compiler/schedule/levels.js";
import { kernelsIn } from "../../../src/compiler/walk.js";
import { adding, buffer, copy, exchange, loopOf, print, product, sort, stepsOf } from "./kernels.js";

const [a, b, c, d, e, f] = ["a", "b", "c", "d", "e", "f"].map((name) => buffer(name));
const named = (steps: readonly Step[]): string[] =>
  steps.map((step) => {
    if (step.kind !== "kernel") return step.kind;
    const { kernel } = step;
    return kernel.kind === "copy" ? `${kernel.from.buffer.name} to ${kernel.to.buffer.name}` : kernel.kind;
  });
const ordered = (kernels: readonly Kernel[]): string[] => named(inLevels(stepsOf(kernels)));

it("two chains go along side by side", () => {
  expect(ordered([copy(a, b), copy(b, c), copy(d, e), copy(e, f)])).toEqual([
    ...["a to b", "d to e"],
    ...["b to c", "e to f"],
  ]);
});

it("what is written over comes behind those that read it, and what replaces it behind that", () => {
  expect(ordered([copy(a, b), copy(b, c), copy(d, b), copy(b, e)])).toEqual([
    ...["a to b", "b to c", "d to b", "b to e"],
  ]);
});

it("who reads a buffer last stays behind the others, since it may write over it", () => {
  expect(ordered([copy(a, b), copy(b, c), copy(d, e), copy(d, f), copy(b, d)])).toEqual([
    ...["a to b", "d to e", "d to f"],
    ...["b to c", "b to d"],
  ]);
});

it("large products come first, so that nothing small keeps two of them from running side by side", () => {
  expect(ordered([copy(a, b), product(a, a, c), copy(a, d), product(a, a, e)])).toEqual([
    ...["dot", "dot", "a to b", "a to d"],
  ]);
  const [small, result] = [buffer("small", 64), buffer("result", 64)];
  expect(ordered([copy(a, b), product(small, small, result)])).toEqual(["a to b", "dot"]);
});

it("one that may write over what others read stays behind them", () => {
  expect(ordered([copy(a, b), product(c, c, d, a)])).toEqual(["a to b", "dot"]);
  expect(ordered([copy(a, b), product(c, a, d, e)])).toEqual(["dot", "a to b"]);
});

it("what is alike comes together, at the later of its times where nothing waits for it meanwhile", () => {
  const [x, y, z, big] = ["x", "y", "z", "big"].map((name) => buffer(name));
  const kernels = [product(a, a, b), copy(c, d), product(d, d, e), copy(e, f), product(b, e, big)];
  // The first product could be done at once, and is done beside the second.
  expect(ordered(kernels)).toEqual(["c to d", "dot", "dot", "dot", "e to f"]);
  const found = inLevels(stepsOf(kernels)).map((step) =>
    step.kind === "kernel" && step.kernel.kind === "dot" ? step.kernel.stores[0].address.buffer.name : "",
  );
  expect(found).toEqual(["", "b", "e", "big", ""]);
  // Somebody waits for it in between.
  expect(ordered([product(a, a, b), copy(b, x), copy(c, d), copy(d, y), product(y, y, z)])).toEqual([
    ...["dot", "c to d", "b to x", "d to y", "dot"],
  ]);
});

it("exchanges that do not wait for each other come together, at the latest of their times", () => {
  const [x, y, z] = ["x", "y", "z"].map((name) => buffer(name));
  // The first one's result is needed by somebody who needs nothing else: it waits for the second all the same.
  const kernels = [exchange("add", a, b), copy(c, d), exchange("add", d, e), copy(b, x), copy(e, y)];
  expect(ordered(kernels)).toEqual(["c to d", "exchange", "exchange", "b to x", "e to y"]);
  // One that waits for another one comes at a time of its own, and others that can wait come along.
  const chain = [exchange("add", a, b), copy(b, c), exchange("add", c, d), exchange(null, e, x), copy(d, z)];
  expect(ordered(chain)).toEqual(["exchange", "exchange", "b to c", "exchange", "d to z"]);
  // A reader beside them that comes last holds up neither.
  expect(ordered([exchange("add", a, b), copy(a, c), exchange("add", c, d)])).toEqual([
    ...["a to c", "exchange", "exchange"],
  ]);
});

describe("what is written in the place of an array that was read before", () => {
  const names = ["old", "drawn", "place", "row", "sum", "used"];
  const [old, drawn, place, row, sum, used] = names.map((name) => buffer(name));
  /** Reads an array, and writes into its place. */
  const [read, take, write] = [sort(old, drawn), copy(old, place), adding(row, place)];
  const meet = exchange("add", b, sum);
  /** The names of what is written, in order. */
  const written = (kernels: readonly Kernel[]): string[] =>
    kernelsIn(inLevels(stepsOf(kernels)))
      .flatMap(accessesOf)
      .flatMap(({ buffer: { name }, kind }) => (kind === "write" ? [name] : []));

  it("comes behind the next exchange, and before what replaces it", () => {
    const kernels = [
      read,
      take,
      write,
      copy(place, e),
      copy(a, b),
      meet,
      copy(sum, c),
      exchange("add", c, d),
    ];
    expect(written(kernels)).toEqual([...["drawn", "place", "b", "sum"], ...["place", "c", "e", "d"]]);
  });

  const others: Record<string, readonly [kernels: readonly Kernel[], order: readonly string[]]> = {
    "somebody reads the result": [
      [read, take, write, adding(place, used), copy(a, b), meet],
      ["drawn", "place", "b", "place", "sum", "used"],
    ],
    "an exchange waits for the result": [
      [read, take, write, exchange("add", place, sum), copy(sum, c)],
      ["drawn", "place", "place", "sum", "c"],
    ],
    "there is no exchange behind it": [
      [meet, copy(sum, used), copy(used, row), read, take, write],
      ["sum", "drawn", "place", "used", "row", "place"],
    ],
    "nobody has read the array": [
      [take, write, sort(old, drawn), copy(a, b), meet],
      ["place", "b", "drawn", "place", "sum"],
    ],
    "it was copied from another array": [
      [read, copy(f, place), write, copy(a, b), meet],
      ["drawn", "place", "b", "place", "sum"],
    ],
  };
  it.each(Object.entries(others))("comes as soon as it can where %s", (_, [kernels, order]) => {
    expect(written(kernels)).toEqual(order);
  });
});

it("loops and messages stay where they are, with what is inside in order", () => {
  const inside = stepsOf([copy(a, b), copy(b, c), copy(d, e)]);
  const steps = [
    ...stepsOf([copy(a, b), print(b), copy(d, e)]),
    loopOf(3, inside),
    ...stepsOf([copy(e, f), copy(a, c)]),
  ];
  const found = inLevels(steps);
  expect(named(found)).toEqual(["a to b", "print", "d to e", "loop", "e to f", "a to c"]);
  const [loop] = found.filter((step) => step.kind === "loop");
  expect(named(loop.body)).toEqual(["a to b", "d to e", "b to c"]);
});

it("memory is in use as long as those run that may be beside its last reader", () => {
  const steps = stepsOf([copy(a, b), copy(b, c), copy(d, e), copy(e, f)]);
  const company = companyOf(findLifetimes(steps, [a, d], [c, f]));
  // The first alone, then two side by side, then the last.
  expect([0, 2, 4, 6].map(company.lasts)).toEqual([1, 5, 5, 7]);
  expect(company.touches(b, 4)).toBe(true);
  expect(company.touches(b, 2)).toBe(false);
});

it("neighbours do not get each other's memory, which they would have to wait for", () => {
  // While b is read for the last time, e is written.
  const steps = stepsOf([sort(a, b), sort(b, c), sort(d, e), sort(e, f)]);
  const places = (sideBySide: boolean) => {
    const fuse = { isCostlyBehind: () => false, smallKernels: 0, isRowWritten: false, turnsAtOnce: () => 1 };
    const plan = planMemory(steps, [a, d], [c, f], [], {
      scratch: () => 0,
      ...(sideBySide && { sideBySide: fuse }),
    });
    return [b, e].map((one) => plan.addresses.get(one));
  };
  const [[alone, next], [mine, theirs]] = [places(false), places(true)];
  expect(alone).toBe(next);
  expect(mine).not.toBe(theirs);
});
