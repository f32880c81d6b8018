// Compiled reductions equal interpreted ones.
import { describe, it } from "vitest";
import { np, random, type Array } from "vibe-rl/array";
import { expectAllSame, expectSame, wholeNumbers } from "./compare.js";
import {
  cases,
  derived,
  indexReductions,
  mixedShapes,
  near,
  orderTables,
  reductionPrograms,
  reductions,
  subsets,
  type Reduction,
} from "./reductionPrograms.js";
import { awkwardFloats, dtypes } from "./samples.js";

describe.each(Object.entries(reductions))("%s", (name, f) => {
  const own = derived.includes(name) ? (["float32", "uint8"] as const) : dtypes;
  it.each(own)("over all axes of %s", (dtype) =>
    expectAllSame(
      cases(dtype, f, ({ length }) => subsets(length)),
      near,
    ),
  );
});

describe.each(Object.entries(indexReductions))("%s", (_, f) => {
  it.each(dtypes)("of %s, the first of several equals", (dtype) =>
    expectAllSame(cases(dtype, f, (shape) => [null, ...shape.keys()])),
  );
});

describe("NaN, ties and zeros", () => {
  it.each(Object.entries(orderTables))("%s", (_, choices) => {
    const sizes = [[1], [2], [4], [7], [9], [18], [33], [100], [5, 9], [9, 5], [12, 20], [3, 17, 4]];
    expectAllSame(
      sizes.flatMap((shape) =>
        [null, ...shape.keys()].flatMap((axis) =>
          [1, 2].map((seed) => ({
            name: `[${shape.join()}] along ${axis}`,
            f: (x: Array) => [np.argmax(x, axis), np.argmin(x, axis), x.max(axis), x.min(axis)],
            args: [awkwardFloats(shape, choices, seed)],
          })),
        ),
      ),
    );
  });
});

describe("of nothing", () => {
  const empty = [[0], [3, 0], [0, 3], [0, 100], [100, 0], [2, 0, 3], [0, 0]];
  const whole: Record<string, Reduction> = {
    ...reductions,
    any: (x, axis) => np.any(x, axis),
    all: (x, axis) => np.all(x, axis),
  };
  it.each(Object.keys(whole).filter((name) => name !== "max" && name !== "min"))("%s", (name) => {
    expectAllSame(
      empty.flatMap((shape) =>
        subsets(shape.length).flatMap((axis) =>
          (["float32", "int32", "bool"] as const).map((dtype) => ({
            name: `${dtype}[${shape.join()}] over ${axis.join()}`,
            f: (x: Array) => whole[name](x, axis),
            args: [np.zeros(shape, { dtype })],
          })),
        ),
      ),
    );
  });
  it("max of rows that are there", () => {
    expectSame((x) => [x.max(1), x.min(1), np.argmax(x, 1), np.sort(x, 0)], [np.zeros([0, 5])]);
  });
});

describe("together with other work", () => {
  it.each(Object.entries(reductionPrograms))("%s", (_, f) => {
    const cases = mixedShapes.map((shape) => ({ name: `[${shape.join()}]`, f, args: [wholeNumbers(shape)] }));
    expectAllSame(cases, { rtol: 1e-5, atol: 1e-5 });
  });

  it("sums of many are accurate", () => {
    const x = random.normal(random.key(0), [301, 203]);
    expectSame((a) => [a.sum(), a.sum(0), a.sum(1), a.mean(), a.var()], [x], { rtol: 1e-5, atol: 1e-3 });
  });
});
