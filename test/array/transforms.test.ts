// jit, vmap, grad and the rest as their users see them.
import { afterEach, describe, expect, it, vi } from "vitest";
import {
  debug,
  evalShape,
  grad,
  hessian,
  jacfwd,
  jacrev,
  jit,
  jvp,
  lax,
  makeProgram,
  np,
  random,
  registerBackend,
  valueAndGrad,
  vjp,
  vmap,
  type Array,
  type Program,
} from "vibe-rl/array";
import { expectClose } from "../golden.js";

describe("jit", () => {
  it("runs the function's JavaScript once per signature", () => {
    const body = vi.fn((x: Array, y: { z: Array }) => x.add(y.z));
    const f = jit(body);
    expect(f(np.ones([2]), { z: np.ones([2]) }).toArray()).toEqual([2, 2]);
    expect(f(np.zeros([2]), { z: np.ones([2]) }).toArray()).toEqual([1, 1]);
    expect(body).toHaveBeenCalledTimes(1);
    f(np.zeros([3]), { z: np.ones([3]) });
    f(np.int32([0, 0, 0]), { z: np.ones([3]) });
    expect(body).toHaveBeenCalledTimes(3);
  });

  it("takes numbers without tracing anew for each", () => {
    const body = vi.fn((x: Array, rate: number) => x.mul(rate));
    const f = jit(body);
    expect([f(np.ones([1]), 2), f(np.ones([1]), 0.5)].map((y) => y.toArray())).toEqual([[2], [0.5]]);
    expect(body).toHaveBeenCalledTimes(1);
  });

  it("traces anew for each static value: plain data by content, the rest by identity", () => {
    const body = vi.fn((x: Array, mode: string, config: { n: number }) =>
      (mode === "twice" ? x.mul(2) : x).add(config.n),
    );
    const f = jit(body, { staticArgnums: [1, 2] });
    const config = { n: 1 };
    expect(f(np.ones([1]), "twice", config).toArray()).toEqual([3]);
    expect(f(np.zeros([1]), "twice", config).toArray()).toEqual([1]);
    expect(f(np.ones([1]), "once", config).toArray()).toEqual([2]);
    expect(body).toHaveBeenCalledTimes(2);
    f(np.ones([1]), "once", { n: 1 });
    expect(body).toHaveBeenCalledTimes(2);
    f(np.ones([1]), "once", { n: 2 });
    expect(body).toHaveBeenCalledTimes(3);
    const apply = vi.fn((x: Array, g: (y: Array) => Array) => g(x));
    const h = jit(apply, { staticArgnums: -1 });
    expect([np.sin, np.cos, np.sin].map((g) => h(np.zeros([]), g).item())).toEqual([0, 1, 0]);
    expect(apply).toHaveBeenCalledTimes(2);
  });

  it("keeps plain values in results as they are, and nothing as nothing", () => {
    const f = jit((x: Array) => ({ y: x.add(1), steps: 3, done: false, rest: null, more: [x] }));
    const result = f(np.ones([1]));
    expect([result.steps, result.done, result.rest]).toEqual([3, false, null]);
    expect([result.y.toArray(), result.more[0].toArray()]).toEqual([[2], [1]]);
  });

  it("accepts donated arguments, and refuses one that is static too", () => {
    expect(jit((x: Array) => x.add(1), { donateArgnums: 0 })(np.ones([1])).toArray()).toEqual([2]);
    expect(() => jit((x: Array) => x, { donateArgnums: 0, staticArgnums: 0 })(np.ones([1]))).toThrow(
      /cannot be both static and donated/,
    );
  });

  it("refers to arrays from outside, and becomes part of a surrounding trace", () => {
    const weights = np.array([1, 2, 3]);
    const inner = jit((x: Array) => x.mul(weights).sum());
    expect(inner(np.ones([3])).item()).toBe(6);
    expect(grad(inner)(np.ones([3])).toArray()).toEqual([1, 2, 3]);
    expect(jit((x: Array) => inner(x).mul(2))(np.ones([3])).item()).toBe(12);
  });

  it("keeps effects and weak types", () => {
    const log = vi.spyOn(console, "log").mockImplementation(() => undefined);
    const f = jit(() =>
      lax.foriLoop(0, 1, (_, c: Array) => (debug.print("c {}", c), c.add(1)), np.float32(0)),
    );
    f();
    f();
    expect(log).toHaveBeenCalledTimes(2);
    log.mockRestore();
    const g = (x: Array) => np.where(x.greater(0), 1, 0).astype("int32");
    expect(jit(g)(np.ones([1])).weakType).toBe(g(np.ones([1])).weakType);
  });

  it("hands the program to the device it is told, the interpreter runs what that does not take", () => {
    const seen: Program[] = [];
    const device = (name: string, accepts: boolean) => {
      registerBackend(
        {
          name,
          accepts: () => accepts,
          compile: (program) => {
            seen.push(program);
            return { run: ([x]) => [x] };
          },
        },
        { isDefault: false },
      );
    };
    device("listening", true);
    device("picky", false);
    const x = np.ones([2]);
    expect(jit((y: Array) => np.sin(y), { device: "listening" })(x)).toBe(x);
    expect(seen[0].equations.map((equation) => equation.primitive.name)).toEqual(["sin"]);
    expect(jit((y: Array) => y.add(1), { device: "picky" })(x).toArray()).toEqual([2, 2]);
    expect(seen).toHaveLength(1);
  });
});

