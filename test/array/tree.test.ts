// Trees: flattening, mapping, and classes of the user's own.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { grad, jit, np, tree, vmap, type Array } from "vibe-rl/array";

const t = { b: [np.float32(1), null], a: { y: np.float32(2), x: np.float32(3) } };

describe("trees", () => {
  it("have their leaves in the order of sorted keys", () => {
    expect(tree.leaves(t).map((leaf) => leaf.item())).toEqual([3, 2, 1]);
    expect(tree.leaves({ y: 1, x: 2 })).toEqual(tree.leaves({ x: 2, y: 1 }));
    expect(tree.showStructure(tree.structure(t))).toBe("{a: {x: *, y: *}, b: [*, null]}");
  });

  it("come back from their leaves", () => {
    const anything = fc.letrec<{ tree: unknown }>((tie) => ({
      tree: fc.oneof(
        { depthSize: "small" },
        fc.integer(),
        fc.constant(null),
        fc.array(tie("tree"), { maxLength: 3 }),
        fc.dictionary(fc.string({ minLength: 1, maxLength: 3 }), tie("tree"), {
          maxKeys: 3,
          noNullPrototype: true,
        }),
      ),
    })).tree;
    fc.assert(
      fc.property(anything, (value) => {
        expect(tree.unflatten(tree.structure(value), tree.leaves(value))).toEqual(value);
      }),
    );
    expect(() => tree.unflatten(tree.structure([1, 2]), [1])).toThrow(/holds 2 leaves, got 1/);
  });

  it("map over several at once, with paths on request", () => {
    expect(tree.map((a: number, b: number) => a + b, { p: [1, 2] }, { p: [10, 20] })).toEqual({
      p: [11, 22],
    });
    expect(tree.mapWithPath((path) => path, { params: { "0 odd": [t] } })).toEqual({
      params: {
        "0 odd": [
          {
            b: ['params["0 odd"][0].b[0]', null],
            a: { y: 'params["0 odd"][0].a.y', x: 'params["0 odd"][0].a.x' },
          },
        ],
      },
    });
    expect(tree.reduce((sum: number, leaf: Array) => sum + leaf.item(), t, 0)).toBe(6);
  });

  it("compare within tolerances", () => {
    expect(tree.allClose({ a: np.array([1, Infinity]) }, { a: np.array([1 + 1e-7, Infinity]) })).toBe(true);
    expect(tree.allClose({ a: np.array([1]) }, { a: np.array([1.1]) })).toBe(false);
    expect(tree.allClose([NaN], [NaN])).toBe(false);
    expect(() => tree.allClose({ a: np.ones([2]) }, { a: np.ones([3]) })).toThrow(
      /leaves at a have shapes \[2\] and \[3\]/,
    );
  });
});

class Complex {
  constructor(
    readonly re: Array,
    readonly im: Array,
    readonly unit = "V",
  ) {}
}
tree.register(Complex, {
  flatten: (z) => [{ re: z.re, im: z.im }, z.unit],
  unflatten: ({ re, im }, unit) => new Complex(re, im, unit),
});

describe("registered classes", () => {
  const z = new Complex(np.array([1, 2]), np.array([3, 4]), "A");
  it("pass through every transform as what they are", () => {
    const twice = jit((w: Complex) => new Complex(w.re.mul(2), w.im, w.unit))(z);
    expect([twice instanceof Complex, twice.re.toArray(), twice.unit]).toEqual([true, [2, 4], "A"]);
    const g = grad((w: Complex) => w.re.mul(w.im).sum())(z);
    expect([g.re.toArray(), g.im.toArray()]).toEqual([
      [3, 4],
      [1, 2],
    ]);
    expect(vmap((w: Complex) => w.re.add(w.im))(z).toArray()).toEqual([4, 6]);
  });

  it("of another aux are another structure", () => {
    const unit = jit((w: Complex) => (w.unit === "A" ? w.re : w.im));
    expect([unit(z), unit(new Complex(z.re, z.im, "V"))].map((x) => x.toArray())).toEqual([
      [1, 2],
      [3, 4],
    ]);
    expect(() => tree.map((x: unknown) => x, z, new Complex(z.re, z.im, "V"))).toThrow(
      /at the root: Complex<"A"> and Complex<"V">/,
    );
  });

  it("are named when they meet another structure, and cannot be registered twice", () => {
    expect(() => tree.map((a: unknown) => a, [z], [1] as unknown[])).toThrow(
      /at \[0\]: a Complex and a leaf/,
    );
    expect(() => tree.register(Complex, { flatten: () => [1, 1], unflatten: () => z })).toThrow(
      /Complex is registered already/,
    );
  });
});
