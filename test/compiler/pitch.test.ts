// Arrays that products read get rows further apart where everything goes by their rows, and nothing else changes.
import { describe, expect, it } from "vitest";
import {
  grad,
  jit,
  lax,
  makeProgram,
  np,
  random,
  registerBackend,
  tree,
  vmap,
  type Array,
} from "../../src/array/index.js";
import { fuseProgram } from "../../src/compiler/fuse/program.js";
import { simplifyProgram } from "../../src/compiler/index.js";
import type { Address, Buffer, Expression, Kernel, LoopKernel, Step } from "../../src/compiler/kernel.js";
import { padRows } from "../../src/compiler/schedule/pitch.js";
import { kernelsIn, loadsOf, placesOf } from "../../src/compiler/walk.js";
import { differences, type Tolerance } from "../closeness.js";
import { wholeNumbers, type Case } from "./compare.js";
import { kernelBackend } from "./kernelBackend.js";
import { buffer, copy, exchange, placeOf, print, product, sort, stepsOf } from "./plan/kernels.js";
import { product as productOf } from "./ptx/products.js";
import { rowCases } from "./rowPrograms.js";

const [a, b, c, d] = ["a", "b", "c", "d"].map((name) => buffer(name));
const none: ReadonlySet<Buffer> = new Set();

const sizesIn = (steps: readonly Step[]): Map<number, number> =>
  new Map(
    kernelsIn(steps).flatMap((kernel) => placesOf(kernel).map(({ buffer: { id, size } }) => [id, size])),
  );

/** What becomes of the size of an array. */
const sizeAfter = (of: Buffer, kernels: readonly Kernel[], seen = none): number | undefined =>
  sizesIn(padRows(stepsOf(kernels), seen)).get(of.id);

describe("rows that products read", () => {
  it.each([
    ...[16, 32, 48, 64, 128, 192].map((length) => [length, length + 8] as const),
    // These lie 8 banks apart already, are short, or begin where loads of several elements cannot.
    ...[8, 12, 24, 40, 56, 72, 100].map((length) => [length, length] as const),
  ])("of %i elements lie %i apart", (length, pitch) => {
    const kernel = productOf([64, 64, length], true, true);
    const sizes = [kernel.left, kernel.right].map((operand) => sizeAfter(operand.buffer, [kernel]));
    expect(sizes).toEqual([64 * pitch, 64 * pitch]);
  });

  it("are those of depth or of rows and columns, whichever lie side by side", () => {
    const [kernel] = kernelsIn(padRows(stepsOf([productOf([128, 192, 64], true, false)]), none));
    expect(kernel).toMatchObject({
      left: { buffer: { size: 128 * 72 }, free: [72], depth: [1] },
      right: { buffer: { size: 64 * 200 }, free: [1], depth: [200] },
    });
  });

  it("lie apart wherever they are written and read", () => {
    const kernels = kernelsIn(padRows(stepsOf([product(a, b, c), product(c, c, d)]), none));
    expect(kernels[0]).toMatchObject({
      stores: [{ address: { buffer: { size: 64 * 72 }, strides: [72, 1] } }],
    });
    expect(kernels[1]).toMatchObject({ left: { free: [72] }, stores: [{ address: { strides: [64, 1] } }] });
  });

  it("stay as they are where arrays are not made up of them, or their elements lie apart", () => {
    const odd = buffer("odd", 64 * 64 + 32);
    expect(sizeAfter(odd, [product(odd, b, c)])).toBe(odd.size);
    const whole = product(a, b, c);
    const halved = { ...whole, depth: [32], left: { ...whole.left, depth: [2] } };
    expect([a, b].map((one) => sizeAfter(one, [halved]))).toEqual([4096, 64 * 72]);
  });

  it("stay as they are in arrays that are seen from elsewhere", () => {
    const kernels = [product(a, b, c)];
    expect([a, b].map((one) => sizeAfter(one, kernels, new Set([a])))).toEqual([4096, 64 * 72]);
  });
});