describe("vmap", () => {
  const scale = (x: { a: Array; b: Array }, y: Array) => ({ sum: x.a.add(x.b).mul(y), fixed: y });
  it("maps nested trees by axes per leaf, null for what is shared", () => {
    const a = np.arange(6).reshape([2, 3]).astype("float32");
    const b = np.ones([4]);
    const result = vmap(
      (x: { a: Array; b: Array }, y: Array) => x.a.sum().add(x.b.sum()).mul(y),
      [{ a: 1, b: null }, 0],
    )({ a, b }, np.array([1, 2, 3]));
    expect(result.toArray()).toEqual([7, 18, 33]);
  });

  it("puts the mapped axis where outAxes says, per result", () => {
    const x = { a: np.zeros([3, 2]), b: np.ones([3, 2]) };
    const result = vmap(scale, [0, null], { sum: 1, fixed: null })(x, np.ones([2]));
    expect([result.sum.shape, result.fixed.shape]).toEqual([[2, 3], [2]]);
    expect(() => vmap(scale, [0, null], null)(x, np.ones([2]))).toThrow(
      /outAxes is null for a result that differs/,
    );
  });

  it("runs a whileLoop until the last example is done, each for as long as it needs", () => {
    const halvings = (x: Array) =>
      lax.whileLoop(
        ({ y }) => y.greater(1),
        ({ y, n }) => ({ y: y.div(2), n: n.add(1) }),
        { y: x, n: np.int32(0) },
      ).n;
    expect(vmap(halvings)(np.array([1, 8, 100])).toArray()).toEqual([0, 3, 7]);
  });

  it("nests, also over different axes", () => {
    const [x, y] = [np.arange(3), np.arange(2)];
    const table = vmap(
      vmap((a: Array, b: Array) => a.mul(10).add(b), [null, 0]),
      [0, null],
    )(x, y);
    expect(table.toArray()).toEqual([
      [0, 1],
      [10, 11],
      [20, 21],
    ]);
  });

  it("gives every example a key of its own", () => {
    const keys = random.split(random.key(0), 3);
    const rows = vmap((key: Array) => random.normal(key, [2]))(keys);
    expect(rows.toArray()).toEqual([...keys].map((key) => random.normal(key, [2]).toArray()));
  });
});

