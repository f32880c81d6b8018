// Kernels of one form do the same with other arrays.
import { expect, it } from "vitest";
import { np, type Array } from "vibe-rl/array";
import { formOf } from "../../src/compiler/schedule/forms.js";
import { kernelsIn } from "../../src/compiler/walk.js";
import { compileWith } from "./forms.js";

/** Whether the kernels of two functions of one argument each have equal forms. */
function areAlike(f: (x: Array) => Array, x: Array, g: (x: Array) => Array = f, y: Array = x): boolean {
  const [one, other] = (
    [
      [f, x],
      [g, y],
    ] as const
  ).map(([of, argument]) => {
    const [kernel] = kernelsIn(compileWith({ fma: false })(of, argument).steps);
    return formOf(kernel);
  });
  expect(one).not.toBeNull();
  if (one?.key === other?.key) expect(other?.places.length).toBe(one?.places.length);
  return one?.key === other?.key;
}

const ones = (...shape: number[]): Array => np.ones(shape);

it("elementwise kernels are alike whatever the lengths and ranks of their arrays", () => {
  const f = (x: Array) => np.tanh(x.mul(2)).add(x);
  expect(areAlike(f, ones(64), f, ones(8, 16))).toBe(true);
  expect(areAlike(f, ones(64), f, ones(1))).toBe(false);
});

it("other operations, constants, orders and dtypes make another form", () => {
  const f = (x: Array) => x.mul(2).add(x);
  expect(areAlike(f, ones(64), (x) => x.mul(2).sub(x))).toBe(false);
  expect(areAlike(f, ones(64), (x) => x.mul(3).add(x))).toBe(false);
  expect(
    areAlike(
      (x) => x.mul(0).add(x),
      ones(64),
      (x) => x.mul(-0).add(x),
    ),
  ).toBe(false);
  expect(
    areAlike(
      (x) => np.flip(x),
      ones(64),
      (x) => x.add(0).mul(1.5),
    ),
  ).toBe(false);
  expect(areAlike(f, ones(64), f, ones(64).astype("int32"))).toBe(false);
});

it("kernels that look at positions, or reduce, are alike where their extents are", () => {
  const positions = (x: Array) => x.add(np.arange(x.shape[0]).astype("float32").mul(x));
  expect(areAlike(positions, ones(64))).toBe(true);
  expect(areAlike(positions, ones(64), positions, ones(32))).toBe(false);
  const sums = (x: Array) => np.exp(x).sum(1);
  expect(areAlike(sums, ones(8, 100))).toBe(true);
  expect(areAlike(sums, ones(8, 100), sums, ones(8, 90))).toBe(false);
  expect(areAlike(sums, ones(8, 100), (x) => np.exp(x).max(1))).toBe(false);
});

it("products are alike where their extents and strides are, and what follows them is", () => {
  const product = (x: Array) => x.matmul(x.T).mul(2);
  expect(areAlike(product, ones(16, 32))).toBe(true);
  expect(areAlike(product, ones(16, 32), product, ones(16, 48))).toBe(false);
  expect(areAlike(product, ones(16, 16), (x) => x.matmul(x).mul(2))).toBe(false);
  expect(areAlike(product, ones(16, 32), (x) => x.matmul(x.T).add(2))).toBe(false);
});

it("long chains of operations have a form", () => {
  const chain = (x: Array) => {
    let y = x;
    for (let count = 0; count < 5000; count++) y = np.sin(y).mul(0.5);
    return y;
  };
  expect(areAlike(chain, ones(4))).toBe(true);
});
