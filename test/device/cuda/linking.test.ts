// What is begun before a program is there, and how programs are linked.
import { afterEach, describe, expect, it, vi } from "vitest";
import { jit, np, precompile, type Array } from "vibe-rl/array";
import { registerBackend } from "../../../src/array/index.js";
import type { PtxTarget } from "../../../src/compiler/index.js";
import { cudaBackend } from "../../../src/device/cuda/backend.js";
import { failureOf } from "../native.js";
import { fakeDevice, fakeProblem, interpreted, useFake } from "./fake.js";

const isSkipped = fakeProblem("test/device/cuda/linking.test.ts") !== null;

afterEach(() => void vi.unstubAllEnvs());

const doubled = (x: Array): Array => x.add(x);
const tripled = (x: Array): Array => x.mul(3);

/** So long that a thread links it. */
const long = (x: Array): Array => {
  let y = x;
  for (let turn = 0; turn < 500; turn++) y = np.sin(y);
  return y;
};

describe.skipIf(isSkipped)("a GPU", () => {
  it("is begun with when a function is jitted for it, or the environment names it", async () => {
    const { get } = useFake();
    const { device } = fakeDevice();
    const f = jit(doubled, { device });
    await vi.waitFor(() => expect(get("contexts")).toBe(1), { timeout: 20_000 });
    expect(f(np.ones([2])).toArray()).toEqual([2, 2]);
    vi.stubEnv("VIBE_RL_DEVICE", "fake cuda of the environment");
    registerBackend(
      { ...cudaBackend(interpreted()), name: "fake cuda of the environment" },
      { isDefault: false },
    );
    const before = get("contexts");
    await vi.waitFor(() => expect(get("contexts")).toBeGreaterThan(before), { timeout: 20_000 });
  });

  it("that does not start is told of when it is needed", () => {
    const { set } = useFake({ init: 803 });
    const f = jit(doubled, { device: fakeDevice().device });
    expect(failureOf(() => f(np.ones([2])))).toMatch(/does not start: CUDA_ERROR_SYSTEM_DRIVER_MISMATCH/);
    set("init", 0);
    expect(f(np.ones([2])).toArray()).toEqual([2, 2]);
  });
});

describe.skipIf(isSkipped)("programs", () => {
  const registers = 128;
  const cutDevice = (text: string): string => fakeDevice(interpreted({ registers }, text)).device;

  it("with functions are linked for as many registers as threads have, by as many threads as there are cores", () => {
    const { get } = useFake();
    expect(jit(doubled, fakeDevice())(np.ones([2])).toArray()).toEqual([2, 2]);
    expect(get("registersAsked")).toBe(0);
    expect(jit(tripled, { device: cutDevice("") })(np.ones([2])).toArray()).toEqual([3, 3]);
    expect(get("registersAsked")).toBe(registers);
  });

  it.for([12_080, 13_000])("have functions if the driver compiles several at once (CUDA %i)", (version) => {
    useFake({ version });
    let target: PtxTarget | null = null;
    const render: ReturnType<typeof interpreted> = (of) => {
      target = of;
      return interpreted()(of);
    };
    jit(doubled, fakeDevice(render))(np.ones([2]));
    expect(target).toEqual(
      version < 13_000
        ? expect.objectContaining({ functionLines: null })
        : expect.not.objectContaining({ functionLines: null }),
    );
  });

  it("are linked in threads of their own ahead of the first call, while the event loop turns", async () => {
    const { get } = useFake();
    const f = jit(long, { device: cutDevice("") });
    let turns = 0;
    const counting = setInterval(() => (turns += 1), 1);
    await precompile(f, np.ones([2]));
    clearInterval(counting);
    expect(turns).toBeGreaterThan(0);
    const counts = () => ["links", "linksAside", "linksOfNothing", "registersAsked", "launches"].map(get);
    expect(counts()).toEqual([1, 1, 1, registers, 0]);
    f(np.ones([2]));
    expect(counts()).toEqual([1, 1, 1, registers, 1]);
  });

  it.for([long, doubled])("are refused with the reason, whoever has linked them", async (f) => {
    useFake();
    const refused = jit(f, { device: cutDevice("@syntax") });
    expect(failureOf(() => refused(np.ones([2])))).toMatch(/Parsing error near '@syntax'/);
    await expect(precompile(refused, np.ones([2]))).rejects.toThrow(/Parsing error near '@syntax'/);
  });
});