describe("grad", () => {
  const loss = (w: { a: Array; b: Array[] }, x: Array) => w.a.mul(x).sum().add(w.b[0].mul(w.b[0]).sum());
  const w = { a: np.array([1, 2]), b: [np.float32(3)] };
  const x = np.array([4, 5]);

  it("has the structure of the argument", () => {
    const g = grad(loss)(w, x);
    expect([g.a.toArray(), g.b[0].item()]).toEqual([[4, 5], 6]);
  });

  it("of several arguments is a tuple; negative positions count from the end", () => {
    const [gx, gw] = grad(loss, { argnums: [1, 0] })(w, x);
    expect([gx.toArray(), gw.a.toArray()]).toEqual([
      [1, 2],
      [4, 5],
    ]);
    expect((grad(loss, { argnums: -1 })(w, x) as Array).toArray()).toEqual([1, 2]);
  });

  it("passes aux along", () => {
    const withAux = (v: Array): [Array, { twice: Array; count: number }] => [
      v.mul(v).sum(),
      { twice: v.mul(2), count: v.size },
    ];
    const [g, aux] = grad(withAux, { hasAux: true })(x);
    expect([g.toArray(), aux.twice.toArray()]).toEqual([
      [8, 10],
      [8, 10],
    ]);
    const [[value], gradient] = valueAndGrad(withAux, { hasAux: true })(x);
    expect([value.item(), gradient.toArray()]).toEqual([41, [8, 10]]);
  });

  it("takes plain numbers", () => {
    expect(grad((v: Array) => v.pow(3))(np.array(2)).item()).toBe(12);
    expect((grad((v: Array | number) => np.power(v, 3))(2) as Array).item()).toBe(12);
  });

  it("is zero for what the loss does not depend on", () => {
    expect(grad((v: { used: Array; not: Array }) => v.used.sum())({ used: x, not: x }).not.toArray()).toEqual(
      [0, 0],
    );
    expect(grad((_: Array) => np.float32(1))(x).toArray()).toEqual([0, 0]);
    expect(grad((v: Array) => np.floor(v).sum())(x).toArray()).toEqual([0, 0]);
  });

  it("nests to any order", () => {
    const quartic = (v: Array) => v.pow(4);
    expect(grad(grad(grad(quartic)))(np.float32(2)).item()).toBe(48);
    expect(jit(grad(jit(grad(quartic))))(np.float32(2)).item()).toBe(48);
  });

  it("goes through scan of vmap of cond", () => {
    const f = (v: Array) => {
      const step = (c: Array) =>
        lax.cond(
          c.greater(1),
          (y: Array) => y.mul(0.5),
          (y: Array) => y.mul(y),
          c,
        );
      return lax.scan((c: Array) => [vmap(step)(c), null], v, null, { length: 3 })[0].sum();
    };
    // 3 → 1.5 → 0.75 → 0.5625: slope ½ · ½ · 2 · 0.75; 0.5 → its 8th power.
    expectClose(grad(f)(np.array([3, 0.5])), np.array([0.375, 8 * 0.5 ** 7]), { rtol: 1e-6 });
  });

  it("runs effects of the forward pass once", () => {
    const log = vi.spyOn(console, "log").mockImplementation(() => undefined);
    const printing = (v: Array) =>
      lax.scan(
        (c: Array) => {
          debug.print("carry {}", c);
          return [np.sin(c), null];
        },
        v,
        null,
        { length: 2 },
      )[0];
    grad(printing)(np.float32(0));
    expect(log.mock.calls).toEqual([["carry 0"], ["carry 0"]]);
    log.mockRestore();
  });
});

