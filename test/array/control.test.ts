// Loops and branches as their users see them.
import { describe, expect, it } from "vitest";
import { grad, jit, jvp, lax, np, vmap, type Array } from "vibe-rl/array";

describe("scan", () => {
  const running = (c: Array, x: Array): [Array, Array] => [c.add(x), c.mul(x)];
  it("carries, stacks, and can go backwards", () => {
    const [last, all] = lax.scan(running, np.float32(0), np.array([1, 2, 3]));
    expect([last.item(), all.toArray()]).toEqual([6, [0, 2, 9]]);
    const [first, back] = lax.scan(running, np.float32(0), np.array([1, 2, 3]), { reverse: true });
    expect([first.item(), back.toArray()]).toEqual([6, [5, 6, 0]]);
  });

  it("takes trees, null, and a length instead of xs", () => {
    const [state, ys] = lax.scan(
      (c: { n: Array; rest: null }, x: readonly [Array, Array]) => [
        { ...c, n: c.n.add(x[0].mul(x[1])) },
        { x, none: null },
      ],
      { n: np.float32(0), rest: null },
      [np.array([1, 2]), np.array([3, 4])],
    );
    expect([state.n.item(), state.rest, ys.x[1].toArray(), ys.none]).toEqual([11, null, [3, 4], null]);
    expect(lax.scan((c: Array) => [c.mul(2), null], np.float32(1), null, { length: 5 })[0].item()).toBe(32);
  });

  it("makes no turn over nothing", () => {
    const [last, all] = lax.scan(running, np.float32(7), np.zeros([0]));
    expect([last.item(), all.shape]).toEqual([7, [0]]);
    expect(grad((x: Array) => lax.scan(running, x, np.zeros([0]))[0])(np.float32(7)).item()).toBe(1);
  });

  it("takes the carry's dtype from the body where the start is a plain number", () => {
    const sum = (xs: Array) => lax.scan((c: Array, x: Array) => [c.add(x), c], 0 as unknown as Array, xs);
    expect(sum(np.array([0.5, 1]))[0].item()).toBe(1.5);
    expect(sum(np.int32([1, 2]))[0].dtype).toBe("int32");
    const zeroOne = lax.scan((c: Array) => [np.where(c.greater(0), 1, 0), null], np.float32(0.5), null, {
      length: 1,
    });
    expect(zeroOne[0].dtype).toBe("float32");
  });

  it("computes once what does not change from turn to turn, also backwards", () => {
    const f = (w: Array, x: Array) =>
      lax.scan((c: Array) => [np.tanh(np.exp(w).mul(c)), null], x, null, { length: 3 })[0].sum();
    const [dw, dx] = grad(f, { argnums: [0, 1] })(np.array([0.1, 0.2]), np.array([0.3, 0.4]));
    const eps = 1e-3;
    const at = (a: number, b: number) => f(np.array([0.1 + a, 0.2]), np.array([0.3 + b, 0.4])).item();
    expect(dw.slice(0).item()).toBeCloseTo((at(eps, 0) - at(-eps, 0)) / (2 * eps), 3);
    expect(dx.slice(0).item()).toBeCloseTo((at(0, eps) - at(0, -eps)) / (2 * eps), 3);
  });
});

describe("foriLoop, whileLoop, map", () => {
  it("count up, with bounds known or traced", () => {
    const sum = (lower: Array | number, upper: Array | number) =>
      lax.foriLoop(lower, upper, (i, c: Array) => c.add(i), np.int32(0)).item();
    expect([sum(2, 5), sum(5, 2), sum(np.int32(2), np.int32(5)), sum(0, np.int32(4))]).toEqual([9, 0, 9, 6]);
    const traced = jit((n: Array) => lax.foriLoop(0, n, (i, c: Array) => c.add(i), np.int32(0)));
    expect(traced(np.int32(5)).item()).toBe(10);
  });

  it("differentiate through a foriLoop with plain bounds", () => {
    const power = (x: Array) => lax.foriLoop(0, 4, (_, c: Array) => c.mul(x), np.float32(1));
    expect(grad(power)(np.float32(2)).item()).toBe(32);
  });

  it("a whileLoop whose test fails at once makes no turn", () => {
    expect(
      lax
        .whileLoop(
          (c: Array) => c.less(0),
          (c: Array) => c.add(1),
          np.float32(3),
        )
        .item(),
    ).toBe(3);
  });

  it("map is vmap one after the other", () => {
    const f = (x: Array) => ({ y: x.sum(), z: x.mul(2) });
    const xs = np.arange(6).reshape([3, 2]);
    expect(lax.map(f, xs).y.toArray()).toEqual(vmap(f)(xs).y.toArray());
  });
});

