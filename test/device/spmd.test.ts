// Collectives between devices that are threads: every kind, every dtype, on lines and squares of devices.
import { describe, expect, it } from "vitest";
import { lax, np, type Array, type DType, type NamedAxis } from "../../src/array/index.js";
import { bind, bindOne } from "../../src/array/core/trace.js";
import {
  allGather,
  allToAll,
  axisIndex,
  pmax,
  pmin,
  ppermute,
  psum,
  psumScatter,
} from "../../src/array/primitives/collectives.js";
import { line, runTogether, square, type Block } from "./spmd.js";

const numbers = (count: number): number[] => globalThis.Array.from({ length: count }, (_, at) => at);
const float = Math.fround;

/** Numbers whose sums depend on the order of adding. */
const rough = (device: number, position: number): number =>
  float(Math.sin(1 + position * 7.3 + device * 2.1) * 10 ** ((position + device) % 6));

const sumInOrder = (values: readonly number[]): number => values.reduce((a, b) => float(a + b));

const all = { axes: ["data"] };

describe("psum", () => {
  it.each([1, 2, 4])("adds in the order of %i devices, and all get the same bits", (devices) => {
    // The first fits the small way, the others do not; 7 and 2003 do not divide by anything.
    for (const size of [1, 7, 64, 2003]) {
      const [sums] = runTogether(line(devices), [{ shape: [size], at: rough }], (x) => bind(psum, [x], all));
      const expected = numbers(size).map((at) =>
        sumInOrder(numbers(devices).map((device) => rough(device, at))),
      );
      for (const own of sums) expect(own).toEqual(expected);
    }
  });

  it("takes several arrays at once, of any dtype and size", () => {
    const blocks: Block[] = [
      { shape: [3, 5], at: rough },
      { shape: [], dtype: "int32", at: (device) => device - 2 },
      { shape: [2500], dtype: "uint8", at: (device, at) => 100 * device + (at % 90) },
      { shape: [0], at: rough },
      { shape: [33], dtype: "uint32", at: (device, at) => 2 ** 31 + device * 5 + at },
      { shape: [19], dtype: "bool", at: (device, at) => Number(at % 4 === device) },
    ];
    const results = runTogether(line(4), blocks, (...arrays) => bind(psum, arrays, all));
    const sum = ({ at }: Block, position: number): number[] =>
      numbers(4).map((device) => at(device, position));
    const plain = (values: number[]): number => values.reduce((a, b) => a + b);
    const expected = [
      numbers(15).map((at) => sumInOrder(sum(blocks[0], at))),
      [-2],
      numbers(2500).map((at) => plain(sum(blocks[2], at)) % 256),
      [],
      numbers(33).map((at) => plain(sum(blocks[4], at)) % 2 ** 32),
      numbers(19).map(() => 1),
    ];
    results.forEach((devices, at) => devices.forEach((own) => expect(own).toEqual(expected[at])));
  });

  it("goes along either axis of a square, or both", () => {
    const at = (device: number) => 10 ** device;
    const along = (axes: string[]) =>
      runTogether(square, [{ shape: [3], at }], (x) => bind(psum, [x], { axes }))[0].map(([first]) => first);
    expect(along(["data"])).toEqual([101, 1010, 101, 1010]);
    expect(along(["model"])).toEqual([11, 11, 1100, 1100]);
    expect(along(["data", "model"])).toEqual([1111, 1111, 1111, 1111]);
  });

  it("of what is known when compiling counts the devices", () => {
    const [counts] = runTogether(line(4), [], () => bind(psum, [np.float32(1)], all));
    expect(counts).toEqual([[4], [4], [4], [4]]);
  });
});

