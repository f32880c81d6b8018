// Functions whose derivatives are given by their user: customJvp, customVjp, and those that compute again: checkpoint.
import { describe, expect, it } from "vitest";
import {
  checkpoint,
  customJvp,
  customVjp,
  grad,
  hessian,
  jacfwd,
  jacrev,
  jit,
  jvp,
  lax,
  makeProgram,
  np,
  remat,
  valueAndGrad,
  vjp,
  vmap,
  type Array,
} from "vibe-rl/array";
import type { ScanParams } from "../../src/array/control/scanParams.js";
import { expandCalls } from "../../src/array/transforms/expand.js";
import { simplifyProgram } from "../../src/compiler/simplify/simplify.js";
import { expectClose } from "../closeness.js";

const numbers = (x: Array): number[] => [...x.data()];
const close = (actual: Array, expected: readonly number[]): void =>
  expectClose(actual.reshape(-1), np.array([...expected]), { rtol: 1e-5 });

/** As it is, and compiled. */
const bothWays: readonly (<F extends (...args: never[]) => unknown>(f: F) => F)[] = [(f) => f, (f) => jit(f)];

/** log(1 + eˣ) with the derivative that stays finite, the example of JAX's documentation. */
const log1pexp = customJvp((x: Array) => np.log(np.exp(x).add(1))).defjvp(([x], [t]) => {
  const y = log1pexp(x);
  return [y, t.mul(np.divide(1, np.exp(x.neg()).add(1)))];
});

/** sin with a derivative that is visibly not cos. */
const oddSin = customJvp((x: Array) => np.sin(x)).defjvp(([x], [t]) => [np.sin(x), t.mul(x).mul(10)]);

