// Programs in halves compute what they compute as one.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { debug, expandCalls, lax, makeProgram, np, random, type Array } from "../../../src/array/index.js";
import { interpret } from "../../../src/array/core/interpret.js";
import type { Concrete } from "../../../src/array/core/array.js";
import { inHalves, type Halves } from "../../../src/compiler/index.js";
import { expressions, toFunction } from "../../array/randomPrograms.js";
import { expectClose } from "../../golden.js";

const programOf = (f: (...args: Array[]) => unknown, ...args: Array[]) => {
  const { program, constants } = makeProgram(f)(...args);
  return { program: expandCalls(program).program, values: [...constants, ...args] as Concrete[] };
};

describe("programs in halves", () => {
  it("give the same results as in one", () => {
    let halved = 0;
    const property = fc.property(expressions("all"), expressions("all"), (first, second) => {
      // What both halves take, what one of them does, and what is handed on and returned as well.
      const f = (x: Array, y: Array, z: Array) => {
        const early = toFunction(first)(x.add(y));
        return [toFunction(second)(early.mul(x)).add(z), early, y];
      };
      const args = [0, 1, 2].map((seed) => random.normal(random.key(seed), [3]));
      const { program, values } = programOf(f, ...args);
      const halves = inHalves(program, 2);
      if (halves === null) return;
      halved += 1;
      const { first: early, second: late, handed } = halves;
      const taken = (inputs: readonly number[]) => inputs.map((at) => values[at]);
      const made = interpret(early.program, taken(early.inputs));
      const others = interpret(late.program, [...taken(late.inputs), ...handed.map((at) => made[at])]);
      const results = halves.results.map(({ half, at }) => (half === "first" ? made : others)[at]);
      interpret(program, values).forEach((x, at) => expectClose(results[at], x, { rtol: 1e-5, atol: 1e-6 }));
    });
    fc.assert(property, { numRuns: 60 * Number(process.env.PROPERTY_RUNS ?? 1) });
    expect(halved).toBeGreaterThan(10);
  });

  it("tell which of them hardly multiplies, loops counted", () => {
    const square = np.ones([16, 16]);
    const once = (x: Array) => x.matmul(square);
    const often = (x: Array) => lax.foriLoop(0, 100, (_, y: Array) => once(y), x);
    const told = (...steps: ((x: Array) => Array)[]) => {
      const { program } = programOf((x) => steps.reduce((y, step) => step(y), x), square);
      const { first, second } = inHalves(program, 2) as Halves;
      return [first.hardlyMultiplies, second.hardlyMultiplies];
    };
    expect(told(once, often)).toEqual([true, false]);
    expect(told(often, once)).toEqual([false, true]);
    expect(told(once, once)).toEqual([false, false]);
    expect(told(np.sin, np.cos)).toEqual([false, false]);
  });

  it("are none where one is short, or messages are printed", () => {
    const f = (x: Array) => np.sin(np.cos(np.sin(np.cos(x))));
    expect(inHalves(programOf(f, np.ones([2])).program)).toBeNull();
    expect(inHalves(programOf(f, np.ones([2])).program, 2)).not.toBeNull();
    const telling = (x: Array) => {
      debug.print("{}", x);
      return f(x);
    };
    expect(inHalves(programOf(telling, np.ones([2])).program, 2)).toBeNull();
  });
});
