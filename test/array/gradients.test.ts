// Every differentiable primitive agrees with finite differences, to second order, in both modes.
import { describe, expect, it } from "vitest";
import {
  checkGrads,
  checkpoint,
  customJvp,
  lax,
  nn,
  np,
  random,
  shardMap,
  vmap,
  type Array,
} from "vibe-rl/array";
import { barrier } from "../../src/array/primitives/barrier.js";
import { bindOne } from "../../src/array/core/trace.js";
import { primitives } from "../../src/array/primitives/index.js";
import { shardingConstraint } from "../../src/array/primitives/shardingConstraint.js";
import { gammaSample } from "../../src/array/random/gammaDerivative.js";

const float64 = (shape: readonly number[], seed = 0): Array =>
  random.normal(random.key(seed), shape).astype("float64");
/** Away from zero and from each other, so that finite differences do not cross a kink. */
const spaced = (n: number): Array => np.linspace(-1.7, 2.1, n, { dtype: "float64" });
const indices = (...values: number[]): Array => np.array(values, { dtype: "int32" });

const cubed: (x: Array) => Array = customJvp((x: Array) => x.mul(x).mul(x)).defjvp(([x], [t]) => [
  cubed(x),
  t.mul(x).mul(x).mul(3),
]);

const named = (f: (x: Array) => Array): ((x: Array) => Array) => vmap(f, 0, 0, { axisName: "i" });
/** Blocks of rows, as shardMap sees a partition spec. */
class Rows {
  readonly entries = ["i"];
}
const rows = new Rows();

/** A function of floats that uses a primitive, and where to test it. */
type Case = readonly [f: (...args: Array[]) => unknown, ...args: Array[]];

