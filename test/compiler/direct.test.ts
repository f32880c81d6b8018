// What is copied to a part of an array is stored there at once, and nothing else changes.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { jit, lax, makeProgram, np, random, registerBackend, type Array } from "../../src/array/index.js";
import { fuseProgram } from "../../src/compiler/fuse/program.js";
import { simplifyProgram } from "../../src/compiler/index.js";
import { storeDirectly } from "../../src/compiler/schedule/direct.js";
import type { Address, Buffer, Expression, Store } from "../../src/compiler/kernel.js";
import { kernelsIn } from "../../src/compiler/walk.js";
import { differences, type Tolerance } from "../closeness.js";
import { kernelBackend } from "./kernelBackend.js";
import { argumentsFor, mixedPrograms, toFunction } from "./mixedPrograms.js";
import { adding, buffer, placeOf, stepsOf } from "./plan/kernels.js";
import { stateArguments, statePrograms, toStateFunction } from "./statePrograms.js";

const devices = [false, true].map((isPlanned) => {
  const name = `direct kernels, ${isPlanned ? "planned" : "each by itself"}`;
  registerBackend(kernelBackend(name, { isPlanned, arrange: storeDirectly }), { isDefault: false });
  return name;
});

/** Fails unless kernels give the array language's answer; how many kernels there are less. */
function spared(f: (...args: Array[]) => unknown, args: readonly Array[], tolerance: Tolerance = {}): number {
  const expected = jit(f, { device: "interpreter" })(...args);
  for (const device of devices)
    expect(differences(jit(f, { device })(...args), expected, tolerance), device).toEqual([]);
  const { steps, inputs, outputs } = fuseProgram(simplifyProgram(makeProgram(f)(...args).program));
  const seen = new Set([...inputs, ...outputs].map(({ place }) => place.buffer));
  return kernelsIn(steps).length - kernelsIn(storeDirectly(steps, seen)).length;
}

const [x, w] = [random.normal(random.key(1), [6, 8]), random.normal(random.key(2), [8, 5])];
const near: Tolerance = { rtol: 1e-5, atol: 1e-6 };

describe("parts of an array", () => {
  it("are stored by the products that compute them", () => {
    const f = (a: Array, b: Array) => {
      const parts = [a.matmul(b), a.mul(2).matmul(b)].map((part) => part.reshape([-1]));
      return np.sort(np.concatenate([...parts, np.zeros([3])]));
    };
    expect(spared(f, [x, w], near)).toBeGreaterThan(0);
  });

  it("are stored twice where somebody else reads them", () => {
    const f = (a: Array, b: Array) => {
      const part = a.matmul(b);
      return [np.sort(np.concatenate([part.reshape([-1]), np.ones([3])])), part.matmul(b.transpose())];
    };
    expect(spared(f, [x, w], near)).toBe(0);
  });

  it("are stored twice where the kernel that copies them computes something of them, too", () => {
    const [a, b, c, d] = ["a", "b", "c", "d"].map((name) => buffer(name));
    const at = (of: Buffer): Address => ({ ...placeOf(of), strides: [1], computed: [] });
    const load: Expression = { kind: "load", id: 0, dtype: "float32", address: at(b), guard: null };
    const negated: Expression = {
      ...{ kind: "operation", id: 1, dtype: "float32", name: "neg", result: 0 },
      inputs: [load],
    };
    const store = (to: Buffer, value: Expression): Store => ({
      ...{ address: at(to), value, combine: "set", guard: null },
    });
    const copying = (stores: readonly Store[]) => stepsOf([adding(a, b), { ...adding(b, c), body: stores }]);
    const stored = (stores: readonly Store[]) =>
      kernelsIn(storeDirectly(copying(stores), new Set())).flatMap((kernel) =>
        kernel.kind === "loop" ? kernel.body.map(({ address }) => address.buffer.name) : [],
      );
    expect(stored([store(c, load)])).toEqual(["c"]);
    expect(stored([store(c, load), store(d, negated)])).toEqual(["b", "c", "d"]);
    expect(stored([store(c, load), store(d, load)])).toEqual(["b", "c", "d"]);
  });

  it("are stored twice where a loop or a branch goes by them", () => {
    const f = (a: Array) => {
      const total = np.sort(a.reshape([-1])).slice(3);
      const isLarge = total.greater(0);
      const flags = np.concatenate([isLarge.reshape([1]), np.array([true, false])]);
      const chosen = lax.cond(
        isLarge,
        () => np.sort(a, 0),
        () => np.sort(a, 1),
      );
      const count = lax.whileLoop(
        ([n, goesOn]: [Array, Array]) => goesOn.and(n.less(5)),
        ([n]: [Array, Array]) => [n.add(1), n.less(total.mul(0).add(3))] as [Array, Array],
        [np.float32(0), isLarge] as [Array, Array],
      );
      return [chosen, count[0], np.sort(flags.astype("int32"))];
    };
    for (const sign of [1, -1]) spared(f, [x.mul(sign)], near);
  });

  it("come behind what lay there before", () => {
    const f = (a: Array, b: Array) => {
      const base = np.sort(a.reshape([-1]));
      const part = a.matmul(b).reshape([-1]);
      return np.sort(lax.dynamicUpdateSlice(base, part, [7])).mul(base.sum());
    };
    spared(f, [x, w], near);
  });

  it("are right in whatever programs", { timeout: 600_000 }, () => {
    const numRuns = 60 * Number(process.env.PROPERTY_RUNS ?? 1);
    const mixed = fc.property(mixedPrograms(), fc.nat(10), (program, seed) => {
      spared(toFunction(program), argumentsFor(program, seed), { rtol: 1e-5, atol: 2e-5 });
    });
    const states = fc.property(statePrograms(), fc.nat(10), (program, seed) => {
      spared(toStateFunction(program), stateArguments(seed));
    });
    fc.assert(mixed, { numRuns });
    fc.assert(states, { numRuns });
  });
});
