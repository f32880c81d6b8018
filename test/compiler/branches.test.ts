// Compiled branches equal interpreted ones.
import { describe, it } from "vitest";
import { lax, np, vmap, type Array } from "vibe-rl/array";
import { expectSame } from "./compare.js";
import { itIsSame, loopArguments, type Pair } from "./loops.js";

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
