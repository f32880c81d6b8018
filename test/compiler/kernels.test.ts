// Kernels mean what kernel.ts says: run one point after the other in any order that they leave free, they give what the
// array language says, and never leave their buffers; also where buffers share memory by plan.
import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { debug, grad, jit, lax, np, random, vmap, type Array } from "vibe-rl/array";
import { bind, bindOne, traceProgram } from "../../src/array/core/trace.js";
import { arrayType, simulateSpmd, type Program } from "../../src/array/index.js";
import * as collectives from "../../src/array/primitives/collectives.js";
import { fuseProgram } from "../../src/compiler/fuse/program.js";
import type { Address, Buffer, Expression, Kernel, LoopKernel, Step } from "../../src/compiler/kernel.js";
import { staysInside } from "../../src/compiler/reach.js";
import { kernelRoots } from "../../src/compiler/schedule/nest.js";
import { simplifyProgram } from "../../src/compiler/index.js";
import { expressionsBelow, kernelsIn } from "../../src/compiler/walk.js";
import { expressions, toFunction as toVectorFunction } from "../array/randomPrograms.js";
import { differences, type Tolerance } from "../closeness.js";
import { goldenCases } from "../goldenCases/index.js";
import { wholeNumbers, type Computation } from "./compare.js";
import { kernelBackends } from "./kernelBackend.js";
import { runSteps } from "./kernelInterpreter.js";
import { Memory } from "./kernelValues.js";
import { argumentsFor, mixedPrograms, toFunction } from "./mixedPrograms.js";
import { stateArguments, statePrograms, toStateFunction } from "./statePrograms.js";

const runs = 12 * Number(process.env.PROPERTY_RUNS ?? 1);

/** Fails unless the kernels of a function give the answer of the array language. */
function expectKernels(f: Computation, args: readonly Array[], tolerance: Tolerance = {}): void {
  const expected = jit(f, { device: "interpreter" })(...args);
  for (const { name } of kernelBackends) {
    expect(differences(jit(f, { device: name })(...args), expected, tolerance), name).toEqual([]);
  }
}

describe("kernels give the golden figures", () => {
  it.each(Object.entries(goldenCases))("%s", (_, cases) => {
    for (const { f, args, check } of cases) check(jit(f, { device: "kernels" })(...args));
  });
});

describe("kernels of random programs give the answers of the array language", { timeout: 600_000 }, () => {
  const assert = <T>(property: fc.IProperty<T>): void => fc.assert(property, { numRuns: runs, seed: 7 });

  it("over all dtypes: integers and bool equal, floats near", () => {
    const property = fc.property(mixedPrograms(), fc.nat(100), (program, seed) =>
      expectKernels(toFunction(program), argumentsFor(program, seed), { rtol: 1e-5, atol: 2e-5 }),
    );
    assert(property);
  });

  it("with states that loops and branches exchange and overwrite", () => {
    const property = fc.property(statePrograms(), fc.nat(10), (program, seed) =>
      expectKernels(toStateFunction(program), stateArguments(seed)),
    );
    assert(property);
  });

  it("differentiated and vectorised", () => {
    const property = fc.property(expressions("static"), fc.nat(100), (expression, seed) => {
      const f = grad((x: Array) => toVectorFunction(expression)(x).sum());
      expectKernels(vmap(f), [random.normal(random.key(seed), [3, 5])], { rtol: 5e-5, atol: 5e-6 });
    });
    assert(property);
  });
});

