// Random programs give the same answers compiled as interpreted.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isLong } from "../long.js";
import { compiledDifferences } from "./compare.js";
import { argumentsFor, mixedPrograms, toFunction } from "./mixedPrograms.js";
import { stateArguments, statePrograms, toStateFunction } from "./statePrograms.js";

const runs = 60 * Number(process.env.PROPERTY_RUNS ?? (isLong ? 5 : 1));

describe("compiled random programs equal interpreted ones", { timeout: 600_000 }, () => {
  it("over all dtypes: integers and bool equal, floats near", () => {
    const property = fc.property(mixedPrograms(), fc.nat(100), (program, seed) => {
      const [args, others] = [argumentsFor(program, seed), argumentsFor(program, seed + 1)];
      const tolerance = { rtol: 1e-5, atol: 2e-5 };
      expect(compiledDifferences(toFunction(program), args, tolerance, others)).toEqual([]);
    });
    fc.assert(property, { numRuns: runs });
  });

  it("with states that loops and branches exchange and overwrite", () => {
    const property = fc.property(statePrograms(), fc.nat(10), (program, seed) => {
      const [args, others] = [stateArguments(seed), stateArguments(seed + 1)];
      expect(compiledDifferences(toStateFunction(program), args, {}, others)).toEqual([]);
    });
    fc.assert(property, { numRuns: runs });
  });
});