describe("pmax and pmin", () => {
  const extremes = (dtype: DType, at: Block["at"]) =>
    runTogether(line(4), [{ shape: [700], dtype, at }], (x) => [
      bindOne(pmax, [x], all),
      bindOne(pmin, [x], all),
    ]);

  it("choose as Math.max and Math.min do, NaN included", () => {
    const at = (device: number, position: number): number =>
      position % 50 === device ? NaN : rough(device, position);
    const [largest, smallest] = extremes("float32", at);
    const values = numbers(700).map((position) => numbers(4).map((device) => at(device, position)));
    for (const own of largest) expect(own).toEqual(values.map((list) => Math.max(...list)));
    for (const own of smallest) expect(own).toEqual(values.map((list) => Math.min(...list)));
  });

  it("know the signs of integers", () => {
    const at = (device: number, position: number): number =>
      (device % 2 === 0 ? 300 - position : position) - device;
    const values = numbers(700).map((position) => numbers(4).map((device) => at(device, position)));
    expect(extremes("int32", at)[0][3]).toEqual(values.map((list) => Math.max(...list)));
    const unsigned = (value: number): number => value >>> 0;
    expect(extremes("uint32", at)[1][2]).toEqual(values.map((list) => Math.min(...list.map(unsigned))));
    const byte = (value: number): number => value & 255;
    expect(extremes("uint8", at)[0][1]).toEqual(values.map((list) => Math.max(...list.map(byte))));
    const bool = (device: number, position: number): number => Number(position % (device + 2) === 0);
    const [any, every] = extremes("bool", bool);
    expect(any[0]).toEqual(numbers(700).map((p) => Number(numbers(4).some((d) => bool(d, p) === 1))));
    expect(every[3]).toEqual(numbers(700).map((p) => Number(numbers(4).every((d) => bool(d, p) === 1))));
  });
});

/** The position of an index in a row-major array. */
const flat = (shape: readonly number[], index: readonly number[]): number =>
  index.reduce((position, at, axis) => position * shape[axis] + at, 0);

/** Elements of a row-major array by a function of the index. */
function fill(shape: readonly number[], element: (index: readonly number[]) => number): number[] {
  const walk = (index: readonly number[]): number[] =>
    index.length === shape.length
      ? [element(index)]
      : numbers(shape[index.length]).flatMap((at) => walk([...index, at]));
  return walk([]);
}

const replaced = (list: readonly number[], at: number, value: number): number[] => list.with(at, value);

// Large and small, with a last axis that is moved in one piece and one that is not.
const shapes = [
  [4, 2, 3],
  [8, 12, 20],
] as const;

