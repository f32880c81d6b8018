// Compiled scans equal interpreted ones. Their states live in fixed places that every turn overwrites: most programs
// here read something after it could have been overwritten.
import { describe } from "vitest";
import { lax, nn, np, random, type Array } from "vibe-rl/array";
import { itIsSame, type Pair, type Triple } from "./loops.js";

describe("scan", () => {
  itIsSame({
    "carries and stacks": (a, _, v) => lax.scan((c: Array, r: Array) => [c.mul(0.5).add(r), c.sub(r)], v, a),
    backwards: (a, _, v) =>
      lax.scan((c: Array, r: Array) => [c.mul(0.5).add(r), c.sub(r)], v, a, { reverse: true }),
    unrolled: (a, _, v) =>
      lax.scan((c: Array, r: Array) => [c.mul(0.5).add(r), c.sub(r)], v, a, { unroll: 4 }),
    "over trees": (a, b, v) =>
      lax.scan(
        (c: { s: Array; n: Array }, { p, q }: { p: Array; q: Pair }) => [
          { s: c.s.add(p), n: c.n.add(1) },
          { twice: q[0].mul(2), both: [q[1], c.s] },
        ],
        { s: v, n: np.int32(0) },
        { p: a, q: [b, a.less(0)] as Pair },
      ),
    "without a state": (a) => lax.scan((c: null, r: Array) => [c, [r.sum(), np.flip(r)]], null, a),
    "without results": (a, _, v) => lax.scan((c: Array, r: Array) => [np.maximum(c, r), null], v, a)[0],
    "with a length only": (_, _b, v) => lax.scan((c: Array) => [c.add(1), c.sum()], v, null, { length: 5 }),
    "of no turns": (a, _, v) => lax.scan((c: Array, r: Array) => [c.add(r), c.mul(r)], v, a.slice(":0")),
    "of no turns with constants": (_, _b, v) =>
      lax.scan((c: Pair) => [[c[1], c[0]] as Pair, c[0]], [v, np.ones([10])] as Pair, null, { length: 0 }),
    "of one turn": (a, _, v) => lax.scan((c: Array, r: Array) => [c.add(r), c.mul(r)], v, a.slice(":1")),
    "in a scan": (a, b, v) =>
      lax.scan(
        (c: Array, r: Array) => {
          const [inner, all] = lax.scan((d: Array, s: Array) => [d.add(s.mul(r)).mul(0.5), d.sum()], c, b);
          return [inner.sub(r), [all, inner]];
        },
        v,
        a,
      ),
    "in a scan, over rows of its state": (a) =>
      lax.scan(
        (c: Array, r: Array) => {
          const [, sums] = lax.scan(
            (s: Array, line: Array) => [s.add(line.sum()), line.add(s).sub(r)],
            np.float32(0),
            c,
          );
          return [sums.mul(0.5), sums.sum(1)];
        },
        a,
        a,
      ),
    "in a scan, stacking what it stacked": (a, b) =>
      lax.scan(
        (c: Array, r: Array) => [c.add(1), lax.scan((d: Array, s: Array) => [d.add(s), d.mul(r)], c, b)[1]],
        np.zeros([10]),
        a,
      )[1],
    "three deep, each counting": () =>
      lax.foriLoop(
        0,
        3,
        (i, c: Array) =>
          lax.foriLoop(
            0,
            2,
            (j, d: Array) => lax.foriLoop(0, 4, (k, e: Array) => e.mul(2).add(i.mul(j).add(k)), d),
            c,
          ),
        np.int32(1),
      ),
    "of products": (a, b) =>
      lax.scan(
        (c: Array, r: Array) => [np.tanh(c.matmul(b.T).matmul(b).mul(0.01).add(r)), c.dot(r)],
        a.slice(0),
        a,
      ),
    "of sorts and draws": (a) =>
      lax.scan(
        (key: Array, r: Array) => {
          const [next, use] = random.split(key);
          return [next, [np.sort(r.add(random.randint(use, [10], 0, 5))), random.permutation(use, 7)]];
        },
        random.key(3),
        a,
      ),
    "of masks and images": (a) =>
      lax.scan(
        (c: Pair, r: Array) => [[c[0].xor(r), c[1].add(r.astype("uint8"))] as Pair, c],
        [np.zeros([10], { dtype: "bool" }), np.full([10], 250, { dtype: "uint8" })] as Pair,
        a.greater(0),
      ),
  });
});