const cases: Record<string, Case | readonly Case[]> = {
  neg: [(x) => x.neg(), float64([3])],
  add: [(x, y) => x.add(y), float64([2, 3]), float64([3], 1)],
  sub: [(x, y) => x.sub(y), float64([3]), float64([], 1)],
  mul: [
    [(x, y) => x.mul(y), float64([2, 3]), float64([3], 1)],
    [(x, y) => x.mul(y), float64([]), float64([3], 1)],
    [(x) => x.mul(x), float64([3])],
  ],
  div: [(x, y) => x.div(y), float64([3]), float64([3], 1).abs().add(0.5)],
  rem: [(x, y) => lax.rem(x, y), spaced(4).mul(3), np.float64([0.7, 0.9, 1.1, 0.83])],
  pow: [(x, y) => np.power(x, y), float64([3]).abs().add(0.5), float64([3], 1)],
  max: [(x, y) => np.maximum(x, y), spaced(5), float64([5])],
  min: [(x, y) => np.minimum(x, y), spaced(5), float64([5])],
  abs: [(x) => x.abs(), spaced(4)],
  relu: [(x) => nn.relu(x), spaced(4)],
  exp: [(x) => np.exp(x), float64([3])],
  expm1: [(x) => np.expm1(x), float64([3])],
  log: [(x) => np.log(x), float64([3]).abs().add(0.3)],
  log1p: [(x) => np.log1p(x), float64([3]).abs()],
  sqrt: [(x) => np.sqrt(x), float64([3]).abs().add(0.3)],
  sin: [(x) => np.sin(x), float64([3])],
  cos: [(x) => np.cos(x), float64([3])],
  tanh: [(x) => np.tanh(x), float64([3])],
  logistic: [(x) => lax.logistic(x), float64([3])],
  erf: [(x) => lax.erf(x), float64([3])],
  erfInv: [(x) => lax.erfInv(x), np.tanh(float64([3])).mul(0.8)],
  logaddexp: [(x, y) => np.logaddexp(x, y), np.float64([1, 0.5, -2]), np.float64([1, 0.7, 3])],
  atan2: [(y, x) => np.arctan2(y, x), float64([3]), float64([3], 1).abs().add(0.4)],
  select: [
    [(x, y) => np.where(np.array([true, false, true]), x, y), float64([3]), float64([3], 1)],
    [(x, y) => np.where(np.array([true, false, true]), x, y), float64([]), float64([3], 1)],
  ],
  convert: [(x) => x.astype("float64").mul(2), float64([3])],
  stopGradient: [(x) => x.mul(lax.stopGradient(np.float64([1, 2, 3]))), float64([3])],
  broadcast: [
    [(x) => np.broadcastTo(x, [2, 3]), float64([3])],
    [(x) => np.broadcastTo(x, [2, 4, 3]), float64([4, 1])],
  ],
  reshape: [(x) => x.reshape([3, 2]), float64([2, 3])],
  transpose: [(x) => x.transpose([2, 0, 1]), float64([2, 3, 4])],
  flip: [(x) => np.flip(x, 1), float64([2, 3])],
  slice: [(x) => x.slice("1:", "::-2"), float64([3, 5])],
  pad: [
    [(x, v) => np.pad(x, [[1, 2]], { constantValues: v }), float64([3]), float64([], 1)],
    [(x) => np.einsum("ii->i", x), float64([3, 3])],
  ],
  concatenate: [(x, y) => np.concatenate([x, y, x], 1), float64([2, 3]), float64([2, 1], 1)],
  dynamicSlice: [(x) => lax.dynamicSlice(x, [np.int32(1), np.int32(7)], [2, 2]), float64([3, 4])],
  dynamicUpdateSlice: [
    (x, u) => lax.dynamicUpdateSlice(x, u, [np.int32(1), np.int32(7)]),
    float64([3, 4]),
    float64([2, 2], 1),
  ],
  gather: [
    [(x) => x.slice(indices(2, 0, 2), indices(1, 1, 0)), float64([3, 2, 2])],
    [
      (x) =>
        np.takeAlongAxis(
          x,
          np.array(
            [
              [1, 1],
              [0, 2],
            ],
            { dtype: "int32" },
          ),
          1,
        ),
      float64([2, 3]),
    ],
    // An index outside reads the nearest element, so that one gets its gradient.
    [(x) => x.slice(indices(2, 9, -7)), float64([3])],
  ],
  scatter: [
    [(x, u) => x.at(indices(0, 2)).set(u), float64([3, 2]), float64([2, 2], 1)],
    [(x, u) => x.at(indices(0, 2, 0)).add(u), float64([3, 2]), float64([3, 2], 1)],
    // Of several writes to one place the last one counts; a write outside is left out.
    [(x, u) => x.at(indices(0, 2, 0, 8)).set(u), float64([3]), float64([4], 1)],
    [(x, u) => x.at("::2", indices(1, 0)).set(u), float64([3, 2]), float64([2, 2], 1)],
    [(x, u) => x.at(indices(0, 2, 0, 8)).set(u, { mode: "clip" }), float64([3]), float64([4], 1)],
    // Extremes and products, also of several updates at one place, and with a zero among them.
    [(x, u) => x.at(indices(0, 2, 0)).max(u), float64([3]), float64([3], 1)],
    [(x, u) => x.at(indices(0, 2, 0, 8)).min(u), float64([3, 2]), float64([4, 2], 1)],
    [(x, u) => x.at(indices(0, 2, 0)).mul(u), float64([3]), float64([3], 1)],
    [(x, u) => x.at(indices(0, 2, 2, 8)).mul(u), float64([3]), np.float64([0, 0, 2, 3])],
    [(x, u) => x.at(indices(0, 2, 0)).divide(u), float64([3]), float64([3], 1)],
  ],
  // Its derivative by the parameter is that of a distribution, not of its own value.
  gammaSample: [(z) => bindOne(gammaSample, [z, np.float64([1, 2])], { logSpace: false }), float64([2])],
  window: [
    (x, w) => lax.convGeneralDilated(x, w, [2, 1], "SAME", { rhsDilation: [1, 2] }),
    float64([2, 5, 4, 2]),
    float64([3, 2, 2, 3], 1),
  ],
  windowSum: [
    (x, w) =>
      lax.convGeneralDilated(
        x,
        w,
        [1, 2],
        [
          [1, 0],
          [2, 1],
        ],
        { lhsDilation: [2, 1] },
      ),
    float64([1, 3, 4, 1]),
    float64([2, 2, 1, 2], 1),
  ],
  reduceSum: [(x) => x.sum([0, 2]), float64([2, 3, 2])],
  reduceMax: [(x) => x.max(1), float64([2, 3])],
  reduceMin: [(x) => x.min(), float64([2, 3])],
  sort: [(x) => np.sort(x, 0), float64([4, 2])],
  dot: [
    [(x, y) => x.matmul(y), float64([2, 3]), float64([3, 4], 1)],
    [(x, y) => np.einsum("bij,bkj->bik", x, y), float64([2, 2, 3]), float64([2, 4, 3], 1)],
    [
      (x, y) =>
        np.tensordot(x, y, [
          [1, 0],
          [0, 2],
        ]),
      float64([2, 3, 2]),
      float64([3, 2, 2], 1),
    ],
    [(x) => x.matmul(x), float64([3, 3])],
  ],
  scan: [
    (w, xs) =>
      lax.scan(
        (h: Array, x: Array) => {
          const next = np.tanh(h.matmul(w).add(x));
          return [next, next.mul(x)];
        },
        np.zeros([2], { dtype: "float64" }),
        xs,
        { reverse: true },
      ),
    float64([2, 2]),
    float64([4, 2], 1),
  ],
  cond: [
    (x) =>
      lax.switch(np.int32(1), [(v: Array) => v, (v: Array) => np.sin(v).mul(v), (v: Array) => np.exp(v)], x),
    float64([3]),
  ],
  call: [cubed, float64([3])],
  checkpoint: [
    [(x) => checkpoint((v: Array) => np.sin(v).mul(v).sum())(x), float64([3])],
    [
      (x) =>
        checkpoint((v: Array) => lax.scan((c: Array) => [np.sin(c).mul(v), c], v, null, { length: 3 }))(x),
      float64([2]),
    ],
  ],
  psum: [(x) => named((v) => lax.psum(np.sin(v), "i").mul(v))(x), float64([3, 2])],
  pmax: [(x) => named((v) => lax.pmax(np.sin(v), "i").mul(v))(x), float64([3, 2])],
  pmin: [(x) => named((v) => lax.pmin(np.sin(v), "i").mul(v))(x), float64([3, 2])],
  allGather: [(x) => named((v) => lax.allGather(np.sin(v), "i").mul(v))(x), float64([3, 2])],
  psumScatter: [(x) => named((v) => lax.psumScatter(np.sin(v), "i").mul(v))(x), float64([3, 3])],
  ppermute: [(x) => named((v) => lax.ppermute(np.sin(v), "i", [[0, 2]]).mul(v))(x), float64([3, 2])],
  allToAll: [(x) => named((v) => lax.allToAll(np.sin(v), "i", 0, 0).mul(v))(x), float64([3, 3])],
  shardMap: [
    (x) =>
      shardMap((v: Array) => lax.psum(np.sin(v), "i").mul(v), {
        mesh: { axes: [{ name: "i", size: 2 }] },
        inSpecs: rows,
        outSpecs: rows,
      })(x),
    float64([4, 2]),
  ],
  barrier: [(x) => bindOne(barrier, [x], {}), float64([3])],
  shardingConstraint: [
    (x) =>
      bindOne(shardingConstraint, [x.mul(x)], { layout: [["batch"]], axes: [{ name: "batch", size: 3 }] }),
    float64([3]),
  ],
};

