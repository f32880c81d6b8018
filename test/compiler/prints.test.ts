// Compiled programs print what interpreted ones print, in the same order.
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { debug, jit, lax, np, vmap, type Array } from "vibe-rl/array";
import type { Computation } from "./compare.js";
import { loopArguments, type Pair } from "./loops.js";

describe("prints", () => {
  let lines: string[] = [];
  beforeEach(() => {
    lines = [];
    vi.spyOn(console, "log").mockImplementation((line: string) => void lines.push(line));
  });
  afterEach(() => vi.restoreAllMocks());

  const programs: Record<string, Computation> = {
    "in order, between and after": (a) => {
      debug.print("first {}", a.slice(0, 0));
      const b = a.add(1);
      debug.print("second {} {}", b.sum(), np.arange(3));
      debug.print("nothing to show");
      return b;
    },
    "in every turn": (a, _, v) =>
      lax.scan(
        (c: Array, r: Array) => {
          debug.print("row {r}, state {c}", { r: r.slice(":2"), c: c.sum() });
          return [c.add(r), c];
        },
        v,
        a,
      ),
    "the rows themselves, backwards": (a) =>
      lax.scan(
        (c: Array, [r, m]: Pair) => {
          debug.print("{} {} {}", c, r, m);
          return [c.add(1), null];
        },
        np.int32(0),
        [a, a.greater(0)] as Pair,
        { reverse: true },
      )[0],
    "in loops in loops": (a) =>
      lax.foriLoop(
        0,
        2,
        (i, c: Array) => {
          debug.print("outer {}", i);
          return lax.foriLoop(
            0,
            2,
            (j, d: Array) => {
              debug.print("inner {} {} {}", i, j, d.slice(0));
              return d.add(j);
            },
            c,
          );
        },
        a.slice(0),
      ),
    "in branches": (a, _, _v, k) =>
      lax.switch(
        k,
        [3, 4, 5].map((at) => (p: Array) => {
          debug.print("branch {} of {}", at, p.slice(0));
          return p.mul(at);
        }),
        a.slice(0),
      ),
    "in a while loop, its test too": (_, _b, v) =>
      lax.whileLoop(
        ({ i }) => {
          debug.print("test {}", i);
          return i.less(3);
        },
        ({ i, c }) => {
          debug.print("turn {}", c.sum());
          return { i: i.add(1), c: c.mul(2) };
        },
        { i: np.int32(0), c: v },
      ),
    "for every example": (a) =>
      vmap((r: Array) => {
        debug.print("{} of {}", r.max(), r.slice(":2"));
        return r;
      })(a),
    "of values in place of which others are written": (_, _b, v) =>
      lax.foriLoop(
        0,
        3,
        (i, c: Array) => {
          const next = c.at(i).set(9);
          debug.print("before {} after {}", c.slice(":4"), next.slice(":4"));
          return next;
        },
        v,
      ),
    "where nothing else happens": (_, _b, _v, k) => {
      lax.foriLoop(
        0,
        2,
        (i, c: Array) => {
          debug.print("turn {}", i.add(k));
          return c;
        },
        k,
      );
      lax.cond(
        k.equal(3),
        () => {
          debug.print("three");
          return 0;
        },
        () => 0,
      );
      return k;
    },
  };
  it.each(Object.entries(programs))("%s", (_, f) => {
    const run = (device?: string): string[] => {
      lines = [];
      const [a, b, v, n] = loopArguments;
      const compiled = jit(f, device === undefined ? {} : { device });
      for (const by of [0, 1, 0]) compiled(a.add(by), b, v.add(by), n.add(by));
      return lines;
    };
    const expected = run("interpreter");
    expect(expected.length).toBeGreaterThan(2);
    expect(run()).toEqual(expected);
  });
});