describe("a scan's carries", () => {
  const turns = (f: (c: Triple, i: Array) => Triple, start: Triple) =>
    lax.scan((c: Triple, i: Array) => [f(c, i), c[0].sum()], start, np.arange(5));
  itIsSame({
    "exchanged every turn": (_, _b, v) =>
      lax.scan((c: Pair) => [[c[1], c[0]] as Pair, c[0]], [v, v.mul(2)] as Pair, null, { length: 5 }),
    "exchanged and changed": (_, _b, v) =>
      lax.scan((c: Pair) => [[c[1].add(1), c[0].mul(2)] as Pair, c[1]], [v, v.mul(2)] as Pair, null, {
        length: 5,
      }),
    rotated: (_, _b, v) => turns(([p, q, r]) => [q, r, p], [v, v.add(1), v.add(2)]),
    "rotated and added": (_, _b, v) => turns(([p, q, r]) => [q, r, p.add(q)], [v, v.add(1), v.add(2)]),
    "rotated the other way": (_, _b, v) => turns(([p, q, r], i) => [r.add(i), p, q], [v, v.add(1), v.add(2)]),
    "one copied into all": (_, _b, v) => turns(([p], i) => [p.add(i), p, p], [v, v.add(1), v.add(2)]),
    "passed through": (_, _b, v) => turns(([p, q, r], i) => [p.add(q).add(i), q, r], [v, v.add(1), v.add(2)]),
    "all passed through": (_, _b, v) => turns((c) => c, [v, v.add(1), v.add(2)]),
    "starting as one array": (_, _b, v) => turns(([p, q, r], i) => [p.add(i), q.mul(2), r.sub(p)], [v, v, v]),
    "starting as an input that is read later": (_, _b, v) => [
      turns(([p, q, r], i) => [p.add(i), q.mul(p), r.sub(q)], [v, v, v.add(1)]),
      v,
      v.mul(3),
    ],
    "starting as constants": () =>
      turns(([p, q, r], i) => [p.add(i), q.add(p), r.add(q)], [np.int32(0), np.int32(1), np.int32(2)]),
    "ending as constants": (_, _b, v) => turns(([p, q], i) => [p.add(i), np.ones([10]), q.add(p)], [v, v, v]),
    "replaced by the row": (a, _, v) =>
      lax.scan((c: Pair, r: Array) => [[r, c[0]] as Pair, c[1]], [v, v.add(1)] as Pair, a),
    "replaced by what does not change": (a, b, v) =>
      lax.scan((c: Pair, r: Array) => [[v, c[0].add(r)] as Pair, c[1]], [v, b.slice(0)] as Pair, a),
    "that nobody reads": (_, _b, v) =>
      lax.scan(
        (c: Pair, i: Array) => [[c[0].add(i), np.sin(c[1])] as Pair, null],
        [v, v] as Pair,
        np.arange(4),
      )[0][0],
    "that come in pairs from one value": (a, _, v) =>
      lax.scan(
        (c: Pair, r: Array) => {
          const next = c[0].add(r);
          return [[next, next] as Pair, [next, next]];
        },
        [v, v] as Pair,
        a,
      ),
    "stacking what does not change": (a, b, v) =>
      lax.scan((c: Array, r: Array) => [c.add(r), [v, b.slice(0), c]], v, a),
    "also stacked": (a, _, v) =>
      lax.scan((c: Array, r: Array) => [c.add(r), [c, c.add(r), r, np.float32(2)]], v, a),
    "views of themselves": (a) =>
      lax.scan(
        (c: Pair) => [[np.flip(c[0]), c[1].T.reshape([6, 10])] as Pair, c[0].slice("::2")],
        [a, a] as Pair,
        null,
        { length: 3 },
      ),
    "neighbours of themselves": (a) =>
      lax.scan(
        (c: Array) => [
          np
            .roll(c, 1, 0)
            .add(np.roll(c, -1, 1))
            .sub(np.flip(c)),
          c.slice(0),
        ],
        a,
        null,
        { length: 4 },
      ),
    "prefix sums of themselves": (_, _b, v) => lax.foriLoop(0, 4, (_i, c: Array) => np.cumsum(c).mod(17), v),
    "transposed products of themselves": (a) =>
      lax.foriLoop(0, 3, (_i, c: Array) => nn.relu(c.matmul(c.T).matmul(c).mod(7)), a),
    "added to their own mean": (a) =>
      lax.foriLoop(0, 5, (_i, c: Array) => c.sub(c.mean(0)).add(c.max(1, { keepdims: true })), a),
  });
});

