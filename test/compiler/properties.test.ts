// Random programs give the same answers compiled as interpreted.
import fc from "fast-check";
import { describe, it } from "vitest";
import { grad, jit, random, vmap, type Array } from "vibe-rl/array";
import { expressions, toFunction } from "../array/randomPrograms.js";
import { expectClose } from "../golden.js";

const sizes = fc.constantFrom(1, 2, 3, 5, 7, 8, 17);
const runs = 60 * Number(process.env.PROPERTY_RUNS ?? 1);

/** Compares the two ways to run a function of an array. */
function compare(f: (x: Array) => Array, x: Array, rtol: number): void {
  expectClose(jit(f)(x), jit(f, { device: "interpreter" })(x), { rtol, atol: rtol / 10 });
}

describe("compiled random programs equal interpreted ones", { timeout: 6_000_000 }, () => {
  it("as they are", () => {
    const property = fc.property(expressions("all"), sizes, fc.nat(100), (expression, size, seed) => {
      compare(toFunction(expression), random.normal(random.key(seed), [size]), 1e-5);
    });
    fc.assert(property, { numRuns: runs });
  });

  it("vectorised", () => {
    const batches = fc.constantFrom(1, 2, 4, 5, 9);
    const property = fc.property(expressions("all"), sizes, batches, fc.nat(100), (e, size, batch, seed) => {
      compare(vmap(toFunction(e)), random.normal(random.key(seed), [batch, size]), 1e-5);
    });
    fc.assert(property, { numRuns: runs });
  });

  it("differentiated", () => {
    const property = fc.property(expressions("static"), sizes, fc.nat(100), (expression, size, seed) => {
      const f = grad((x: Array) => toFunction(expression)(x).sum());
      compare(f, random.normal(random.key(seed), [size]), 5e-5);
    });
    fc.assert(property, { numRuns: runs });
  });
});
