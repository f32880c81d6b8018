// Compiled while loops, branches and derivatives of loops equal interpreted ones.
import { describe, expect, it } from "vitest";
import { grad, lax, makeProgram, np, vmap, type Array } from "vibe-rl/array";
import { simplifyProgram } from "../../src/compiler/simplify/simplify.js";
import { expectSame } from "./compare.js";
import { itIsSame, loopArguments, type Pair, type Triple } from "./loops.js";

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

describe("branches", () => {
  const [a, b] = loopArguments;
  const pick = (index: Array, ...args: Array[]) =>
    lax.switch(
      index,
      [(p: Array, q: Array) => [p, q], (p: Array, q: Array) => [q, p], (p: Array, q: Array) => [p.add(q), p]],
      ...(args as Pair),
    );
  it.each([-1000, -1, 0, 1, 2, 3, 1000])("switch of index %i", (index) => {
    expectSame(pick, [np.int32(index), a, b]);
    expectSame((i, a, b) => [pick(i, a, b), a, b, pick(i.add(1), b, a)], [np.int32(index), a, b]);
  });
  itIsSame({
    "that return their operands": (a, b, _, k) =>
      lax.cond(
        k.greater(3),
        (p: Array, q: Array) => [p, q],
        (p: Array, q: Array) => [q, p],
        a,
        b,
      ),
    "that return constants": (a, _, _v, k) =>
      lax
        .cond(
          k.greater(3),
          () => [np.ones([3]), np.int32(1)],
          () => [np.zeros([3]), np.int32(2)],
        )
        .concat([a]),
    "that return what they capture": (a, b, _, k) => [
      lax.cond(
        k.greater(3),
        () => a,
        () => b,
      ),
      a.add(b),
    ],
    "that return one value twice": (a, _, _v, k) =>
      lax.cond(
        k.greater(3),
        (p: Array) => [p.add(1), p],
        (p: Array) => {
          const q = p.mul(2);
          return [q, q];
        },
        a,
      ),
    "with one branch only": (a, _, _v, k) => lax.switch(k, [(p: Array) => p.mul(2)], a),
    "in branches": (a, b, _, k) =>
      lax.cond(
        k.mod(2).equal(0),
        (p: Array) =>
          lax.cond(
            k.less(3),
            (q: Array) => q.add(1),
            (q: Array) => q.sub(b),
            p,
          ),
        (p: Array) =>
          lax.cond(
            k.less(4),
            (q: Array) => np.flip(q),
            (q: Array) => q.mul(b),
            p,
          ),
        a,
      ),
    "with loops in one of them": (a, b, v, k) =>
      lax.cond(
        k.greater(3),
        (p: Array) => lax.scan((c: Array, r: Array) => [c.add(r), c], p, a),
        (p: Array) => [p.neg(), b],
        v,
      ),
    "in every turn": (a, _, v) =>
      lax.scan(
        (c: Array, [r, i]: Pair) => [
          lax.switch(i.mod(3), [(p: Array) => p.add(r), (p: Array) => p, (p: Array) => np.flip(p)], c),
          c.sum(),
        ],
        v,
        [a, np.arange(6)] as Pair,
      ),
    "in every turn, exchanging": (a, _, v) =>
      lax.scan(
        (c: Pair, r: Array) => [
          lax.cond(
            r.sum().greater(0),
            (p: Pair) => [p[1], p[0]] as Pair,
            (p: Pair) => [p[0].add(r), p[0]] as Pair,
            c,
          ),
          c[1],
        ],
        [v, v.mul(3)] as Pair,
        a,
      ),
    "in every turn, updating in place": (a) =>
      lax.scan(
        (c: Array, i: Array) => {
          const next = lax.cond(
            i.mod(2).equal(0),
            (p: Array) => p.at(i).set(p.slice(5)),
            (p: Array) => p,
            c,
          );
          return [next, next.sub(c).sum(1)];
        },
        a,
        np.arange(5),
      ),
    "in every turn, with much left over": (a, b) =>
      lax.scan(
        (c: Array, r: Array) => {
          const kept = np.tanh(c).add(r);
          const chosen = lax.cond(
            r.slice(0).greater(0),
            (p: Array) => np.sort(p).add(np.cumsum(p)),
            (p: Array) => p.matmul(b.T).matmul(b),
            kept,
          );
          return [chosen.mul(0.01), kept.add(chosen)];
        },
        a.slice(0),
        a,
      ),
    "stacked directly": (a) =>
      lax.scan(
        (c: Array, r: Array) => [
          c.add(1),
          lax.cond(
            c.mod(2).equal(0),
            (p: Array) => p,
            (p: Array) => p.neg(),
            r,
          ),
        ],
        np.int32(0),
        a,
      ),
    "of every example": (a) =>
      vmap((r: Array) =>
        lax.cond(
          r.sum().greater(0),
          (p: Array) => p.mul(2),
          (p: Array) => np.flip(p),
          r,
        ),
      )(a),
    "of every example by an index": (a) =>
      vmap((r: Array, i: Array) =>
        lax.switch(i, [(p: Array) => p, (p: Array) => p.neg(), (p: Array) => p.mul(0)], r),
      )(a, np.arange(6).sub(1)),
  });
});