/** Piecewise constant, integer-valued, forward only, or without result. */
const without = [
  ...["fma", "sign", "floor", "ceil", "trunc", "round", "equal", "notEqual", "less", "lessEqual"],
  ...["and", "or", "xor", "not", "shiftLeft", "shiftRightLogical", "shiftRightArithmetic"],
  ...["bitcast", "iota", "argMax", "argMin", "threefry2x32", "debugPrint", "while"],
  ...["constant", "reverseOnly", "axisIndex"],
];

describe("derivatives agree with finite differences", () => {
  it("for every primitive there is a case", () => {
    const names = primitives.map((primitive) => primitive.name);
    expect([...Object.keys(cases), ...without].sort()).toEqual([...names].sort());
  });

  for (const [name, given] of Object.entries(cases)) {
    const list = (typeof given[0] === "function" ? [given] : given) as readonly Case[];
    list.forEach(([f, ...args], index) => {
      it(`${name} ${index}`, () => {
        checkGrads(f, args, 2);
      });
      it(`${name} ${index}, vectorised`, () => {
        const batch = args.map((arg) => np.stack([arg, arg.mul(0.9)]));
        checkGrads(vmap(f as (...inputs: Array[]) => Array), batch, 1);
      });
    });
  }

  it("fma, which is float32 only", () => {
    const f = (lower: Array, upper: Array) =>
      random.uniform(random.key(3), [4], { minval: lower, maxval: upper });
    checkGrads(f, [np.float32(-1), np.float32(2)], 1);
  });

  it("forward mode through whileLoop", () => {
    const f = (x: Array) =>
      lax.whileLoop(
        ({ i }) => i.less(3),
        ({ i, y }) => ({ i: i.add(1), y: np.sin(y).mul(x) }),
        { i: np.int32(0), y: x },
      ).y;
    checkGrads(f, [float64([2])], 2, { modes: ["fwd"] });
  });

  it("a wrong derivative is found", () => {
    const wrong = (x: Array) => x.mul(lax.stopGradient(x));
    expect(() => checkGrads(wrong, [float64([3])])).toThrow(/jvp of element 0 is .* finite differences give/);
  });
});
