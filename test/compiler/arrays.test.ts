// Compiled programs that move elements around equal interpreted ones: rearrangements, joins and padding.
import { describe, it } from "vitest";
import { grad, lax, np, type Array } from "vibe-rl/array";
import { bindOne } from "../../src/array/core/trace.js";
import { pad as padPrimitive } from "../../src/array/primitives/slice.js";
import { expectAllSame, expectSame, wholeNumbers, type Computation } from "./compare.js";

/** Views and rearrangements of any array with two axes. */
const rearrangements: Record<string, (x: Array) => unknown> = {
  transposed: (x) => [x.T, x.T.add(1), x.add(x.T.reshape(x.shape))],
  flipped: (x) => [np.flip(x), np.flip(x, 0), np.flip(x, 1).add(x), np.flip(np.flip(x.T, 0), 1)],
  rolled: (x) => [np.roll(x, 1, 0), np.roll(x, -2, 1), np.roll(x, 5), np.roll(np.roll(x, 1, 0), 2, 1).mul(x)],
  sliced: (x) => [
    x.slice("1:"),
    x.slice(":", "::2"),
    x.slice("::-1", "1::3"),
    x.slice("2:1"),
    x.slice(":-1", "-1:").mul(2),
  ],
  "with new axes": (x) => [x.slice(null, ":", null), np.expandDims(x, [0, 3]), x.slice(":", null).squeeze(1)],
  padded: (x) => [
    np.pad(x, 2),
    np.pad(
      x,
      [
        [0, 3],
        [1, 0],
      ],
      { constantValues: 1 },
    ),
    np.pad(x, 1).slice("1:-1", "1:-1"),
    np.pad(x.T, 1).add(1),
  ],
  joined: (x) => [
    np.concatenate([x, x.mul(2)]),
    np.concatenate([x, x, x], 1),
    np.stack([x, np.flip(x)], 1),
    np.hstack([x, np.zeros([x.shape[0], 2])]),
  ],
  "joined, used and cut": (x) => {
    const all = np.concatenate([x, x.add(1), x.T.reshape(x.shape)]);
    return [all.slice("1::2", "::-1"), all.sum(0), all.mul(2), np.concatenate([all, all], 1)];
  },
  repeated: (x) => [np.repeat(x, 3, 0), np.repeat(x, 2, 1), np.tile(x, [2, 3]), np.repeat(x, 2)],
  broadcast: (x) => [
    np.broadcastTo(x, [4, ...x.shape]),
    x.slice(null).add(x.slice(":", null)),
    np.broadcastTo(x.sum(), [3, 3]),
  ],
  reshaped: (x) => [
    x.reshape(-1),
    x.T.reshape(-1),
    x.reshape([x.shape[1], x.shape[0]]).T,
    x.reshape([1, ...x.shape, 1]).add(1),
  ],
  "reshaped again and again": (x) =>
    np
      .flip(x.reshape([x.size]))
      .reshape(x.shape)
      .T.reshape([x.size])
      .mul(2)
      .reshape([1, x.size]).T,
  triangular: (x) => [np.tril(x), np.triu(x, 1), np.where(np.eye(x.shape[0], x.shape[1]).greater(0), x, 1)],
  counted: (x) => [
    x.add(np.arange(x.shape[1])),
    x.mul(lax.iota("float32", x.shape, 0)),
    np.arange(x.size).reshape(x.shape),
  ],
  "split and swapped": (x) =>
    np
      .split(x, [1, 3])
      .reverse()
      .map((part) => part.mul(2)),
};

describe("matrices", () => {
  const shapes = [
    [1, 1],
    [3, 5],
    [5, 4],
    [4, 17],
    [17, 3],
    [1, 9],
    [9, 1],
    [33, 12],
    [21, 2],
    [10, 8],
    [0, 3],
    [3, 0],
  ];
  it.each(Object.entries(rearrangements))("%s", (_, f) => {
    expectAllSame(
      (["float32", "uint8", "bool"] as const).flatMap((dtype) =>
        shapes.map((shape) => ({ name: `${dtype}[${shape.join()}]`, f, args: [wholeNumbers(shape, dtype)] })),
      ),
    );
  });
});