/** Reads a in two loops and writes what it reads to d. */
const reading = (address: Partial<Address>, extents: readonly number[] = [64, 64]): LoopKernel => {
  const value: Expression = {
    ...{ kind: "load", id: 1, dtype: "float32", guard: null },
    address: { ...placeOf(a), strides: [64, 1], computed: [], ...address },
  };
  return {
    ...{ kind: "loop", name: "reading", extents, outer: extents.length, order: "free" },
    ...{ reductions: [], after: [] },
    body: [
      { address: { ...placeOf(d), strides: [64, 1], computed: [] }, value, combine: "set", guard: null },
    ],
  };
};

const [counter, three] = [
  { id: 0, length: 32 },
  { kind: "constant", id: 0, dtype: "int32", value: 3 },
] as const;

describe("what else uses an array that a product reads", () => {
  const byRows: Record<string, [Partial<Address>, readonly number[], Partial<Address>]> = {
    "reads all of it": [{}, [64, 64], { strides: [72, 1] }],
    "reads it by columns": [{ strides: [1, 64] }, [64, 64], { strides: [1, 72] }],
    "reads one element of each row": [{ offset: 63, strides: [64] }, [64], { offset: 63, strides: [72] }],
    "reads the second half of every other row": [
      { offset: 2 * 64 + 32, strides: [128, 1] },
      [31, 32],
      { offset: 2 * 72 + 32, strides: [144, 1] },
    ],
    "reads as many rows, further down at each turn of a loop": [
      { counters: [{ counter, stride: 128 }] },
      [2, 64],
      { counters: [{ counter, stride: 144 }] },
    ],
  };
  it.each(Object.entries(byRows))("finds it where it is if it %s", (_, [address, extents, expected]) => {
    const steps = padRows(stepsOf([product(a, b, c), reading(address, extents)]), none);
    const [found] = loadsOf(kernelsIn(steps)[1]).all;
    expect(found).toMatchObject({ buffer: { size: 64 * 72 }, ...expected });
  });

  const others: Record<string, Kernel> = {
    "walks on into the next row": reading({ offset: 1 }),
    "walks through several rows": reading({ strides: [1] }, [100]),
    "walks backwards": reading({ offset: 63, strides: [64, -1] }),
    "goes on in a row with a loop around": reading({ counters: [{ counter, stride: 32 }] }),
    "computes places in rows": reading({ computed: [{ index: three, stride: 1 }] }, [64, 32]),
    "has rows of another length": product(a, a, buffer("small", 32 ** 2)),
    "copies part of a row": copy(a, buffer("part", 100)),
    sorts: sort(a, d),
    "writes what is sorted": sort(d, a),
    exchanges: exchange("add", a, d),
    "gets it from others": exchange("add", d, a),
    prints: print(a),
  };
  it.each(Object.entries(others))("keeps it as it is if it %s", (_, other) => {
    const kernels = [product(a, b, c), other];
    expect([a, b].map((one) => sizeAfter(one, kernels))).toEqual([4096, 64 * 72]);
  });
});

const devices = [false, true].map((isPlanned) => {
  const name = `${isPlanned ? "planned " : ""}kernels with rows apart`;
  registerBackend(kernelBackend(name, { isPlanned, arrange: padRows }), { isDefault: false });
  return name;
});

const near: Tolerance = { rtol: 1e-3, atol: 1e-4 };

/** Fails unless kernels give the array language's answer; how many arrays have rows further apart. */
function expectSame({ name, f, args }: Case, tolerance: Tolerance = near): number {
  const expected = jit(f, { device: "interpreter" })(...args);
  for (const device of devices)
    expect(differences(jit(f, { device })(...args), expected, tolerance), `${device}: ${name}`).toEqual([]);
  const { steps, inputs, outputs } = fuseProgram(simplifyProgram(makeProgram(f)(...args).program));
  const seen = new Set([...inputs, ...outputs].map(({ place }) => place.buffer));
  const after = sizesIn(padRows(steps, seen));
  return [...sizesIn(steps)].filter(([id, size]) => after.get(id) !== size).length;
}

const [rows, width] = [40, 32];
const normal = (shape: readonly number[], seed: number): Array =>
  random.normal(random.key(seed), shape).mul(0.2);
