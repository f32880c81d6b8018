// Programs that come in parts, and what is begun before a program is there.
import { afterEach, describe, expect, it, vi } from "vitest";
import { jit, np, precompile, type Array } from "vibe-rl/array";
import { registerBackend } from "../../../src/array/index.js";
import { cudaBackend } from "../../../src/device/cuda/backend.js";
import { failureOf } from "../native.js";
import { fakeDevice, fakeProblem, interpreted, renderingText, useFake } from "./fake.js";

const isSkipped = fakeProblem("test/device/cuda/parts.test.ts") !== null;

afterEach(() => void vi.unstubAllEnvs());

/** A device whose programs come in these parts. */
const partsDevice = (...texts: string[]): string => fakeDevice(renderingText(() => texts)).device;

const doubled = (x: Array): Array => x.add(x);

/** So long that a thread helps with compiling it. */
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

describe.skipIf(isSkipped)("programs in parts", () => {
  it("are started in order, and kept as one", () => {
    const { get } = useFake();
    const counts = () => ["links", "modules", "launches"].map(get);
    // The argument is added to the result, and the result to itself.
    const adding = renderingText((_, { addresses }) => {
      const [to, from] = [...new Set(addresses.values())].sort((a, b) => b - a);
      return [`@add ${from} ${to} 2`, `@add ${to} ${to} 2`];
    });
    const run = () => jit(doubled, fakeDevice(adding))(np.array([1, 2])).toArray();
    expect(run()).toEqual([2, 4]);
    expect(counts()).toEqual([2, 2, 2]);
    expect(run()).toEqual([2, 4]);
    expect(counts()).toEqual([2, 4, 4]);
  });

  it("are linked in two threads where they are long, one of which has the compiler loaded first", () => {
    const { get } = useFake();
    jit(long, { device: partsDevice("@slow", "") })(np.ones([2]));
    expect(["links", "linksAside", "linksOfNothing", "launches"].map(get)).toEqual([2, 1, 1, 2]);
  });

  it("are linked in threads of their own ahead of the first call, while the event loop turns", async () => {
    const { get } = useFake();
    const padding = `// ${"-".repeat(2 ** 15)}`;
    const f = jit(doubled, { device: partsDevice(padding, padding) });
    let turns = 0;
    const counting = setInterval(() => (turns += 1), 1);
    await precompile(f, np.ones([2]));
    clearInterval(counting);
    expect(turns).toBeGreaterThan(0);
    expect(["links", "linksAside", "launches"].map(get)).toEqual([2, 2, 0]);
    f(np.ones([2]));
    expect(["links", "launches"].map(get)).toEqual([2, 2]);
    const refused = jit((x: Array) => x.mul(x), { device: partsDevice(`${padding}\n@syntax`) });
    await expect(precompile(refused, np.ones([2]))).rejects.toThrow(/Parsing error near '@syntax'/);
  });

  it.for([long, doubled])("are refused with the reason, whoever has linked them", (f) => {
    useFake();
    const device = partsDevice(f === long ? "@slow" : "", "@syntax");
    expect(failureOf(() => jit(f, { device })(np.ones([2])))).toMatch(/Parsing error near '@syntax'/);
  });
});
