// Derivatives in directions, what is passed along with them, and what jit takes as it is.
import { describe, expect, expectTypeOf, it } from "vitest";
import { grad, jit, jvp, lax, linearize, np, valueAndGrad, vjp, vmap, type Array } from "vibe-rl/array";

const withNote = (x: Array, y: Array) => {
  const product = x.mul(y);
  return [np.sin(product), { product, note: "seen", count: 3, flag: true }] as const;
};
const [two, three] = [np.float32(2), np.float32(3)];

describe("hasAux", () => {
  it("passes names, flags and numbers along in grad and valueAndGrad", () => {
    const [gradient, aux] = grad(withNote, { hasAux: true })(two, three);
    expect(gradient.item()).toBeCloseTo(3 * Math.cos(6), 5);
    expect([aux.note, aux.flag, aux.product.item()]).toEqual(["seen", true, 6]);
    const [[, again]] = jit(valueAndGrad(withNote, { hasAux: true }))(two, three);
    expect([again.note, again.flag]).toEqual(["seen", true]);
    expect(grad((x: Array) => [x, "a name"] as const, { hasAux: true })(two)[1]).toBe("a name");
  });

  it("comes third from jvp, vjp and linearize, without a derivative", () => {
    const [value, tangent, aux] = jvp(withNote, [two, three], [np.float32(1), np.float32(0)], {
      hasAux: true,
    });
    expect(value.item()).toBeCloseTo(Math.sin(6), 6);
    expect(tangent.item()).toBeCloseTo(3 * Math.cos(6), 5);
    expect([aux.note, aux.product.item()]).toEqual(["seen", 6]);
    const [, pull, more] = vjp(withNote, two, three, { hasAux: true });
    expect(pull(np.float32(1)).map((g) => g.item())).toEqual([
      expect.closeTo(3 * Math.cos(6), 5),
      expect.closeTo(2 * Math.cos(6), 5),
    ]);
    expect(more.note).toBe("seen");
    expectTypeOf(more.note).toEqualTypeOf<"seen">();
    const [, push, last] = linearize(withNote, two, three, { hasAux: true });
    expect(push(np.float32(1), np.float32(1)).item()).toBeCloseTo(5 * Math.cos(6), 5);
    expect(last.product.item()).toBe(6);
  });

  it("needs a function that returns two things", () => {
    const one = ((x: Array) => x) as unknown as (x: Array) => readonly [Array, Array];
    expect(() => jvp(one, [two], [two], { hasAux: true })).toThrow(
      /with hasAux the function must return \[result, aux\]/,
    );
    expect(() => vjp(one, two, { hasAux: true })).toThrow(
      /with hasAux the function must return \[result, aux\]/,
    );
  });
});

describe("linearize", () => {
  it("is jvp in two steps", () => {
    const f = (x: Array, p: { w: Array }) => ({ y: np.tanh(x.matmul(p.w)), n: np.int32(1) });
    const [x, p] = [
      np.array([[0.1, 0.2]]),
      {
        w: np.array([
          [1, 2],
          [3, 4],
        ]),
      },
    ];
    const [value, push] = linearize(f, x, p);
    const tangents = [np.ones([1, 2]), { w: np.ones([2, 2]) }] as const;
    const [same, derivative] = jvp(f, [x, p], [...tangents]);
    expect(value.y.toArray()).toEqual(same.y.toArray());
    expect(push(...tangents).y.toArray()).toEqual(derivative.y.toArray());
    expect(push(...tangents).n.item()).toBe(0);
  });

  it("can be vectorised over directions and compiled", () => {
    const jacobian = (x: Array) => vmap(linearize((v: Array) => np.sin(v).mul(v.sum()), x)[1])(np.eye(3));
    const x = np.array([0.1, 0.2, 0.3]);
    const row = jit(jacobian)(x).toArray() as number[][];
    expect(row[0][0]).toBeCloseTo(Math.cos(0.1) * 0.6 + Math.sin(0.1), 5);
    expect(row[1][0]).toBeCloseTo(Math.sin(0.1), 5);
  });

  it("goes through whileLoop, being forward", () => {
    const f = (x: Array) =>
      lax.whileLoop(
        (c: Array) => c.less(10),
        (c) => c.mul(2),
        x,
      );
    expect(linearize(f, two)[1](np.float32(1)).item()).toBe(8);
  });
});

describe("static arguments of jit", () => {
  it("staticArgnames are fields of the options object at the end", () => {
    let traces = 0;
    const repeat = (x: Array, { times = 1, scale = 1 }: { times?: number; scale?: Array | number } = {}) => {
      traces++;
      expect(typeof times).toBe("number");
      let y = x;
      for (let i = 0; i < times; i++) y = y.mul(scale);
      return y;
    };
    const f = jit(repeat, { staticArgnames: "times" });
    expect(f(three, { times: 2, scale: 2 }).item()).toBe(12);
    expect(f(three, { times: 2, scale: 3 }).item()).toBe(27);
    expect(traces).toBe(1);
    expect(f(three, { times: 3, scale: 3 }).item()).toBe(81);
    expect(f(three).item()).toBe(3);
    expect(traces).toBe(3);
    const g = jit((x: Array, { act }: { act: (v: Array) => Array }) => act(x), { staticArgnames: ["act"] });
    expect(g(three, { act: np.square }).item()).toBe(9);
    expect(g(three, { act: np.negative }).item()).toBe(-3);
  });

  it("says where to name what it cannot take", () => {
    const g = jit((x: Array, { act }: { act: (v: Array) => Array }) => act(x));
    expect(() => g(three, { act: np.square })).toThrow(/got a function .* staticArgnames/);
    expect(() => jit((x: Array) => x, { staticArgnames: [1 as never] })).toThrow(
      /staticArgnames must be names of fields of the last argument, got 1/,
    );
  });
});
