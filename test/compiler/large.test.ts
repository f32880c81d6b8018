// Programs may be long: nothing in the compiler recurses over their length, or takes much longer than in proportion.
import { describe, expect, it } from "vitest";
import { grad, lax, np, type Array } from "vibe-rl/array";
import { dumpText } from "../../src/compiler/index.js";
import { expectSame, type Computation } from "./compare.js";
import { compileWith } from "./forms.js";

/** What comes of doing something so many times. */
function repeated(times: number, x: Array, f: (x: Array, turn: number) => Array): Array {
  let result = x;
  for (let turn = 0; turn < times; turn++) result = f(result, turn);
  return result;
}

const ramp = np.arange(32).astype("float32").mul(0.25);

describe("long programs compile and are right", () => {
  const programs: Record<string, Computation> = {
    "5,000 additions": (x) => repeated(5000, x, (y) => y.add(0.5)),
    "5,000 additions of scalars": (x) => repeated(5000, x.slice(3), (y) => y.add(0.5)),
    "1,000 views": (x) => repeated(1000, x, (y) => np.flip(y.reshape([4, 8]), 0).T.reshape([32])),
    "5,000 views that vanish": (x) => repeated(5000, x, (y) => np.flip(y)),
    "2,000 slices before a product": (x) =>
      repeated(2000, np.concatenate([x, np.zeros([2000])]), (y) => y.slice("1:"))
        .reshape([4, 8])
        .matmul(np.ones([8, 3])),
    "2,000 operations behind a product": (x) =>
      repeated(2000, x.reshape([4, 8]).matmul(np.ones([8, 9])), (y, turn) => y.add(turn % 3)),
    "2,000 operations behind a sum": (x) => repeated(2000, x.reshape([4, 8]).sum(1), (y) => y.mul(1.001)),
    "2,000 operations before a sum": (x) => repeated(2000, x, (y) => y.mul(1.0001)).sum(),
    "1,000 sums": (x) => repeated(1000, x, (y) => y.sub(y.mean())),
    "2,000 squares that each are used twice": (x) => repeated(2000, x, (y) => y.add(y.mul(y).mul(1e-9))),
    "1,000 updates": (x) => repeated(1000, x, (y, turn) => y.at(turn % 32).set(turn)),
    "500 branches": (x) =>
      repeated(500, x, (y, turn) =>
        lax.cond(
          y.slice(0).less(turn),
          (z: Array) => z.add(1),
          (z: Array) => z.mul(0.5),
          y,
        ),
      ),
    "500 loops": (x) => repeated(500, x, (y) => lax.foriLoop(0, 3, (_, z: Array) => z.add(1), y)),
    "a choice of 1,000 branches": (x) =>
      lax.switch(
        x.slice(20).mul(100).astype("int32"),
        globalThis.Array.from({ length: 1000 }, (_, turn) => (y: Array) => y.add(turn)),
        x,
      ),
    "3,000 operations that leave a loop": (x) =>
      lax.foriLoop(0, 3, (_, y: Array) => y.add(repeated(3000, x, (z) => np.sin(z).add(0.1))), x),
    "the gradient of 2,000 operations": (x) =>
      grad((y: Array) => repeated(2000, y, (z) => np.sin(z).add(1)).sum())(x),
    "3,000 results": (x) => globalThis.Array.from({ length: 3000 }, (_, turn) => x.mul(turn)),
  };
  it.each(Object.entries(programs))("%s", (_, f) => {
    expectSame(f, [ramp], { rtol: 1e-4, atol: 1e-4 });
  });
});

it("a long program can be read", () => {
  const forms = compileWith({ fma: false })((x: Array) => repeated(3000, x, (y) => y.add(0.5)), ramp);
  expect(dumpText("fuse", forms)?.text.split("\n").length).toBeGreaterThan(50);
});

it("scalars multiply whatever a product asks them to", () => {
  const matrix = np.arange(6).reshape([2, 3]).astype("float32");
  expectSame((m) => np.einsum(",ij->ji", np.float32(2), m), [matrix]);
  expectSame((m) => np.tensordot(m, np.float32(2), 0), [matrix]);
  expectSame((m, s) => [np.tensordot(s, m, 0), np.tensordot(s, s, 0)], [matrix, np.float32(3)]);
  expectSame((m) => np.tensordot(np.int32(2), m.astype("int32"), 0), [matrix]);
});