const x = normal([rows, width], 0);
type Layer = readonly [weights: Array, bias: Array];
const layers = [1, 2].map((seed): Layer => [normal([width, width], seed), normal([width], seed + 2)]);
const network = (net: readonly Layer[], input: Array): Array =>
  net.reduce((y, [w, bias]) => np.tanh(y.matmul(w).add(bias)), input);
const slopes = grad((net: readonly Layer[], input: Array) => np.square(network(net, input)).mean());
const hidden = (w: Array): Array => np.tanh(x.matmul(w));

/** Programs of weights. */
const programs: Record<string, (w: Array) => unknown> = {
  "products of products, in every layout": (w) => {
    const [y, z] = [hidden(w), hidden(w.T)];
    return [y.matmul(w), y.matmul(w.T), y.T.matmul(z), y.matmul(z.T), y.T.matmul(x)];
  },
  "parts of arrays, and arrays of parts": (w) => {
    const both = np.concatenate([hidden(w), hidden(w.mul(2)).slice("::2")]);
    return [both.slice("4:").matmul(w), both.slice(":", "16:").matmul(w.slice(":16")), both.matmul(w)];
  },
  "several products at once": (w) =>
    vmap((scale: Array) => hidden(w.mul(scale)).matmul(hidden(w.T.mul(scale)).T))(np.array([1, 2])),
  "arrays with zeros below and beside them": (w) => {
    const [y, z] = [hidden(w), hidden(w.T)];
    const [below, beside] = [
      [0, 3],
      [1, 0],
    ] as const;
    return [y.matmul(w), np.pad(y, [below, [0, 0]]), z.matmul(w), np.pad(z, [[0, 0], beside])];
  },
  "places that are computed from them, or lie in them": (w) => {
    const [y, z] = [hidden(w), hidden(w.T)];
    const places = y.slice(":", 0).mul(50).astype("int32");
    const filled = x.at(places).get({ mode: "fill", fillValue: 7 });
    return [y.matmul(w), filled, np.ones([9]).at(places).mul(2), z.matmul(w), z.slice(0, places)];
  },
  "the largest of each row of a row": (w) =>
    np
      .sin(np.expandDims(x, 2).mul(w.slice(0, ":20")))
      .max(2)
      .matmul(w),
  "sums over rows and columns": (w) => {
    const y = hidden(w);
    return [y.matmul(w), y.sum(0), y.max(1), y.sub(y.mean(1, { keepdims: true })).sum()];
  },
  "gradients of networks and their biases": (w) => slopes([[w, layers[0][1]], layers[1]], x),
  "training in a loop": (w) =>
    lax.scan(
      (net: readonly Layer[], batch: Array) => {
        const change = slopes(net, batch);
        return [tree.map((value: Array, slope: Array) => value.sub(slope), net, change), null];
      },
      [[w, layers[0][1]], layers[1]] as readonly Layer[],
      np.stack([x, x.mul(2)]),
    )[0],
  "gradients through a loop, which keeps what it computes": grad((w: Array) => {
    const cell = (h: Array, scale: Array): [Array, Array] => {
      const next = np.tanh(h.matmul(w).add(x.mul(scale)));
      return [next, next.mean()];
    };
    return lax.scan(cell, np.zeros([rows, width]), np.array([1, 2, 3]))[1].sum();
  }),
};

describe("programs give the same results with rows apart", () => {
  it.each(Object.entries(programs))("%s", (name, f) => {
    expect(expectSame({ name, f: (w) => f(w), args: [layers[0][0]] })).toBeGreaterThan(0);
  });

  it("of whole numbers, exactly", () => {
    const chain = (...[first, second, third]: Array[]) => [
      first.matmul(second).matmul(third),
      second.T.matmul(first.T.matmul(third)),
    ];
    const args = [1, 2, 3].map((seed) => wholeNumbers([32, 32], "float32", seed));
    expect(expectSame({ name: "a chain", f: chain, args }, {})).toBe(2);
  });

  it("at random", () => {
    const found = rowCases(10, 3, { rows: [32, 40], widths: [16, 32] }).map((one) => expectSame(one));
    expect(found.filter((apart) => apart > 0).length).toBeGreaterThan(3);
  });
});
