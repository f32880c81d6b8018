// What the transforms infer: a transformed function has the types of the function it came from.
import { describe, expect, expectTypeOf, it } from "vitest";
import {
  evalShape,
  grad,
  hessian,
  jit,
  jvp,
  lax,
  np,
  tree,
  valueAndGrad,
  vjp,
  vmap,
  type Array,
  type ShapeDtype,
} from "vibe-rl/array";

interface Params {
  readonly w: Array;
  readonly layers: readonly { readonly b: Array }[];
}

const forward = (
  params: Params,
  x: Array,
  options: { readonly scale: number },
): { y: Array; hidden: Array[] } => ({
  y: x.mul(params.w).mul(options.scale),
  hidden: params.layers.map((layer) => layer.b),
});
const loss = (params: Params, x: Array): Array => x.mul(params.w).sum();
const lossWithAux = (params: Params, x: Array): [Array, { accuracy: Array }] => [
  loss(params, x),
  { accuracy: x },
];

describe("types carry through", () => {
  it("jit and vmap keep the function's own type", () => {
    expectTypeOf(jit(forward)).toEqualTypeOf<typeof forward>();
    expectTypeOf(vmap(forward)).toEqualTypeOf<typeof forward>();
    expectTypeOf(jit(vmap(forward, [null, 0, null]))).toEqualTypeOf<typeof forward>();
    const flagged = (x: Array, options: { explore: boolean; name?: "a" | "b" } = { explore: true }) => ({
      x,
      ...options,
    });
    expectTypeOf(jit(flagged)).toEqualTypeOf<typeof flagged>();
    expectTypeOf(vmap(flagged)).toEqualTypeOf<typeof flagged>();
    const generic = jit(<T extends Array | Params>(x: T): T => x);
    expectTypeOf(generic(np.ones([2]))).toEqualTypeOf<Array>();
    expectTypeOf(generic<Params>).returns.toEqualTypeOf<Params>();
  });

  it("grad gives the type of the argument", () => {
    expectTypeOf(grad(loss)).toEqualTypeOf<(params: Params, x: Array) => Params>();
    expectTypeOf(grad(loss, { argnums: 1 })).returns.toEqualTypeOf<Array>();
    expectTypeOf(grad(loss, { argnums: [0, 1] })).returns.toEqualTypeOf<[Params, Array]>();
    expectTypeOf(grad(lossWithAux, { hasAux: true })).returns.toEqualTypeOf<
      [gradient: Params, aux: { accuracy: Array }]
    >();
  });

  it("valueAndGrad gives both", () => {
    expectTypeOf(valueAndGrad(loss)).toEqualTypeOf<
      (params: Params, x: Array) => [value: Array, gradient: Params]
    >();
    expectTypeOf(valueAndGrad(lossWithAux, { hasAux: true })).returns.toEqualTypeOf<
      [value: [Array, { accuracy: Array }], gradient: Params]
    >();
    expectTypeOf(jit(valueAndGrad(loss, { argnums: [1, 0] }))).returns.toEqualTypeOf<
      [value: Array, gradient: [Array, Params]]
    >();
  });

  it("jvp and vjp keep results and arguments", () => {
    const p: Params = { w: np.ones([2]), layers: [] };
    expectTypeOf(jvp(loss, [p, p.w], [p, p.w])).toEqualTypeOf<[value: Array, tangent: Array]>();
    const [, back] = vjp(loss, p, p.w);
    expectTypeOf(back).toEqualTypeOf<(cotangent: Array) => [params: Params, x: Array]>();
    expectTypeOf(hessian((x: Array) => x.sum())).returns.toEqualTypeOf<Array>();
  });

  it("loops keep the carry, branches the result, trees their shape", () => {
    const carry = { n: np.int32(0), xs: [np.zeros([2])] };
    const scanned = lax.scan((c: typeof carry, x: Array) => [c, { x }], carry, np.zeros([3]));
    expectTypeOf(scanned).toEqualTypeOf<[typeof carry, { x: Array }]>();
    expectTypeOf(
      lax.whileLoop(
        (c) => c.n.less(3),
        (c) => ({ ...c, n: c.n.add(1) }),
        carry,
      ),
    ).toEqualTypeOf<typeof carry>();
    expectTypeOf(
      lax.cond(
        true,
        (x: Array) => ({ x }),
        (x: Array) => ({ x }),
        np.zeros([]),
      ),
    ).toEqualTypeOf<{ x: Array }>();
    expectTypeOf(tree.map((x: Array) => x.ndim, carry)).toEqualTypeOf<{ n: number; xs: number[] }>();
    expectTypeOf(tree.leaves(carry)).toEqualTypeOf<Array[]>();
    expectTypeOf(evalShape((x: Array) => ({ y: x }), np.zeros([2]))).toEqualTypeOf<{ y: ShapeDtype }>();
    expectTypeOf(
      evalShape((x: Array) => ({ y: x, n: 1, name: "a", done: x.ndim > 0 }), np.zeros([2])),
    ).toEqualTypeOf<{
      y: ShapeDtype;
      n: ShapeDtype;
      name: string;
      done: boolean;
    }>();
  });

  it("mistakes do not compile", () => {
    const mistakes = [
      // @ts-expect-error an array is not a number
      (x: Array) => x > 0,
      // @ts-expect-error a string is no operand
      (x: Array) => x.add("1"),
      // @ts-expect-error there is no such dtype
      () => np.zeros([2], { dtype: "float16" }),
      // @ts-expect-error the second argument is missing
      () => grad(loss)({ w: np.ones([2]), layers: [] }),
    ];
    expect(mistakes).toHaveLength(4);
  });
});