describe("the order of elements", () => {
  const awkward = np.array([NaN, 3, -0, 0, -Infinity, NaN, Infinity, 3, -7, 7, 1, 2]).reshape([3, 4]);
  const programs: Record<string, [Computation, readonly Array[]]> = {
    "NaN wins in largest and smallest, and where they are": [
      (x) => [0, 1].flatMap((axis) => [x.max(axis), x.min(axis), np.argmax(x, axis), np.argmin(x, axis)]),
      [awkward],
    ],
    "of long rows, too": [
      (x) => [x.max(1), x.min(1), np.argmax(x, 1), np.argmin(x, 1)],
      [np.tile(awkward, [1, 5])],
    ],
    "NaN comes last, equals stay in order": [
      (x) => [np.sort(x, 0), np.argsort(x, 1), np.argsort(np.tile(x, [1, 4]), 1)],
      [awkward],
    ],
    "nothing has a sum, and all of nothing is true": [
      (x) => [x.sum(0), np.all(x.greater(0), 0), np.any(x.greater(0), 0)],
      [np.zeros([0, 20])],
    ],
    "an index outside of the branches takes the nearest": [
      (x, i) =>
        [-3, 0, 1, 9].map((by) =>
          lax.switch(i.add(by), [(y: Array) => y, (y: Array) => y.mul(2), (y: Array) => y.sub(1)], x),
        ),
      [wholeNumbers([5]), np.int32(0)],
    ],
    "the last of several updates of one place wins": [
      (x, at, y) => x.at(at).set(y),
      [
        np.zeros([4]),
        np
          .int32(1)
          .mul(np.array([0, 1, 0, 1, 2, 0]))
          .astype("int32"),
        np.arange(6),
      ],
    ],
    "updates that collide all count": [
      (x, at) => [x.at(at).add(1), x.at(at).mul(2), x.at(at).max(np.arange(6)), x.at(at).min(-1)],
      [np.ones([4]), np.array([0, 1, 0, 7, 2, 0]).astype("int32")],
    ],
  };
  it.each(Object.entries(programs))("%s", (_, [f, args]) => expectKernels(f, args));
});

/** Loops with padding around: what is beside, in several axes, shifted, inside one another, at computed places. */
const padded: Record<string, [Computation, readonly Array[]]> = {
  "on both sides": [(x) => np.pad(x, [[2, 3]]).mul(2), [wholeNumbers([7])]],
  "of two axes, from what is written out": [
    (x, y) =>
      np
        .pad(x.mul(y).add(1), [
          [1, 0],
          [2, 2],
        ])
        .sum(0),
    [wholeNumbers([5, 12]), wholeNumbers([12])],
  ],
  "inside padding, and cut off": [
    (x) => np.pad(np.pad(x, [[3, 1]]).slice("1:"), [[1, 4]]).add(np.pad(x, [[0, 8]])),
    [wholeNumbers([6])],
  ],
  "of what is looked up": [(x, i) => np.pad(x.slice(i), [[4, 4]]), [wholeNumbers([9]), np.arange(9)]],
  "looked up itself": [(x, i) => np.pad(x, [[4, 4]]).slice(i), [wholeNumbers([9]), np.arange(17)]],
  "of rows of a loop": [
    (x) =>
      lax.scan((carry: Array, row: Array) => [carry.add(np.pad(row, [[1, 1]])), carry], np.zeros([8]), x),
    [wholeNumbers([4, 6])],
  ],
  "with the edges of an image": [
    (x, k) => lax.convGeneralDilated(x, k, [1, 1], "SAME"),
    [wholeNumbers([2, 5, 6, 3]), wholeNumbers([3, 3, 3, 4])],
  ],
};

/** The kernels of a function. */
function kernelsOf(f: Computation, args: readonly Array[]): Kernel[] {
  const { program } = traceProgram(
    "test",
    args.map(({ type }) => type),
    (inputs) => [f(...inputs)].flat(2) as Array[],
  );
  return kernelsIn(fuseProgram(simplifyProgram(program)).steps);
}

describe("padding", () => {
  it.each(Object.entries(padded))("%s", (_, [f, args]) => expectKernels(f, args));

  it("loads without a guard stay in their buffer, those with one do not", () => {
    let guarded = 0;
    for (const [f, args] of Object.values(padded)) {
      for (const kernel of kernelsOf(f, args)) {
        if (kernel.kind !== "loop") continue;
        for (const expression of expressionsBelow(kernelRoots(kernel))) {
          if (expression.kind !== "load") continue;
          expect(staysInside(expression.address, kernel.extents)).toBe(expression.guard === null);
          guarded += expression.guard === null ? 0 : 1;
        }
      }
    }
    expect(guarded).toBeGreaterThan(Object.keys(padded).length);
  });
});

it("kernels hand messages to the host in order", () => {
  const lines: unknown[] = [];
  const log = vi.spyOn(console, "log").mockImplementation((line) => void lines.push(line));
  const f = (x: Array) =>
    lax.foriLoop(
      0,
      3,
      (i, y: Array) => {
        debug.print("{i}: {y}", { i, y });
        return y.add(1);
      },
      x,
    );
  jit(f, { device: "kernels" })(np.zeros([2]));
  log.mockRestore();
  expect(lines).toEqual(["0: [0,0]", "1: [1,1]", "2: [2,2]"]);
});

