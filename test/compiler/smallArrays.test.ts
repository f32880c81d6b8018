// Compiled programs on arrays of nothing, of one element and of no axes equal interpreted ones.
import { describe, it } from "vitest";
import { lax, np, type Array } from "vibe-rl/array";
import { expectSame, wholeNumbers, type Computation } from "./compare.js";

describe("arrays of nothing and of one element", () => {
  const programs: Record<string, Computation> = {
    "are added, joined and summed": (x, y) => [
      x.add(1),
      np.concatenate([x, y]),
      np.concatenate([x, x]).sum(),
      x.mul(y.sum()),
    ],
    "stay what they are": (x, y) => [x, x, y, x.T.reshape([-1, 2]), np.flip(x), x.slice(":", 0)],
    "are compared": (x, y) => [x.less(y.slice(":1")), np.any(x.greater(0)), np.all(x.greater(0)), x.equal(x)],
    "go through loops": (x, y) =>
      lax.scan((c: Array, row: Array) => [c.add(row.sum()), row.mul(c)], y.sum(), x),
    "are loops' state": (x, y) =>
      lax.foriLoop(0, 3, (i, c: [Array, Array]): [Array, Array] => [c[0].add(i), c[1].add(c[0].sum())], [
        x,
        y,
      ] as [Array, Array]),
    "go through branches": (x, y) =>
      lax.cond(
        y.sum().greater(0),
        (a: Array) => a.add(1),
        (a: Array) => a,
        x,
      ),
    "are sorted": (x, y) => [np.sort(x, 0), np.sort(y, 0), np.argsort(x, 1)],
  };
  it.each(Object.entries(programs))("%s", (_, f) => {
    for (const [rows, others] of [
      [0, 3],
      [0, 0],
      [1, 1],
      [1, 0],
    ]) {
      expectSame(f, [wholeNumbers([rows, 2]), wholeNumbers([others, 2])]);
    }
  });
  it("scalars", () => {
    expectSame(
      (x, n, p) => [
        x.add(n),
        x.mul(2).sub(x),
        np.where(p, x, n),
        np.sin(x.mul(0)),
        n.floorDivide(3),
        n.mod(-4),
        p.not().and(n.greater(1)),
        x.reshape([1, 1]).sum(),
        np.broadcastTo(x, [3]),
        x.astype("int32"),
        p.astype("uint8"),
        np.stack([x, n.astype("float32"), p.astype("float32")]),
        x,
      ],
      [np.float32(3), np.int32(-7), np.bool(true)],
    );
  });
});