describe("cond and switch", () => {
  it("run one branch, with operands and captured values", () => {
    const offset = np.float32(10);
    const choose = jit((p: Array, x: Array) =>
      lax.cond(
        p,
        (v: Array) => ({ r: v.add(offset) }),
        (v: Array) => ({ r: v.sub(offset) }),
        x,
      ),
    );
    expect(choose(np.bool(true), np.float32(1)).r.item()).toBe(11);
    expect(choose(np.bool(false), np.float32(1)).r.item()).toBe(-9);
    expect(
      lax
        .cond(
          true,
          () => np.float32(1),
          () => np.float32(2),
        )
        .item(),
    ).toBe(1);
  });

  it("clamp the index, and let weak results meet", () => {
    const pick = (i: Array) =>
      lax.switch(i, [() => np.float32(1.5), () => np.maximum(2, 2), () => np.float32(3)]);
    expect([-5, 0, 1, 2, 9].map((i) => pick(np.int32(i)).item())).toEqual([1.5, 1.5, 2, 3, 3]);
    expect(pick(np.int32(1)).dtype).toBe("float32");
    expect(vmap(pick)(np.int32([-1, 1, 7])).toArray()).toEqual([1.5, 2, 3]);
  });

  it("gradients follow the branch taken, with residuals of each branch kept apart", () => {
    const f = (p: Array, x: Array) =>
      lax.cond(
        p,
        (v: Array) => np.sin(v).mul(np.exp(v)),
        (v: Array) => v.mul(v).mul(v),
        x,
      );
    const slope = (p: boolean) => grad(f, { argnums: 1 })(np.bool(p), np.float32(0.5)).item();
    expect(slope(true)).toBeCloseTo((Math.cos(0.5) + Math.sin(0.5)) * Math.exp(0.5), 5);
    expect(slope(false)).toBeCloseTo(0.75, 6);
    const batch = vmap(grad(f, { argnums: 1 }))(np.bool([true, false]), np.array([0.5, 0.5]));
    expect(batch.slice(1).item()).toBeCloseTo(0.75, 6);
  });

  describe("keep the derivatives of branches not taken to themselves", () => {
    const safeLog = (x: Array) =>
      lax.cond(
        x.greater(0),
        (v: Array) => np.log(v),
        (v: Array) => v.mul(2),
        x,
      );
    const safeRoot = (x: Array) =>
      lax.switch(x.greater(0).astype("int32"), [(v: Array) => v, (v: Array) => np.sqrt(v)], x);
    const inScan = (x: Array) => lax.scan((c: Array) => [safeLog(c), null], x, null, { length: 1 })[0];
    const overRate = (rate: Array) => (x: Array) =>
      lax.cond(
        x.greater(0),
        () => x.div(rate),
        () => x.mul(rate),
      );
    const points = np.array([1, 0, -1]);

    it("of cond, switch and cond in a loop, batched before or after differentiation", () => {
      for (const [f, slopes] of [
        [safeLog, [1, 2, 2]],
        [safeRoot, [0.5, 1, 1]],
        [inScan, [1, 2, 2]],
      ] as const) {
        expect(grad((x: Array) => vmap(f)(x).sum())(points).toArray()).toEqual(slopes);
        expect(jit(grad((x: Array) => vmap(f)(x).sum()))(points).toArray()).toEqual(slopes);
        expect(vmap(grad(f))(points).toArray()).toEqual(slopes);
        expect(jvp(vmap(f), [points], [np.ones([3])])[1].toArray()).toEqual(slopes);
        expect(grad((x: Array) => vmap(vmap(f))(x).sum())(points.reshape([3, 1])).toArray()).toEqual(
          slopes.map((slope) => [slope]),
        );
      }
    });

    it("of what all examples share", () => {
      const total = (rate: Array) => vmap(overRate(rate))(np.array([0, -1, -2])).sum();
      expect(grad(total)(np.float32(0)).item()).toBe(-3);
    });

    it("of whileLoop's finished examples", () => {
      const shrink = (x: Array) =>
        lax.whileLoop(
          (c: Array) => c.greater(0),
          (c: Array) => np.sqrt(c).sub(2),
          x,
        );
      const [xs, ones] = [np.array([9, 0, 1]), np.ones([3])];
      expect(jvp(vmap(shrink), [xs], [ones])[1].toArray()).toEqual([
        expect.closeTo(1 / 12, 6),
        1,
        expect.closeTo(0.5, 6),
      ]);
    });

    it("also to second order", () => {
      const slope = (x: Array) => grad((y: Array) => vmap(safeLog)(y).sum())(x);
      expect(grad((x: Array) => slope(x).sum())(points).toArray()).toEqual([-1, 0, 0]);
    });
  });
});