describe("states updated in place while the old one is still read", () => {
  const n = 5;
  itIsSame({
    "set, then read before": (_, _b, v) =>
      lax.foriLoop(0, n, (i, c: Array) => c.at(i).set(c.slice(i.add(1)).add(c.slice(0))), v),
    "set to a neighbour": (_, _b, v) =>
      lax.foriLoop(0, n, (i, c: Array) => c.at(i.add(1)).set(c.slice(i)), v),
    "the old and the new state": (_, _b, v) =>
      lax.scan(
        (c: Array, i: Array) => {
          const next = c.at(i).set(99);
          return [next, next.sub(c)];
        },
        v,
        np.arange(n),
      ),
    "the old state summed after the update": (_, _b, v) =>
      lax.scan(
        (c: Pair, i: Array) => {
          const next = c[0].at(i).add(5);
          return [[next, c[0]] as Pair, c[0].sum().add(c[1].sum())];
        },
        [v, v] as Pair,
        np.arange(n),
      ),
    "two updates of one state": (_, _b, v) =>
      lax.scan(
        (c: Pair, i: Array) => [[c[0].at(i).set(-1), c[0].at(i.add(1)).set(-2)] as Pair, c[1]],
        [v, v.mul(2)] as Pair,
        np.arange(n),
      ),
    "exchanged and updated": (_, _b, v) =>
      lax.scan(
        (c: Pair, i: Array) => [[c[1].at(i).set(c[0].slice(i)), c[0].at(i).set(c[1].slice(i))] as Pair, null],
        [v, v.mul(2)] as Pair,
        np.arange(n),
      )[0],
    "an update by all of itself": (a) =>
      lax.foriLoop(0, n, (i, c: Array) => c.at(i).set(c.sum(0).sub(c.slice(i))), a),
    "an update by its mirror image": (a) =>
      lax.foriLoop(0, 3, (i, c: Array) => c.at([4, 0, 2]).set(np.flip(c).slice("::2")).at(i).add(1), a),
    "a block moved": (a, _, _v, k) =>
      lax.foriLoop(
        0,
        4,
        (i, c: Array) => lax.dynamicUpdateSlice(c, lax.dynamicSlice(c, [i, k], [2, 5]), [i.add(1), 0]),
        a,
      ),
    "a block exchanged": (a) =>
      lax.foriLoop(
        0,
        4,
        (i, c: Array) => {
          const [top, next] = [
            lax.dynamicSlice(c, [i, 0], [1, 10]),
            lax.dynamicSlice(c, [i.add(1), 0], [1, 10]),
          ];
          return lax.dynamicUpdateSlice(lax.dynamicUpdateSlice(c, next, [i, 0]), top, [i.add(1), 0]);
        },
        a,
      ),
    "a buffer written and sampled": (a, b) =>
      lax.scan(
        (c: { data: Array; at: Array }, r: Array) => {
          const before = c.data.slice(c.at.sub(1)).sum();
          const data = c.data.at(c.at.mod(4)).set(r);
          return [{ data, at: c.at.add(1) }, [before, data.slice(c.at.mod(3)), data.mean()]];
        },
        { data: b.slice(":4"), at: np.int32(2) },
        a,
      ),
    "counts of what was seen": (a) =>
      lax.scan(
        (c: Array, i: Array) => [c.at(i).add(1), c.slice(i)],
        np.zeros([12], { dtype: "int32" }),
        a.reshape(-1).astype("int32").abs(),
      ),
    "a permutation by exchanges": (_, _b, v) =>
      lax.foriLoop(
        0,
        9,
        (i, c: Array) => {
          const j = i.mul(7).add(3).mod(10);
          return c.at(i).set(c.slice(j)).at(j).set(c.slice(i));
        },
        v,
      ),
    "inputs updated, then read again": (a, _, v) => [
      a.at(0).set(v),
      a,
      a.at(1).set(v).add(a),
      lax.dynamicUpdateSlice(a, v.slice(null), [2, 0]).sum(0),
      a.sum(0),
    ],
    "the state of the loop around": (a) =>
      lax.foriLoop(
        0,
        3,
        (i, c: Array) => {
          const inner = lax.foriLoop(
            0,
            4,
            (j, d: Array) => d.at(j).set(c.slice(i).add(d.slice(j.add(1)))),
            c,
          );
          return inner.sub(c);
        },
        a,
      ),
    "the state of the loop around, passed in": (a, _, v) =>
      lax.foriLoop(
        0,
        3,
        (i, c: Pair) =>
          lax.foriLoop(0, 4, (j, d: Pair) => [d[0].at(j).add(d[1]), d[1].add(c[0].slice(i))] as Pair, c),
        [a, v] as Pair,
      ),
  });
});
