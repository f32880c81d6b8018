// Programs in two parts do what they do in one: shared memory goes over, and blocks meet in both.
import { describe, expect, it } from "vitest";
import { jit, np, random, type Array } from "vibe-rl/array";
import { registerBackend } from "../../../src/array/index.js";
import { ptxRenderer, type PtxTarget } from "../../../src/compiler/index.js";
import { isWithoutNative } from "../../device/native.js";
import type { Computation } from "../compare.js";
import { compileFor } from "../forms.js";
import { functionBatches } from "../functionBatches.js";
import { expectTogether, fewOf, named } from "../together.js";
import { emulatedPtx } from "./backend.js";
import { largePrograms } from "./largePrograms.js";

const parted: PtxTarget = { multiprocessors: 4, sharedBytes: 96 * 1024, threads: 128, partedFrom: 2 };
const targets: Readonly<Record<string, PtxTarget>> = {
  "one block": { ...parted, mostBlocks: 1 },
  "blocks of a grid": parted,
  "a cluster": { ...parted, clusterBlocks: 8 },
};
const whole = { ...parted, partedFrom: Infinity };

const codeOf = (target: PtxTarget, { f, args }: ReturnType<typeof largePrograms>[number]) =>
  compileFor(ptxRenderer(target))(f, ...args).compiled.code;

describe.skipIf(isWithoutNative("test/compiler/ptx/parts.test.ts"))("programs in parts", () => {
  it.for(Object.entries(targets))("give the same bits as in one (%s)", ([name, target]) => {
    const device = `parted ptx, ${name}`;
    registerBackend(emulatedPtx(device, target), { isDefault: false });
    registerBackend(emulatedPtx(`whole, ${name}`, { ...target, partedFrom: Infinity }), { isDefault: false });
    const programs = largePrograms();
    expect(programs.map((one) => codeOf(target, one).texts.length)).toContain(2);
    const all = (...args: Parameters<(typeof programs)[number]["f"]>) => programs.map(({ f }) => f(...args));
    const [{ args }] = programs;
    const [one, other] = [device, `whole, ${name}`].map((on) =>
      JSON.stringify(jit(all, { device: on })(...args)),
    );
    expect(one).toBe(other);
  });

  it("go on in the middle of an exchange, and of a sort that is too much for a block", () => {
    const uneven = random.uniform(random.key(7), [2048]).add(1);
    const few = random.randint(random.key(6), [2100], 0, 50);
    const x = random.randint(random.key(1), [128, 16], -2, 3).astype("float32");
    const busy = (y: Array) => np.clip(y.matmul(y.T).clip(-3, 3).matmul(y), -50, 50);
    const all: readonly ((x: Array, few: Array, uneven: Array) => Array)[] = [
      (y) => busy(y).sum(),
      (_, keys) => np.argsort(keys),
      (_, keys) => np.sort(keys),
      (_y, _keys, keys) => np.argsort(keys),
      (_y, _keys, keys) => np.sort(keys),
      (_y, keys) => np.sort(keys.neg()),
    ];
    // The cut is in another place of a sort for each of them.
    for (let count = 2; count <= all.length; count++) {
      const f = (...args: [Array, Array, Array]) => all.slice(0, count).map((one) => one(...args));
      const code = compileFor(ptxRenderer(parted))(f as Computation, x, few, uneven).compiled.code;
      expect([code.blocks > 1, code.texts.length]).toEqual([true, 2]);
      const device = "parted ptx, blocks of a grid";
      expectTogether([{ name: `${count} of them`, f: f, args: [x, few, uneven] }], device);
    }
  });

  it("give the interpreter's answers", () => {
    const device = "parted ptx";
    registerBackend(emulatedPtx(device, parted), { isDefault: false });
    const cases = Object.entries(functionBatches).flatMap(([fact, batch]) =>
      named(fact, fewOf(batch(device), 2)),
    );
    expectTogether(cases, device);
  });

  it("are as few as there are worth a start", () => {
    for (const one of largePrograms()) {
      const { texts, kernels, sharedBytes, blocks, controlBytes } = codeOf(parted, one);
      expect(codeOf(whole, one).texts).toHaveLength(1);
      expect(
        kernels.every((kernel) => texts.filter((text) => text.includes(`// ${kernel}\n`)).length === 1),
      ).toBe(true);
      expect(controlBytes).toBe(256 + (texts.length > 1 ? blocks * sharedBytes : 0));
    }
  });
});
