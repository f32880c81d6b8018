// Native programs in this process: their memory, beyond 4 GiB too, results that stay, messages, and what is freed.
import fs from "node:fs";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { np, type Array } from "vibe-rl/array";
import type { Compiled, Slot } from "../../src/compiler/index.js";
import { takeSteps } from "../../src/device/native/commands.js";
import { MemoryExecutable } from "../../src/device/executable.js";
import { findKoffi, type Koffi } from "../../src/device/koffi.js";
import { loadLibrary, programIn, starter } from "../../src/device/native/library.js";
import { NativeMemory } from "../../src/device/native/memory.js";
import { anySource, buildingAsked, isWithoutNative } from "./native.js";

const file = "test/device/nativeMemory.test.ts";
const isSkipped = isWithoutNative(file);
const koffi = findKoffi() as Koffi;
type Run = ReturnType<typeof programIn>;

const floats = (address: number, ...shape: number[]): Slot => ({ address, dtype: "float32", shape });

/** Adds what is at `from` to what is at `to`, prints messages 0 and 1, and doubles a constant at 128. */
const source = (from: number, to: number): string => `
#include <stddef.h>
struct vibe_rl_pool;
void vibe_rl_run(char *memory, void (*print)(int message), const struct vibe_rl_pool *pool) {
  float *from = (float *)(memory + ${from}ull), *to = (float *)(memory + ${to}ull), *own = (float *)(memory + 128);
  if (pool != NULL || (size_t)memory % 64 != 0) return;
  for (int i = 0; i < 4; i++) to[i] += from[i] + own[0];
  print(0);
  print(1);
}`;

const near = { from: 0, to: 64 };
/** Beyond what 32 bits can address. */
const far = { from: 5 * 2 ** 30, to: 6 * 2 ** 30 };
let runs: { readonly near: Run; readonly far: Run };

beforeAll(() => {
  if (isSkipped) return;
  const load = ({ from, to }: typeof near): Run => {
    const units = [source(from, to)];
    return programIn(loadLibrary(koffi, takeSteps(buildingAsked({ ...anySource(), units }))));
  };
  runs = { near: load(near), far: load(far) };
});

afterEach(() => void vi.restoreAllMocks());

/** The program whose constant is `own`, with both arguments given up. */
function programOf(
  run: Run,
  { from, to }: typeof near,
  own = 0,
  donated: readonly boolean[] = [true, true],
  memory = new NativeMemory(koffi),
): MemoryExecutable<NativeMemory> {
  const slots = [floats(128), floats(from, 4), floats(to, 4)];
  const layout: Omit<Compiled<unknown>, "code"> = {
    memoryBytes: to + 256,
    inputs: slots,
    outputs: slots.slice(1),
    messages: [
      { params: { format: "sum {x}", names: ["x"], batchDims: 0 }, values: [slots[2]] },
      { params: { format: "constant {x}", names: ["x"], batchDims: 0 }, values: [slots[0]] },
    ],
  };
  return new MemoryExecutable(layout, [np.float32(own)], donated, memory, (print) =>
    starter(koffi, run, memory, null, print),
  );
}

const silent = () => vi.spyOn(console, "log").mockImplementation(() => undefined);
const lists = (arrays: readonly Array[]) => arrays.map((array) => array.toArray());