describe("blocks that change hands", () => {
  const at = (device: number, position: number): number => device * 100_000 + position;

  it.each([0, 1, 2])("allGather puts them side by side along dimension %i", (axis) => {
    for (const shape of shapes) {
      const [gathered] = runTogether(line(4), [{ shape, at }], (x) =>
        bind(allGather, [x], { axes: ["data"], size: 4, axis }),
      );
      const expected = fill(replaced(shape, axis, shape[axis] * 4), (index) =>
        at(
          Math.floor(index[axis] / shape[axis]),
          flat(shape, replaced(index, axis, index[axis] % shape[axis])),
        ),
      );
      for (const own of gathered) expect(own).toEqual(expected);
    }
  });

  it.each([0, 1, 2])("psumScatter leaves each its part of the sums along dimension %i", (axis) => {
    for (const small of shapes) {
      const shape = replaced(small, axis, small[axis] * 4);
      const [scattered] = runTogether(line(4), [{ shape, at: rough }], (x) =>
        bind(psumScatter, [x], { axes: ["data"], size: 4, axis }),
      );
      scattered.forEach((own, device) => {
        const whole = (index: readonly number[]) =>
          flat(shape, replaced(index, axis, index[axis] + device * small[axis]));
        const expected = fill(small, (index) =>
          sumInOrder(numbers(4).map((from) => rough(from, whole(index)))),
        );
        expect(own).toEqual(expected);
      });
    }
  });

  it("ppermute hands them on, and zeros to who gets none", () => {
    for (const size of [3, 3001]) {
      const [moved] = runTogether(line(4), [{ shape: [size], dtype: "int32", at }], (x) =>
        bind(ppermute, [x], {
          axes: ["data"],
          size: 4,
          pairs: [
            [0, 1],
            [1, 2],
            [3, 0],
          ],
        }),
      );
      const from = (device: number): number[] => numbers(size).map((position) => at(device, position));
      expect(moved).toEqual([from(3), from(0), from(1), numbers(size).map(() => 0)]);
    }
  });

  it.each([
    [0, 0],
    [0, 2],
    [2, 0],
    [1, 2],
    [2, 1],
  ])("allToAll cuts along dimension %i and joins along %i", (split, join) => {
    for (const small of shapes) {
      const from = replaced(small, split, small[split] * 4);
      const piece = small;
      const to = split === join ? from : replaced(small, join, small[join] * 4);
      const [joined] = runTogether(line(4), [{ shape: from, dtype: "int32", at }], (x) =>
        bind(allToAll, [x], { axes: ["data"], size: 4, split, join }),
      );
      joined.forEach((own, device) => {
        const expected = fill(to, (index) => {
          const sender = Math.floor(index[join] / piece[join]);
          const inside = replaced(index, join, index[join] % piece[join]);
          const there = replaced(inside, split, inside[split] + device * piece[split]);
          return at(sender, flat(from, there));
        });
        expect(own).toEqual(expected);
      });
    }
  });

  it("go along one axis of a square, in the order of the names", () => {
    const gather = (axes: string[], size: number) =>
      runTogether(square, [{ shape: [1], at }], (x) => bind(allGather, [x], { axes, size, axis: 0 }))[0].map(
        (own) => own.map((value) => value / 100_000),
      );
    expect(gather(["model"], 2)).toEqual([
      [0, 1],
      [0, 1],
      [2, 3],
      [2, 3],
    ]);
    expect(gather(["data"], 2)[1]).toEqual([1, 3]);
    expect(gather(["data", "model"], 4)[2]).toEqual([0, 1, 2, 3]);
    expect(gather(["model", "data"], 4)[2]).toEqual([0, 2, 1, 3]);
  });
});

describe("axisIndex", () => {
  it("tells each device its place, also in index arithmetic", () => {
    const places = (axes: string[]) =>
      runTogether(square, [], () => bind(axisIndex, [], { axes }))[0].map(([place]) => place);
    expect(places(["data"])).toEqual([0, 0, 1, 1]);
    expect(places(["model"])).toEqual([0, 1, 0, 1]);
    expect(places(["model", "data"])).toEqual([0, 2, 1, 3]);
    const rows = (x: Array) => [lax.dynamicIndexInDim(x, bindOne(axisIndex, [], all).mul(2))];
    const [own] = runTogether(line(4), [{ shape: [8], at: (_, position) => position }], rows);
    expect(own).toEqual([[0], [2], [4], [6]]);
  });
});

describe("errors", () => {
  const run = (axes: readonly NamedAxis[], f: (x: Array) => readonly Array[]) => () =>
    runTogether(axes, [{ shape: [8], at: () => 0 }], f);

  it("name axes that there are not, and other numbers of devices", () => {
    expect(run(square, (x) => bind(psum, [x], { axes: ["batch"] }))).toThrow(
      'psum: there is no axis "batch"; the devices are arranged along "data", "model"',
    );
    expect(run(line(2), (x) => bind(allGather, [x], { axes: ["data"], size: 4, axis: 0 }))).toThrow(
      "allGather: it was made for 4 devices along data; there are 2",
    );
    expect(run(square, (x) => bind(psum, [x], { axes: ["data", "data"] }))).toThrow(
      'psum: the axis "data" is named twice',
    );
  });

  it("say what each device needs where they do not fit into one memory together", () => {
    const large = () =>
      runTogether(line(4), [{ shape: [2 ** 28 + 1], dtype: "int32", at: () => 0 }], (x) =>
        bind(psum, [x.add(1).mul(x)], all),
      );
    expect(large).toThrow(
      /spmd: the program needs [1-3]\.\d\d GiB on each of 4 devices, \d+\.\d\d GiB together/,
    );
  });
});