describe("kernels of devices that meet", () => {
  const { psum, pmax, allGather, psumScatter, allToAll, ppermute, axisIndex } = collectives;
  const square = [
    { name: "data", size: 2 },
    { name: "model", size: 2 },
  ];
  const all = { axes: ["data", "model"] };
  const model = { axes: ["model"], size: 2 };
  const programs: Record<string, (x: Array) => readonly Array[]> = {
    "sums and largest": (x) => [...bind(psum, [x, x.mul(2)], all), ...bind(pmax, [x], { axes: ["data"] })],
    "blocks side by side": (x) => [
      bindOne(allGather, [x], { ...model, axis: 1 }),
      bindOne(psumScatter, [x], { ...model, axis: 0 }),
      bindOne(allToAll, [x], { ...model, split: 1, join: 0 }),
    ],
    "from one to another": (x) => [
      bindOne(ppermute, [x], { axes: ["model"], size: 2, pairs: [[0, 1]] }),
      bindOne(axisIndex, [], all),
    ],
    "in loops that not all devices run equally often": (x) => {
      const sum = (y: Array): Array => bindOne(psum, [y], model);
      const place: Array = bindOne(axisIndex, [], { axes: ["data"] });
      const count = lax.whileLoop(
        (n: Array) => sum(n).less(place.mul(4).add(2)),
        (n: Array) => n.add(1),
        np.int32(0),
      );
      return [count, lax.foriLoop(0, 3, (_, y: Array) => sum(y).mul(0.5), x)];
    },
  };
  const trace = (f: (x: Array) => readonly Array[]): Program =>
    traceProgram("test", [arrayType([4, 6], "float32")], ([x]) => f(x)).program;

  it.each(Object.entries(programs))("%s", (_, f) => {
    const program = trace(f);
    const blocks = [1, 2, 3, 4].map((seed) => wholeNumbers([4, 6], "float32", seed));
    const expected = simulateSpmd(program, square, [blocks]);
    const options = { name: "test", axes: square, constants: [], donated: [false] };
    const shards = { read: (device: number) => blocks[device].data() };
    for (const { spmd } of kernelBackends) {
      const actual = spmd?.(program, options).run([shards]) ?? [];
      expected.forEach((devices, output) =>
        devices.forEach((own, device) =>
          expect([...actual[output].read(device)], `output ${output} of ${device}`).toEqual([...own.data()]),
        ),
      );
    }
  });
});

describe("the interpreter of kernels refuses", () => {
  const buffer = (id: number, size: number): Buffer => ({ id, dtype: "float32", size, name: `b${id}` });
  const [source, target] = [buffer(0, 4), buffer(1, 4)];
  const at = (of: Buffer, offset = 0, stride = 1): Address => ({
    ...{ buffer: of, offset, counters: [], strides: [stride], computed: [] },
  });
  const load = (address: Address): Expression => ({
    ...{ kind: "load", id: 1, dtype: "float32", address, guard: null },
  });
  const loop = (value: Expression, to: Address): LoopKernel => ({
    ...{ kind: "loop", name: "loop", extents: [4], outer: 4, reductions: [], after: [], order: "free" },
    body: [{ address: to, value, combine: "set", guard: null }],
  });
  const run = (kernel: Kernel): void => {
    const steps: Step[] = [{ kind: "kernel", kernel }];
    runSteps(steps, [new Memory()], { axes: [], print: () => undefined });
  };

  it("elements outside of buffers", () => {
    expect(() => run(loop(load(at(source, -1)), at(target)))).toThrow("element -1 is outside of b0");
    expect(() => run(loop(load(at(source)), at(target, 1)))).toThrow("element 4 is outside of b1");
  });

  it("points that write the same element in any order", () => {
    expect(() => run(loop(load(at(source)), at(target, 0, 0)))).toThrow("writes element 0 of b1 twice");
    expect(() => run({ ...loop(load(at(source)), at(target, 0, 0)), order: "lastWins" })).not.toThrow();
  });

  it("kernels that load what they store", () => {
    expect(() => run(loop(load(at(target)), at(target)))).toThrow("loads from b1, too");
  });
});