describe.skipIf(isSkipped)("native memory", () => {
  it("takes arguments and constants, and keeps results where they were donated", () => {
    silent();
    const program = programOf(runs.near, near, 100);
    let [step, sum] = program.run([np.array([1, 2, 3, 4]), np.zeros([4])]);
    const first = sum;
    expect(first.toArray()).toEqual([101, 102, 103, 104]);
    [step, sum] = program.run([step, sum]);
    expect(lists([step, sum])).toEqual([
      [1, 2, 3, 4],
      [202, 204, 206, 208],
    ]);
    // Read before it was given up, and so still there.
    expect(first.toArray()).toEqual([101, 102, 103, 104]);
    const [, third] = program.run([step, sum]);
    program.run([step, third]);
    expect(() => third.toArray()).toThrow("this array was given up to a later call (donateArgnums)");
  });

  it("is shared by programs that keep nothing, and grows under them", () => {
    silent();
    const memory = new NativeMemory(koffi);
    const small = programOf(runs.near, near, 1, [false, false], memory);
    const [, before] = small.run([np.ones([4]), np.zeros([4])]);
    const large = programOf(runs.far, far, 10, [false, false], memory);
    const [, after] = large.run([np.ones([4]), np.zeros([4])]);
    const [, again] = small.run([np.ones([4]), np.zeros([4])]);
    expect(lists([before, after, again])).toEqual([
      [2, 2, 2, 2],
      [11, 11, 11, 11],
      [2, 2, 2, 2],
    ]);
  });

  it("reaches beyond 4 GiB", () => {
    silent();
    const program = programOf(runs.far, far);
    let [step, sum] = program.run([np.array([1, 2, 3, 4]), np.ones([4])]);
    [step, sum] = program.run([step, sum]);
    expect(lists([step, sum])).toEqual([
      [1, 2, 3, 4],
      [3, 5, 7, 9],
    ]);
  });

  it("is laid open to those who write and read it themselves", () => {
    silent();
    const memory = new NativeMemory(koffi);
    const { inputs, outputs, run } = programOf(runs.near, near, 0, [], memory).resident();
    inputs[1].set([1, 1, 1, 1]);
    run();
    inputs[1].set([2, 2, 2, 2]);
    run();
    expect([...outputs[1]]).toEqual([3, 3, 3, 3]);
  });

  it("that nobody can give is an error with its size", () => {
    expect(() => new NativeMemory(koffi).ensure(2 ** 50)).toThrow(
      /the program needs 1048576.00 GiB of memory, which the system would not give; use smaller arrays/,
    );
  });

  it("holds no array that this Node could not have", () => {
    const memory = new NativeMemory(koffi);
    memory.ensure(1024);
    expect(() => memory.view(floats(0, 2 ** 52), 2 ** 52)).toThrow(
      /an array of shape \[4503599627370496\] takes/,
    );
  });

  it.skipIf(process.platform !== "linux")(
    "is freed with its program, and not before views of it are gone",
    async () => {
      setFlagsFromString("--expose-gc");
      const collect = runInNewContext("gc") as () => void;
      const gibibytes = () => Number(fs.readFileSync("/proc/self/statm", "utf8").split(" ")[0]) / 2 ** 18;
      const settled = async (isThere: (size: number) => boolean): Promise<void> => {
        await vi.waitFor(() => {
          collect();
          expect(isThere(gibibytes())).toBe(true);
        });
      };
      const before = gibibytes();
      const slot = floats(0, 4);
      const made = (() => {
        const memories = [1, 2, 3].map(() => new NativeMemory(koffi));
        for (const memory of memories) memory.ensure(4 * 2 ** 30);
        memories[0].view(slot, 4).set([1, 2, 3, 4]);
        return { view: memories[0].view(slot, 4) };
      })();
      expect(gibibytes() - before).toBeGreaterThan(11.5);
      await settled((size) => size - before < 4.5);
      expect([...made.view]).toEqual([1, 2, 3, 4]);
    },
  );
});

describe.skipIf(isSkipped)("messages", () => {
  it("come while the program runs, with the values of their moment", () => {
    const log = silent();
    programOf(runs.near, near, 5).run([np.ones([4]), np.zeros([4])]);
    expect(log.mock.calls.flat()).toEqual(["sum [6,6,6,6]", "constant 5"]);
  });

  it("that cannot be printed are an error after the run, and the next run goes on", () => {
    const log = silent();
    const program = programOf(runs.near, near);
    log.mockImplementationOnce(() => {
      throw new Error("nobody listens");
    });
    expect(() => program.run([np.ones([4]), np.zeros([4])])).toThrow("nobody listens");
    const [, sum] = program.run([np.ones([4]), np.zeros([4])]);
    expect(sum.toArray()).toEqual([1, 1, 1, 1]);
  });
});