describe("gradients", () => {
  const small = (v: Array) => v.mul(0.1);
  itIsSame(
    {
      "of a scan with several carries": grad(
        (a: Array, b: Array, v: Array) => {
          const [last, all] = lax.scan(
            (c: Triple, r: Array) => [
              [np.tanh(c[1].add(r)), c[2].mul(0.9), c[0].add(c[1])] as Triple,
              c[0].mul(c[2]),
            ],
            [v, small(v), small(b.slice(0))] as Triple,
            small(a),
          );
          return last[0].mul(last[1]).sum().add(all.sum()).add(last[2].sum());
        },
        { argnums: [0, 1, 2] },
      ),
      "of a scan backwards": grad(
        (a: Array, _b: Array, v: Array) =>
          lax
            .scan((c: Array, r: Array) => [np.sin(c).add(small(r)), c.mul(r)], small(v), a, {
              reverse: true,
            })[1]
            .sum(),
        { argnums: [0, 2] },
      ),
      "of nested scans": grad(
        (a: Array, b: Array, v: Array) =>
          lax
            .scan(
              (c: Array, r: Array) => [
                lax.scan((d: Array, s: Array) => [np.tanh(d.mul(s)).add(small(r)), null], c, small(b))[0],
                c.sum(),
              ],
              small(v),
              a,
            )[1]
            .sum(),
        { argnums: [0, 1, 2] },
      ),
      "of a scan with updates": grad(
        (a: Array, _b: Array, v: Array) =>
          lax
            .foriLoop(
              0,
              5,
              (i, c: Array) => c.at(i).set(c.slice(i.add(1)).mul(small(a).slice(i)).sum()),
              small(v),
            )
            .sum(),
        { argnums: [0, 2] },
      ),
      "of branches in a scan": grad(
        (a: Array, _b: Array, v: Array) =>
          lax
            .scan(
              (c: Array, r: Array) => [
                lax.cond(
                  r.sum().greater(0),
                  (p: Array) => np.tanh(p),
                  (p: Array) => p.mul(small(r)),
                  c,
                ),
                null,
              ],
              small(v),
              a,
            )[0]
            .sum(),
        { argnums: [0, 2] },
      ),
      "of every example": (a) =>
        vmap(
          grad((r: Array) =>
            lax.scan((c: Array, s: Array) => [np.tanh(c.add(s).mul(0.5)), c], np.float32(0), r)[1].sum(),
          ),
        )(a),
      "of a recurrent network": grad(
        (a: Array, b: Array) =>
          lax
            .scan(
              (h: Array, r: Array) => [np.tanh(small(b).T.matmul(small(b)).matmul(h).add(small(r))), h.sum()],
              np.zeros([10]),
              a,
            )[1]
            .sum(),
        { argnums: [0, 1] },
      ),
    },
    { rtol: 5e-5, atol: 1e-5 },
  );
});