describe("jvp, vjp, jacobians", () => {
  const f = (x: Array, y: Array) => ({ product: x.mul(y), sum: x.sum() });
  const [x, y] = [np.array([1, 2]), np.array([3, 4])];

  it("jvp pushes tangents forward", () => {
    const [value, tangent] = jvp(f, [x, y], [np.array([1, 0]), np.array([0, 1])]);
    expect([value.product.toArray(), value.sum.item()]).toEqual([[3, 8], 3]);
    expect([tangent.product.toArray(), tangent.sum.item()]).toEqual([[3, 2], 1]);
  });

  it("vjp pulls cotangents back, more than once", () => {
    const [, back] = vjp(f, x, y);
    expect(back({ product: np.array([1, 0]), sum: np.float32(1) }).map((g) => g.toArray())).toEqual([
      [4, 1],
      [1, 0],
    ]);
    expect(back({ product: np.array([0, 0]), sum: np.float32(0) }).map((g) => g.toArray())).toEqual([
      [0, 0],
      [0, 0],
    ]);
  });

  it("both jacobians agree, for trees and matrices", () => {
    const g = (p: { m: Array; s: Array }) => ({ out: p.m.matmul(p.m).mul(p.s), s: p.s });
    const p = { m: random.normal(random.key(0), [2, 2]), s: np.float32(1.5) };
    const [forward, reverse] = [jacfwd(g)(p), jacrev(g)(p)];
    expect(forward.out.m.shape).toEqual([2, 2, 2, 2]);
    expectClose(forward, reverse, { rtol: 1e-5, atol: 1e-6 });
    expect(jacrev(f, { argnums: 1 })(x, y).product.toArray()).toEqual([
      [1, 0],
      [0, 2],
    ]);
  });

  it("the hessian of a quadratic form is its matrix", () => {
    const m = np.array([
      [2, 1],
      [1, 3],
    ]);
    expectClose(hessian((v: Array) => v.matmul(m).matmul(v).mul(0.5))(x), m, { rtol: 1e-6 });
  });
});

describe("looking at programs", () => {
  it("evalShape computes nothing", () => {
    const huge = (n: Array) => ({ big: np.zeros([100_000, 100_000]).add(n), small: n.astype("int32") });
    expect(evalShape(huge, np.float32(1))).toEqual({
      big: { shape: [100_000, 100_000], dtype: "float32" },
      small: { shape: [], dtype: "int32" },
    });
  });

  it("a listing shows equations, literals, loops and branches", () => {
    const f = (x: Array) =>
      lax.scan(
        (c: Array, row: Array) => [
          lax.cond(
            c.greater(0),
            (v: Array) => v.mul(0.1),
            (v: Array) => v,
            c,
          ),
          row,
        ],
        np.float32(1),
        x,
      )[0];
    expect(String(makeProgram(f)(np.ones([2])))).toBe(`(a: float32[2]) => {
  b: float32, c: float32[2] = scan 1.0 a {
    body: (d: float32, e: float32) => {
      f: bool = less 0.0 d
      g: int32 = convert f { dtype: int32 }
      h: float32 = cond g d {
        branches: [
          (i: float32) => {
            return i
          }
          (j: float32) => {
            k: float32 = mul j 0.1
            return k
          }
        ]
      }
      return h, e
    }
    constants: 0
    carries: 1
    length: 2
    reverse: false
    unroll: 1
  }
  return b
}`);
  });

  it("counts equations inside loops", () => {
    const f = (x: Array) => lax.foriLoop(0, 3, (_, c: Array) => c.mul(2).add(1), x);
    expect(makeProgram(f)(np.float32(1)).size).toBe(4);
  });
});

describe("debug.print", () => {
  afterEach(() => {
    vi.restoreAllMocks();
  });

  it("prints values when the program runs: in jit, in loops, once per example in vmap", () => {
    const log = vi.spyOn(console, "log").mockImplementation(() => undefined);
    const f = jit((x: Array) => {
      debug.print("x is {} and {name}", x, { name: x.sum() });
      return x;
    });
    f(np.array([1, 2]));
    f(np.array([3, 4]));
    vmap(
      (x: Array, y: Array) => {
        debug.print("{x}/{y}", { x, y });
        return x;
      },
      [0, null],
    )(np.array([1, 2]), np.int32(7));
    expect(log.mock.calls.flat()).toEqual(["x is [1,2] and 3", "x is [3,4] and 7", "1/7", "2/7"]);
    expect(() => debug.print("{} {}", 1)).toThrow(/the text has \{\}, but no value was given/);
    expect(() => debug.print("{}", 1, 2)).toThrow(/2 values given, but the text has fewer/);
  });
});
