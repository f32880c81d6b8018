// Compiled while loops equal interpreted ones, in loops as well.
import { describe, expect, it } from "vitest";
import { lax, makeProgram, np, vmap, type Array } from "vibe-rl/array";
import { simplifyProgram } from "../../src/compiler/simplify/simplify.js";
import { expectSame } from "./compare.js";
import { itIsSame, type Pair } from "./loops.js";

/** A test of a whileLoop: that its counter is small. */
const below = (limit: number | Array) => (c: { readonly i: Array }) => c.i.less(limit);

describe("whileLoop", () => {
  itIsSame({
    "of no turns": (a, b) =>
      lax.whileLoop(
        (c: Pair) => c[0].sum().greater(1e6),
        (c: Pair) => [c[1], c[0].add(1)] as Pair,
        [a, b] as Pair,
      ),
    "of a computed number of turns": (_, _b, v, k) =>
      lax.whileLoop(
        ({ i }) => i.less(k),
        ({ i, c }) => ({ i: i.add(1), c: c.add(i) }),
        { i: np.int32(0), c: v },
      ),
    "until the state says so": (_, _b, v) =>
      lax.whileLoop(
        (c: Array) => c.sum().less(1000),
        (c: Array) => c.mul(2).add(1),
        v.abs(),
      ),
    "carries exchanged": (_, _b, v) =>
      lax.whileLoop(below(5), ({ i, p, q }) => ({ i: i.add(1), p: q, q: p }), {
        i: np.int32(0),
        p: v,
        q: v.add(1),
      }),
    "carries rotated and changed": (_, _b, v) =>
      lax.whileLoop(below(4), ({ i, p, q, r }) => ({ i: i.add(1), p: q.add(i), q: r, r: p }), {
        i: np.int32(0),
        p: v,
        q: v.add(1),
        r: v.mul(2),
      }),
    "a carry that only the end reads": (_, _b, v) =>
      lax.whileLoop(
        ({ i }) => i.less(3).and(np.sort(v.add(i)).slice(0).greater(-1e9)),
        ({ i }) => ({ i: i.add(1), out: np.broadcastTo(i.astype("float32"), [10]).add(0) }),
        { i: np.int32(0), out: v.mul(2) },
      ),
    "a carry that only the test reads": (_, _b, v) =>
      lax.whileLoop(
        ({ i, limit }) => i.less(limit),
        ({ i, limit, c }) => ({ i: i.add(1), limit, c: c.add(1) }),
        { i: np.int32(0), limit: np.int32(4), c: v },
      ).c,
    "a test with much to compute": (a) =>
      lax.whileLoop(
        ({ c }) => np.sort(c.matmul(c.T).sum(0)).slice(-1).less(5000),
        ({ c, t }) => ({ c: c.mul(2), t: np.tanh(c).add(t.mul(0)) }),
        { c: a, t: a },
      ),
    "a test with a loop and a branch": (a) =>
      lax.whileLoop(
        ({ i, c }) =>
          lax.cond(
            i.mod(2).equal(0),
            () =>
              lax
                .scan((sum: Array, r: Array) => [sum.add(r.abs().sum()), null], np.float32(0), c)[0]
                .less(900),
            () => lax.whileLoop(below(7), (d) => ({ i: d.i.add(2) }), { i }).i.less(9),
          ),
        ({ i, c }) => ({ i: i.add(1), c: c.mul(2) }),
        { i: np.int32(0), c: a },
      ),
    "updates in place": (_, _b, v) =>
      lax.whileLoop(
        below(8),
        ({ i, c }) => ({ i: i.add(1), c: c.at(i).set(c.slice(i.add(1)).add(c.slice(9))) }),
        { i: np.int32(0), c: v },
      ),
    "in a scan": (a) =>
      lax.scan(
        (c: Array, r: Array) => [
          c.add(1),
          lax.whileLoop(
            (d: Array) => d.sum().less(50),
            (d: Array) => d.abs().add(c),
            r,
          ),
        ],
        np.float32(1),
        a,
      ),
    "a scan in it": (a) =>
      lax.whileLoop(
        (c: Array) => c.sum().abs().less(500),
        (c: Array) => lax.scan((d: Array, r: Array) => [d.add(r.abs()), null], c, a)[0],
        a.slice(0),
      ),
    "a branch in it": (_, _b, v) =>
      lax.whileLoop(
        below(6),
        ({ i, c }) => ({
          i: i.add(1),
          c: lax.cond(
            i.mod(2).equal(0),
            (d: Array) => d.add(1),
            (d: Array) => d.mul(2),
            c,
          ),
        }),
        { i: np.int32(0), c: v },
      ),
    "of every example": (a) =>
      vmap((r: Array) =>
        lax.whileLoop(
          ({ c }) => c.sum().less(40),
          ({ c, i }) => ({ c: c.abs().add(1), i: i.add(1) }),
          { c: r, i: np.int32(0) },
        ),
      )(a),
    "of every example, nested": (a) =>
      vmap((r: Array) =>
        lax.whileLoop(
          (c: Pair) => c[1].less(4),
          (c: Pair) =>
            [
              lax.whileLoop(
                (d: Array) => d.slice(0).less(c[1].mul(3)),
                (d: Array) => d.add(1),
                c[0],
              ),
              c[1].add(1),
            ] as Pair,
          [r, np.float32(0)] as Pair,
        ),
      )(a),
  });
});

describe("loops in loops", () => {
  it("do not run where the loop around makes no turn: they may never end", () => {
    const nested = (n: Array, k: Array) =>
      lax.whileLoop(
        below(n),
        ({ i, c }) => ({
          i: i.add(1),
          c: c.add(lax.whileLoop(below(k), (d) => ({ i: d.i.add(1) }), { i: np.int32(0) }).i),
        }),
        { i: np.int32(0), c: np.int32(0) },
      );
    const { equations } = simplifyProgram(makeProgram(nested)(np.int32(3), np.int32(3)).program);
    expect(equations.map(({ primitive }) => primitive.name)).toEqual(["while"]);
    expectSame(nested, [np.int32(3), np.int32(3)]);
  });
});