describe("cubes", () => {
  const shapes = [
    [2, 3, 4],
    [5, 1, 3],
    [4, 4, 4],
    [3, 9, 2],
    [7, 5, 17],
    [2, 0, 3],
    [1, 1, 1],
  ];
  const programs: Record<string, Computation> = {
    "every order of axes": (x) =>
      [
        [0, 2, 1],
        [1, 0, 2],
        [1, 2, 0],
        [2, 0, 1],
        [2, 1, 0],
      ].flatMap((order) => {
        const moved = x.transpose(order);
        return [moved, moved.add(1).reshape(-1), moved.sum(1), moved.transpose(order).mul(2)];
      }),
    "operands that broadcast": (x) => [
      x.add(x.slice(":1")),
      x.mul(x.slice(":", ":1")),
      x.sub(x.slice(":", ":", ":1").transpose([0, 1, 2])),
      x.slice(":1", ":", ":1").add(x.slice(":", ":1")),
      np.where(x.greater(0), x.slice(":", ":1", ":1"), np.arange(x.shape[2]).astype("float32")),
    ],
    "short axes at the end": (x) => [
      x.reshape([x.size, 1]).mul(3),
      np.stack([x, x.neg(), x.mul(x)], 3),
      np.stack([x, x], 3).sum(3),
    ],
    "joined along the middle": (x) => [
      np.concatenate([x, x.neg()], 1).sum(1),
      np.stack([x, x.mul(2)], 1).max(1),
      np.stack([x, x], 2),
    ],
    "windows of an image": (x) => [
      np
        .pad(x, [
          [0, 0],
          [1, 1],
          [0, 0],
        ])
        .slice(":", ":-2"),
      np.pad(x, 1).slice("2:", "1:-1", ":-2").sub(x),
    ],
  };
  it.each(Object.entries(programs))("%s", (_, f) => {
    expectAllSame(shapes.map((shape) => ({ name: `[${shape.join()}]`, f, args: [wholeNumbers(shape)] })));
  });
});

describe("padding", () => {
  const pad = (
    x: Array,
    value: Array,
    low: readonly number[],
    high: readonly number[],
    interior: readonly number[],
  ) => bindOne(padPrimitive, [x, value], { low, high, interior });
  const widths: Record<string, [low: number[], high: number[], interior: number[]]> = {
    around: [
      [1, 2],
      [3, 0],
      [0, 0],
    ],
    "cut off": [
      [-1, 0],
      [-2, -1],
      [0, 0],
    ],
    "cut off and added": [
      [-2, 3],
      [1, -4],
      [0, 0],
    ],
    "cut off altogether": [
      [-5, 0],
      [0, 2],
      [0, 0],
    ],
    between: [
      [0, 0],
      [0, 0],
      [1, 2],
    ],
    "between and around": [
      [2, 1],
      [0, 3],
      [2, 0],
    ],
    "between and cut off": [
      [-1, -2],
      [-3, -1],
      [1, 2],
    ],
    "far around": [
      [0, 3000],
      [0, 6000],
      [0, 0],
    ],
  };
  it.each(Object.entries(widths))("%s", (_, [low, high, interior]) => {
    expectSame((x, v) => pad(x, v, low, high, interior), [wholeNumbers([5, 6]), np.float32(7)]);
    expectSame(
      (x, v) => [pad(x.T, v.mul(2), low, high, interior).add(1), x.sum()],
      [wholeNumbers([6, 5]), np.float32(7)],
    );
    expectSame(
      (x, v) => pad(x.mul(2), v, low, high, interior).sum(0),
      [wholeNumbers([5, 6], "uint8"), np.uint8(200)],
    );
    expectSame(
      grad(
        (x: Array, v: Array) =>
          pad(x, v, low, high, interior)
            .mul(np.arange(pad(x, v, low, high, interior).shape[1]).mod(5))
            .sum(),
        {
          argnums: [0, 1],
        },
      ),
      [wholeNumbers([5, 6]), np.float32(7)],
    );
  });
  it("in other modes", () => {
    for (const mode of ["edge", "wrap", "reflect"] as const) {
      expectSame(
        (x) =>
          np.pad(
            x,
            [
              [2, 3],
              [1, 4],
            ],
            { mode },
          ),
        [wholeNumbers([5, 6])],
      );
    }
  });
});
