// What holds for all programs: transforms agree with what they stand for.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { checkGrads, jit, jvp, np, random, vmap, type Array } from "vibe-rl/array";
import { expectClose } from "../golden.js";
import { isLong } from "../long.js";
import { expressions, toFunction, type Expression } from "./randomPrograms.js";

const sizes = fc.constantFrom(1, 2, 3, 5);
const vector = (size: number, seed: number): Array => random.normal(random.key(seed), [size]);

const check = (
  loops: "static" | "all",
  runs: number,
  property: (f: (x: Array) => Array, size: number, seed: number, expression: Expression) => void,
) => {
  fc.assert(
    fc.property(expressions(loops), sizes, fc.nat(100), (expression, size, seed) => {
      property(toFunction(expression), size, seed, expression);
    }),
    { numRuns: runs * Number(process.env.PROPERTY_RUNS ?? (isLong ? 5 : 1)) },
  );
};

/** Whether f is differentiable at x, along the direction that checkGrads goes: the differences to both sides agree. */
function isSmooth(f: (x: Array) => Array, x: Array): boolean {
  const step = random.normal(random.key(17), x.shape).astype(x.dtype).mul(1e-5);
  const [behind, here, ahead] = [x.sub(step), x, x.add(step)].map(f);
  const bend = ahead.sub(here).sub(here.sub(behind)).abs();
  return bend.lessEqual(ahead.sub(behind).abs().mul(0.01).add(1e-8)).all().item<boolean>();
}

describe("for random programs", () => {
  it("a traced f equals f to the last bit", () => {
    check("all", 70, (f, size, seed) => {
      const x = vector(size, seed);
      expect(jit(f, { device: "interpreter" })(x).data()).toEqual(f(x).data());
    });
  });

  it("vmap(f) of a batch equals f of each example, stacked", () => {
    check("all", 70, (f, size, seed) => {
      const batch = np.stack([0, 1, 2].map((row) => vector(size, seed + row)));
      const one = np.stack([...batch].map(f));
      expectClose(vmap(f)(batch), one, { rtol: 1e-5, atol: 1e-6 });
      expectClose(vmap(f, 1, 1)(batch.T), one.T, { rtol: 1e-5, atol: 1e-6 });
    });
  });

  it("jvp and vjp agree with finite differences", () => {
    check("static", 60, (f, size, seed) => {
      const x = vector(size, seed).astype("float64");
      fc.pre(isSmooth(f, x));
      checkGrads(f, [x], 1, { atol: 1e-4, rtol: 1e-4 });
    });
  });

  it("forward mode agrees with finite differences through whileLoop too", () => {
    check("all", 30, (f, size, seed) => {
      const x = vector(size, seed).astype("float64");
      fc.pre(isSmooth(f, x));
      checkGrads(f, [x], 1, { modes: ["fwd"], atol: 1e-4, rtol: 1e-4 });
    });
  });

  it("jvp of vmap equals vmap of jvp", () => {
    check("static", 40, (f, size, seed) => {
      const [batch, direction] = [0, 5].map((offset) =>
        np.stack([0, 1].map((row) => vector(size, seed + offset + row))),
      );
      const outside = jvp(vmap(f), [batch], [direction])[1];
      const inside = vmap((x: Array, t: Array) => jvp(f, [x], [t])[1])(batch, direction);
      expectClose(outside, inside, { rtol: 1e-4, atol: 1e-5 });
    });
  });
});
