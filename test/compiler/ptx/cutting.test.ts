// Programs that are cut into functions do what they do in one: counters of loops go along, and blocks meet in all of them.
import { describe, expect, it } from "vitest";
import { jit, lax, np, random, type Array } from "vibe-rl/array";
import { registerBackend } from "../../../src/array/index.js";
import { ptxRenderer, type PtxTarget } from "../../../src/compiler/index.js";
import { isWithoutNative } from "../../device/native.js";
import type { Computation } from "../compare.js";
import { compileFor } from "../forms.js";
import { functionBatches } from "../functionBatches.js";
import { expectTogether, fewOf, named } from "../together.js";
import { emulatedPtx } from "./backend.js";
import { largePrograms } from "./largePrograms.js";

const cut: PtxTarget = { multiprocessors: 4, sharedBytes: 96 * 1024, threads: 128, functionLines: 100 };
const targets: Readonly<Record<string, PtxTarget>> = {
  "one block": { ...cut, mostBlocks: 1 },
  "blocks of a grid": cut,
  "a cluster": { ...cut, clusterBlocks: 8 },
};
const wholly = (target: PtxTarget): PtxTarget => ({ ...target, functionLines: null });

const codeOf = (target: PtxTarget, f: Computation, ...args: readonly Array[]) =>
  compileFor(ptxRenderer(target))(f, ...args).compiled.code;

const functionsIn = (text: string): string[] =>
  [...text.matchAll(/\.func .*?(part\d+)\(/g)].map(([, name]) => name);

describe.skipIf(isWithoutNative("test/compiler/ptx/cutting.test.ts"))("programs cut into functions", () => {
  it.for(Object.entries(targets))("give the same bits as whole (%s)", ([name, target]) => {
    const devices = { [`cut ptx, ${name}`]: target, [`whole ptx, ${name}`]: wholly(target) };
    for (const [device, of] of Object.entries(devices))
      registerBackend(emulatedPtx(device, of), { isDefault: false });
    const programs = largePrograms();
    const all = (...args: Parameters<(typeof programs)[number]["f"]>) => programs.map(({ f }) => f(...args));
    const [{ args }] = programs;
    expect(functionsIn(codeOf(target, all, ...args).text).length).toBeGreaterThan(3);
    const [one, other] = Object.keys(devices).map((device) => JSON.stringify(jit(all, { device })(...args)));
    expect(one).toBe(other);
  });

  it("meet for sorts that are too much for a block", () => {
    const few = random.randint(random.key(6), [2100], 0, 50);
    const f = (keys: Array) =>
      lax.scan(
        (order: Array, at: Array) => [np.sort(order.neg().mul(at.add(1))), np.argsort(order.add(at))],
        keys,
        np.arange(3),
      );
    for (const name of Object.keys(targets)) expectTogether([{ name, f, args: [few] }], `cut ptx, ${name}`);
  });

  it("give the interpreter's answers", () => {
    const device = "cut ptx";
    registerBackend(emulatedPtx(device, { ...cut, functionLines: 40 }), { isDefault: false });
    const cases = Object.entries(functionBatches).flatMap(([fact, batch]) =>
      named(fact, fewOf(batch(device), 2)),
    );
    expectTogether([...cases, ...largePrograms()], device);
  });

  it("have every kernel once, and say how many registers functions may have", () => {
    for (const { f, args } of largePrograms()) {
      const { text, kernels, registers } = codeOf(cut, f, ...args);
      const whole = codeOf(wholly(cut), f, ...args);
      expect([functionsIn(whole.text), whole.registers]).toEqual([[], null]);
      expect(registers).toBe(functionsIn(text).length > 0 ? 255 : null);
      expect(kernels.every((kernel) => text.split(`// ${kernel}\n`).length === 2)).toBe(true);
      for (const name of functionsIn(text)) expect(text).toContain(`${name}, (`);
      // They save no registers, so that one that called another would not find back.
      const bodies = text
        .split(/^\.visible \.(?=func)/m)
        .slice(1)
        .map((body) => body.split("\n}\n", 1)[0]);
      expect(bodies.filter((body) => /call\.uni .*part\d/.test(body))).toEqual([]);
    }
  });

  it("are whole while they are watched", () => {
    const [{ f, args }] = largePrograms();
    for (const watched of [{ isProfiled: true }, { isTraced: true }])
      expect(functionsIn(codeOf({ ...cut, ...watched, functionLines: 1 }, f, ...args).text)).toEqual([]);
  });
});