describe("customJvp", () => {
  it("replaces the derivative in both modes, at every order, compiled or not", () => {
    for (const run of bothWays) {
      expect(run(grad(log1pexp))(np.float32(100)).item()).toBe(1);
      expect(run(grad(grad(log1pexp)))(np.float32(0)).item()).toBeCloseTo(0.25, 6);
      expect(run(grad(grad(grad(log1pexp))))(np.float32(1)).item()).toBeCloseTo(-0.0908577, 5);
      expect(run((x: Array) => jvp(oddSin, [x], [np.float32(2)])[1])(np.float32(3)).item()).toBe(60);
      expect(run(grad(oddSin))(np.float32(3)).item()).toBe(30);
      expect(run(grad(grad(oddSin)))(np.float32(3)).item()).toBe(10);
    }
  });

  it("keeps its rule under vmap, in scan, in cond and under other transforms", () => {
    const x = np.array([1, 2, 3]);
    expect(numbers(vmap(grad(oddSin))(x))).toEqual([10, 20, 30]);
    expect(numbers(grad((v: Array) => vmap(oddSin)(v).sum())(x))).toEqual([10, 20, 30]);
    expect(numbers(jit(grad((v: Array) => vmap(vmap(oddSin))(v.reshape([3, 1])).sum()))(x))).toEqual([
      10, 20, 30,
    ]);
    const summed = (v: Array) =>
      lax.scan((c: Array, e: Array) => [c.add(oddSin(e)), null], np.float32(0), v)[0];
    expect(numbers(jit(grad(summed))(x))).toEqual([10, 20, 30]);
    const chosen = (v: Array) => lax.cond(v.greater(0), oddSin, (e: Array) => e, v);
    expect(grad(chosen)(np.float32(2)).item()).toBe(20);
    expect(numbers(vmap(grad(chosen))(np.array([2, -2])))).toEqual([20, 1]);
    expect(numbers(jit(jacfwd(oddSin))(x)).filter((value) => value !== 0)).toEqual([10, 20, 30]);
    close(grad((v: Array) => jit(oddSin)(v).sum())(x), [10, 20, 30]);
  });

  it("has its own value where it is not differentiated", () => {
    expect(oddSin(np.float32(0)).item()).toBe(0);
    close(jit(vmap(oddSin))(np.array([1, 2])), [Math.sin(1), Math.sin(2)]);
    expect(String(makeProgram(oddSin)(np.float32(0)))).toMatch(/call a \{\n.*name: customJvp/);
  });

  it("takes one rule per argument with defjvps, and null for one without", () => {
    const f = customJvp((x: Array, y: Array, _n: Array) => x.mul(y)).defjvps(
      (t, value, x, y) => t.mul(value).mul(y).add(x.mul(0)),
      (t) => t.mul(7),
      null,
    );
    const gradients = grad(f, { argnums: [0, 1, 2] })(np.float32(2), np.float32(3), np.float32(1));
    expect(gradients.map((g) => g.item())).toEqual([18, 7, 0]);
    const [, tangent] = jvp(
      (x: Array) => f(x, np.float32(3), np.float32(1)),
      [np.float32(2)],
      [np.float32(1)],
    );
    expect(tangent.item()).toBe(18);
  });

  it("passes arguments in nondiffArgnums as they are, functions and arrays among them", () => {
    const apply = customJvp((f: (x: Array) => Array, x: Array, scale: Array) => f(x).mul(scale), {
      nondiffArgnums: [0, 2],
    }).defjvp((f, scale, [x], [t]) => [f(x).mul(scale), t.mul(scale).mul(100)]);
    const g = (x: Array, s: Array) => apply(np.square, x, s);
    expect(jit(grad(g))(np.float32(3), np.float32(2)).item()).toBe(200);
    expect(numbers(vmap(grad(g))(np.array([3, 3]), np.array([1, 2])))).toEqual([100, 200]);
    expect(() => grad(g, { argnums: 1 })(np.float32(3), np.float32(2))).toThrow(
      /differentiated with respect to an argument in nondiffArgnums/,
    );
  });

  it("works on trees, and gives null for zero tangents with symbolicZeros", () => {
    const seen: string[] = [];
    const f = customJvp((p: { a: Array; b: Array }) => ({ s: p.a.add(p.b) })).defjvp(
      ([p], [t]) => {
        seen.push(`${t.a === null ? 0 : 1}${t.b === null ? 0 : 1}`);
        return [{ s: p.a.add(p.b) }, { s: t.a.mul(3) }];
      },
      { symbolicZeros: true },
    );
    expect(grad((a: Array) => f({ a, b: np.float32(1) }).s)(np.float32(1)).item()).toBe(3);
    expect(seen).toEqual(["10"]);
  });

  it("may use arrays from outside in its rule, inside loops and compiled", () => {
    const weights = np.array([1, 10, 100]);
    const f = customJvp((x: Array) => x.sum()).defjvp(([x], [t]) => [x.sum(), t.mul(weights).sum()]);
    const looped = (x: Array) =>
      lax.scan((c: Array, _: Array) => [c.add(f(c.mul(x))), null], np.ones([3]), np.arange(2))[0].sum();
    expect(numbers(grad(f)(np.zeros([3])))).toEqual([1, 10, 100]);
    expect(numbers(jit(grad(f))(np.zeros([3])))).toEqual([1, 10, 100]);
    const [interpreted, compiled] = [grad(looped), jit(grad(looped))].map((g) => g(np.array([1, 2, 3])));
    expect(numbers(compiled)).toEqual(numbers(interpreted));
    const branched = (x: Array) => lax.cond(x.sum().greater(0), f, (v: Array) => v.max(), x);
    expect(numbers(jit(grad(branched))(np.ones([3])))).toEqual([1, 10, 100]);
    const until = (x: Array) =>
      lax.whileLoop(
        (c: Array) => c.sum().less(100),
        (c) => c.add(f(c)),
        x,
      );
    close(
      jit((x: Array) => jvp(until, [x], [np.ones([3])])[1])(np.ones([3])),
      numbers(jvp(until, [np.ones([3])], [np.ones([3])])[1]),
    );
  });

  it("refuses what it cannot do, in words", () => {
    const without = customJvp((x: Array) => x);
    expect(() => without(np.float32(1))).toThrow(/has no derivative rule yet; give it one with defjvp/);
    const wrongShape = customJvp((x: Array) => x.sum()).defjvp(([x], [t]) => [x.sum(), t]);
    expect(() => grad(wrongShape)(np.ones([2]))).toThrow(
      /the tangents that the derivative rule returns must have the types .* got float32\[2\] for float32/,
    );
    const notTwo = customJvp((x: Array) => x).defjvp((([x]: [Array]) => x) as never);
    expect(() => grad(notTwo)(np.float32(1))).toThrow(/must return \[value, tangent\], got Traced<float32>/);
    const closing = (s: Array) =>
      customJvp((x: Array) => x.mul(s)).defjvp(([x], [t]) => [x, t])(np.float32(2));
    expect(() => grad(closing)(np.float32(1))).toThrow(
      /with respect to a value that it refers to from outside/,
    );
    expect(() => customJvp((x: Array) => x).defjvp(3 as never)).toThrow(
      /the rule of defjvp must be a function/,
    );
    const outside = jit((s: Array) =>
      grad(customJvp((x: Array) => x).defjvp(([x], [t]) => [x, t.mul(s)]))(np.float32(1)),
    );
    expect(() => outside(np.float32(1))).toThrow(
      /refers to Traced<float32> of jit around it.*make that an argument/,
    );
  });
});

/** The identity, with gradients cut to [-1, 1]: the example of JAX's documentation. */
const clipGradient = customVjp((low: number, high: number, x: Array) => x, { nondiffArgnums: [0, 1] }).defvjp(
  (_low, _high, x) => [x, null],
  (low, high, _, g) => [np.clip(g, low, high)],
);

/** x·y with a gradient that is visibly another. */
const oddProduct = customVjp((x: Array, y: Array) => x.mul(y)).defvjp(
  (x, y) => [x.mul(y), { x, y }],
  ({ x, y }, g) => [g.mul(y).mul(100), g.mul(x).mul(10)],
);

describe("customVjp", () => {
  it("replaces the gradient, compiled or not, and can be differentiated again", () => {
    for (const run of bothWays) {
      const g = run(grad(oddProduct, { argnums: [0, 1] }))(np.float32(2), np.float32(3)) as Array[];
      expect(g.map((one) => one.item())).toEqual([300, 20]);
      const second = run(grad(grad(oddProduct), { argnums: [0, 1] }))(
        np.float32(2),
        np.float32(3),
      ) as Array[];
      expect(second.map((one) => one.item())).toEqual([0, 100]);
    }
    expect(oddProduct(np.float32(2), np.float32(3)).item()).toBe(6);
  });

  it("keeps its rule under vmap and in scan, and sums what a batch shares", () => {
    const [x, y] = [np.array([1, 2, 3]), np.float32(2)];
    expect(numbers(vmap(grad(oddProduct), [0, null])(x, y))).toEqual([200, 200, 200]);
    const total = (v: Array, w: Array) => vmap(oddProduct, [0, null])(v, w).sum();
    const [gx, gy] = jit(grad(total, { argnums: [0, 1] }))(x, y);
    expect([numbers(gx), gy.item()]).toEqual([[200, 200, 200], 60]);
    const scanned = (v: Array, w: Array) =>
      lax.scan((c: Array, e: Array) => [c.add(oddProduct(e, w)), null], np.float32(0), v)[0];
    const [sx, sy] = jit(grad(scanned, { argnums: [0, 1] }))(x, y);
    expect([numbers(sx), sy.item()]).toEqual([[200, 200, 200], 60]);
    expect(numbers(jit(jacrev(oddProduct))(x, x)).filter((value) => value !== 0)).toEqual([100, 200, 300]);
    expect(numbers(vjp(oddProduct, x, x)[1](np.ones([3]))[1])).toEqual([10, 20, 30]);
  });

  it("has plain arguments in nondiffArgnums and null for arguments without cotangent", () => {
    expect(grad((x: Array) => clipGradient(-1, 1, x).mul(100))(np.float32(3)).item()).toBe(1);
    const half = customVjp((x: Array, y: Array, _n: Array) => x.add(y)).defvjp(
      (x, y) => [x.add(y), null],
      (_, g) => [g, null, null],
    );
    const [gx, gy] = grad(half, { argnums: [0, 1] })(np.float32(1), np.float32(1), np.int32(3));
    expect([gx.item(), gy.item()]).toEqual([1, 0]);
    const scaled = customVjp((scale: Array, x: Array) => x.mul(scale), { nondiffArgnums: 0 }).defvjp(
      (scale, x) => [x.mul(scale), null],
      (scale, _, g) => [g.mul(scale).mul(5)],
    );
    expect(numbers(jit(vmap(grad(scaled, { argnums: 1 })))(np.array([1, 2]), np.array([3, 4])))).toEqual([
      5, 10,
    ]);
  });

  it("refuses forward mode and says what to use", () => {
    const refusal =
      /reverse mode only \(customVjp\).*use vjp, grad or jacrev, or give it a rule with customJvp/;
    const one = np.float32(1);
    expect(() => jvp(oddProduct, [one, one], [one, one])).toThrow(refusal);
    expect(() => jit((x: Array) => jvp(oddProduct, [x, x], [x, x])[1])(one)).toThrow(refusal);
    expect(() => jacfwd(oddProduct)(np.ones([2]), np.ones([2]))).toThrow(refusal);
    expect(() => customVjp((x: Array) => x)(one)).toThrow(/has no rule yet; give it one with defvjp/);
  });

  it("refuses cotangents that do not fit", () => {
    const wrong = customVjp((x: Array) => x.sum()).defvjp(
      (x) => [x.sum(), null],
      (_, g) => [g],
    );
    expect(() => grad(wrong)(np.ones([2]))).toThrow(
      /cotangents of argument 0 that the backward rule returns must have .* got float32 for float32\[2\]/,
    );
    const few = customVjp((x: Array, y: Array) => x.mul(y)).defvjp((x, y) => [x.mul(y), null], ((
      _: null,
      g: Array,
    ) => [g]) as never);
    expect(() => grad(few)(np.float32(1), np.float32(1))).toThrow(
      /one cotangent for each of the 2 arguments/,
    );
  });
});

describe("checkpoint", () => {
  const block = (w: Array, x: Array) => np.sin(np.tanh(np.exp(np.cos(x.mul(w)))));
  const loss =
    (f: typeof block) =>
    (w: Array, x: Array): Array =>
      lax.scan((c: Array) => [f(w, c), null], x, null, { length: 5 })[0].sum();
  const [w, x] = [np.float32(0.7), np.array([0.3, 0.9])];

  it("changes no value and no derivative", () => {
    expect(remat).toBe(checkpoint);
    const again = checkpoint(block);
    const plain = valueAndGrad(loss(block), { argnums: [0, 1] })(w, x);
    expectClose(valueAndGrad(loss(again), { argnums: [0, 1] })(w, x), plain, { rtol: 1e-6 });
    expectClose(jit(valueAndGrad(loss(again), { argnums: [0, 1] }))(w, x), plain, { rtol: 1e-5 });
    expectClose(hessian(loss(again))(w, x), hessian(loss(block))(w, x), { rtol: 1e-5 });
    const batch = np.stack([x, x.mul(2)]);
    expectClose(
      jit(vmap(grad(loss(again)), [null, 0]))(w, batch),
      vmap(grad(loss(block)), [null, 0])(w, batch),
      { rtol: 1e-5 },
    );
    const whole = checkpoint(loss(block));
    expectClose(jit(grad(whole))(w, x), grad(loss(block))(w, x), { rtol: 1e-5 });
    expectClose(grad(grad(whole))(w, x), grad(grad(loss(block)))(w, x), { rtol: 1e-5 });
  });

  it("keeps the carry of each turn of a loop and nothing else", () => {
    /** How many values the forward loop of the gradient stacks for the backward one. */
    const stacked = (f: typeof block): number => {
      const { program } = makeProgram(grad(loss(f)))(w, x);
      const [forward] = program.equations.filter(({ primitive }) => primitive.name === "scan");
      return forward.outputs.length - (forward.params as ScanParams).carries;
    };
    expect(stacked(checkpoint(block))).toBe(1);
    expect(stacked(block)).toBeGreaterThan(4);
  });

  it("computes again in compiled programs too, where equal work is otherwise shared", () => {
    const inner = (u: Array) => np.exp(np.sin(u)).sum();
    const exponentials = (f: typeof inner): number => {
      const { program } = makeProgram(valueAndGrad(f))(x);
      const { equations } = simplifyProgram(expandCalls(program).program);
      return equations.filter(({ primitive }) => primitive.name === "exp").length;
    };
    expect([exponentials(inner), exponentials(checkpoint(inner))]).toEqual([1, 2]);
    expectClose(jit(valueAndGrad(checkpoint(inner)))(x), valueAndGrad(inner)(x), { rtol: 1e-6 });
  });
});
