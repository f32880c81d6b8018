// jit with device "cuda" over a driver without a GPU: the same answers, few copies, messages, memory that is freed.
import { spawnSync } from "node:child_process";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { afterEach, describe, expect, it, vi } from "vitest";
import { blockUntilReady, debug, jit, lax, np, type Array } from "vibe-rl/array";
import { residentProgram } from "../../../src/array/index.js";
import type { Slot } from "../../../src/compiler/index.js";
import { findCard, type Card } from "../../../src/device/cuda/card.js";
import { CudaDevice } from "../../../src/device/cuda/device.js";
import { findDriver, type Driver } from "../../../src/device/cuda/driver.js";
import { engineOf } from "../../../src/device/cuda/engine.js";
import { CudaMemory } from "../../../src/device/cuda/memory.js";
import { fakeDevice, fakeProblem, interpreted, renderingText, useFake } from "./fake.js";

const isSkipped = fakeProblem("test/device/cuda/runs.test.ts") !== null;

afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

const silent = () => vi.spyOn(console, "log").mockImplementation(() => undefined);

describe.skipIf(isSkipped)("programs on a GPU", () => {
  it("compute what they compute elsewhere", () => {
    const { get } = useFake();
    const table = np.arange(12).reshape([3, 4]);
    const f = (x: Array) =>
      lax.foriLoop(0, 3, (_, y: Array) => np.tanh(y.matmul(table)).slice(":3"), x).mul(np.pi);
    const x = np.array([0.1, -0.2, 0.3]);
    const [here, there] = [fakeDevice(), { device: "interpreter" }].map((options) =>
      jit(f, options)(x).data(),
    );
    here.forEach((value, at) => expect(value).toBeCloseTo(there[at], 5));
    expect([get("links"), get("launches"), get("cooperativeLaunches")]).toEqual([1, 1, 0]);
  });

  it("take arrays of all kinds, and of no elements", () => {
    useFake();
    const f = jit(
      (bytes: Array, flags: Array, none: Array) => [bytes.add(bytes), np.logicalNot(flags), none.add(1)],
      fakeDevice(),
    );
    const [bytes, flags, none] = f(
      np.array([1, 2, 200], { dtype: "uint8" }),
      np.array([true, false, true]),
      np.zeros([0, 3]),
    );
    expect([bytes.toArray(), flags.toArray(), none.shape]).toEqual([
      [2, 4, 144],
      [false, true, false],
      [0, 3],
    ]);
  });

  it("keep what was donated in place, and copy nothing that is there", () => {
    const { get } = useFake();
    const push = jit(
      (ring: { data: Array; next: Array }, value: Array) => ({
        data: ring.data.at(ring.next).set(value),
        next: ring.next.add(1).mod(ring.data.shape[0]),
      }),
      { donateArgnums: 0, ...fakeDevice() },
    );
    const size = 20_000;
    let ring = { data: np.zeros([size]), next: np.int32(0) };
    const rings = [ring];
    for (let value = 1; value <= 6; value++) rings.push((ring = push(ring, np.float32(value))));
    // The counter comes back with every run: it is small.
    expect([get("bytesToDevice"), get("bytesToHost")]).toEqual([4 * size + 8 + 5 * 4, 6 * 4]);
    expect(ring.data.slice(":7").toArray()).toEqual([1, 2, 3, 4, 5, 6, 0]);
    expect(() => rings[3].data.toArray()).toThrow("this array was given up to a later call");
    const other = push({ data: np.ones([size]), next: np.int32(3) }, np.float32(9));
    expect(other.data.slice(":5").toArray()).toEqual([1, 1, 1, 9, 1]);
    expect(ring.data.slice(":3").toArray()).toEqual([1, 2, 3]);
  });

  it("share a memory if they keep nothing, which grows under them", () => {
    const { get } = useFake();
    const options = fakeDevice();
    const [small, large] = [3, 300].map((size) => {
      const own = np.arange(size);
      return jit((x: Array) => x.add(own).sum(), options);
    });
    const totals = [
      small(np.ones([3])),
      large(np.ones([300])),
      small(np.ones([3])),
      small(np.ones([3])),
      large(np.ones([300])),
    ];
    expect(totals.map((total) => total.item())).toEqual([6, 45150, 6, 6, 45150]);
    // The shared memory, twice, and what the blocks of each meet by.
    expect(get("allocations")).toBe(4);
  });

  it("hand over small results in one copy", () => {
    const { get } = useFake();
    const f = jit(
      (x: Array) => [...globalThis.Array.from({ length: 20 }, (_, at) => x.max().add(at)), x.add(1)],
      fakeDevice(),
    );
    const results = f(np.ones([100]));
    expect(results.slice(0, 20).map((result) => result.item())).toEqual(
      globalThis.Array.from({ length: 20 }, (_, at) => 1 + at),
    );
    expect(results[20].data().every((value) => value === 2)).toBe(true);
    expect(get("toHost")).toBe(1);
  });

  it("start their blocks together, with the shared memory that they need", () => {
    const { get } = useFake();
    const f = jit((x: Array) => x.add(1), fakeDevice(interpreted({ blocks: 8, sharedBytes: 100_000 })));
    expect(f(np.float32(1)).item()).toBe(2);
    expect([get("launches"), get("cooperativeLaunches"), get("sharedAsked")]).toEqual([0, 1, 100_000]);
  });

  it("start their blocks as a cluster, and say so where it is a large one", () => {
    const { get } = useFake({ clusters: 1, multiprocessors: 132 });
    for (const [blocks, isLarge] of [
      [8, 0],
      [16, 1],
    ]) {
      const f = jit((x: Array) => x.add(blocks), fakeDevice(interpreted({ blocks, isCluster: true })));
      expect(f(np.float32(1)).item()).toBe(1 + blocks);
      expect(get("largeClusters")).toBe(isLarge);
    }
    expect([get("clusterLaunches"), get("cooperativeLaunches")]).toEqual([2, 0]);
  });

  it.for([
    [8, 0, 132, 0],
    [9, 1, 132, 16],
    [9, 1, 66, 8],
    [12, 1, 188, 8],
    [9, 0, 132, 0],
  ])("are made for the clusters of the GPU (%i.0, %i, %i)", ([major, clusters, multiprocessors, most]) => {
    useFake({ major, clusters, multiprocessors });
    const asked: (number | undefined)[] = [];
    const f = jit(
      (x: Array) => x.add(1),
      fakeDevice((target) => {
        asked.push(target.clusterBlocks);
        return interpreted()(target);
      }),
    );
    f(np.float32(1));
    expect(asked).toEqual([most]);
  });

  it("serve policies, whose arguments stay", () => {
    useFake();
    const program = residentProgram(
      (x: Array, y: Array) => [x.mul(y)],
      [np.ones([2]), np.float32(3)],
      fakeDevice(),
    );
    program.run();
    expect([...program.outputs[0]]).toEqual([3, 3]);
  });
});

describe.skipIf(isSkipped)("programs on a GPU that take long", () => {
  /** A device whose programs take so many looks. */
  const taking = (looks: number) => fakeDevice(interpreted({}, `@looks ${looks}`));
  const doubled = (x: Array): Array => x.add(x);

  it("run while the event loop turns, and their results are waited for", async () => {
    useFake();
    const result = jit(doubled, taking(20))(np.array([1, 2]));
    let hasTurned = false;
    setImmediate(() => (hasTurned = true));
    const tree = await blockUntilReady({ result, word: "as it is", none: null });
    expect(hasTurned).toBe(true);
    expect([tree.result.toArray(), tree.word, tree.none]).toEqual([[2, 4], "as it is", null]);
  });

  it("are waited for by who reads their results, and by the next one, which leaves these alone", async () => {
    const { get } = useFake();
    const f = jit(doubled, taking(20));
    const [first, second, third] = [
      [1, 2],
      [3, 4],
      [5, 6],
    ].map((list) => f(np.array(list)));
    expect(get("launches")).toBe(3);
    // Two may wait for the same one.
    const [[both], again] = await Promise.all([blockUntilReady([third]), blockUntilReady(third)]);
    const lists = [second, first, both, again].map((result) => result.toArray());
    expect(lists).toEqual([
      [6, 8],
      [2, 4],
      [10, 12],
      [10, 12],
    ]);
    expect(get("launches")).toBe(3);
  });

  it("that fail say so to who waits for them", async () => {
    useFake();
    const failing = () => jit(doubled, fakeDevice(renderingText(() => "@looks 9 @status 700")))(np.ones([2]));
    await expect(blockUntilReady([failing()])).rejects.toThrow(
      /running jit\(doubled\) failed: CUDA_ERROR_ILLEGAL/,
    );
    useFake();
    const result = failing();
    expect(() => result.toArray()).toThrow(/running jit\(doubled\) failed: CUDA_ERROR_ILLEGAL_ADDRESS/);
    expect(() => result.toArray()).toThrow(/nothing can run on Fake GPU 0 in this process any more/);
  });
});

describe.skipIf(isSkipped)("programs that are profiled", () => {
  it("tell how long their kernels took, when the process ends", () => {
    useFake();
    vi.stubEnv("VIBE_RL_CUDA_PROFILE", "1");
    const script = `
      import { jit, np, registerBackend } from "./dist/array/index.js";
      import { cudaBackend } from "./dist/device/cuda/backend.js";
      const text = "@time 1024 300 @time 1056 50 @time 1056 30 @time 1072 20";
      const kernels = ["loop 1", "dot 2", "never"];
      registerBackend(cudaBackend(({ isProfiled }) => ({
        name: "", lanes: 32, limits: { memory: 2 ** 40 }, scratch: () => 0, list: () => ({}),
        margin: () => ({ before: 0, behind: 2048 }),
        render: () => ({ text, registers: null, blocks: 1, threads: 32, sharedBytes: 0, kernels, profile: isProfiled ? 1024 : null }),
      })));
      const f = jit((x) => x.add(1));
      for (let run = 0; run < 2; run++) f(np.ones([2]));
    `;
    const { stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", script], {
      encoding: "utf8",
    });
    expect(stderr.trim().split("\n")).toEqual([
      "jit: 2 runs, 800 cycles of the first block",
      " share  cycles each  waiting before  times  kernel",
      "75.0 %          300               0      2  loop 1",
      "25.0 %           40              10      4  dot 2",
    ]);
  });
});

describe.skipIf(isSkipped)("messages from a GPU", () => {
  const printing = (options: object) =>
    jit((x: Array) => {
      debug.print("x is {x}", { x });
      return lax.foriLoop(
        0,
        2,
        (_, y: Array) => {
          const next = y.add(1);
          debug.print("now {next}", { next });
          return next;
        },
        x,
      );
    }, options);

  it("are printed while the program waits, with the values of their moment", () => {
    const log = silent();
    const { get } = useFake();
    const f = printing(fakeDevice());
    for (const x of [1, 5]) f(np.array([x, 2]));
    expect(log.mock.calls.flat()).toEqual([
      ...["x is [1,2]", "now [2,3]", "now [3,4]"],
      ...["x is [5,2]", "now [6,3]", "now [7,4]"],
    ]);
    expect(get("waits")).toBe(0);
  });

  it("that cannot be printed are an error after the run, and the next run goes on", () => {
    const log = silent();
    useFake();
    const f = printing(fakeDevice());
    log.mockImplementationOnce(() => {
      throw new Error("nobody listens");
    });
    expect(() => f(np.ones([2]))).toThrow("nobody listens");
    expect(log).toHaveBeenCalledTimes(3);
    expect(f(np.ones([2])).toArray()).toEqual([3, 3]);
  });

  it("cannot be answered by running another program", () => {
    const log = silent();
    useFake();
    const options = fakeDevice();
    const f = printing(options);
    log.mockImplementationOnce(() => void jit((x: Array) => x.mul(2), options)(np.ones([2])));
    expect(() => f(np.ones([2]))).toThrow(
      /nothing else can be done on Fake GPU 0 while jit runs: what prints its messages/,
    );
  });
});

describe.skipIf(isSkipped)("memory of a GPU", () => {
  const bytes = (address: number, size: number): Slot => ({ address, dtype: "uint8", shape: [size] });
  const engine = () =>
    engineOf(new CudaDevice(findDriver() as Driver, findCard(findDriver() as Driver) as Card));

  it("gives back what was written, however large", () => {
    const { get } = useFake();
    const own = engine();
    const memory = new CudaMemory(own, "a test");
    const sizes = [1, 255, 257, 9 * 2 ** 20 + 3, 5, 4 * 2 ** 20, 2 ** 20, 4 * 2 ** 20 - 256, 3];
    const slots = sizes.map((size, at) =>
      bytes(
        sizes.slice(0, at).reduce((sum, one) => sum + Math.ceil(one / 64) * 64, 0),
        size,
      ),
    );
    memory.ensure(32 * 2 ** 20);
    const given = sizes.map((size, at) => new Uint8Array(size).fill(at + 1));
    given.forEach((elements) => elements.set([77], elements.length - 1));
    slots.forEach((slot, at) => memory.write(slot, given[at]));
    own.device.wait(own.device.work, "a test");
    slots.forEach((slot, at) =>
      expect(Buffer.compare(memory.read(slot, sizes[at]) as Uint8Array, given[at])).toBe(0),
    );
    expect(get("bytesToDevice")).toBe(get("bytesToHost"));
  });

  it("is freed with its programs", async () => {
    setFlagsFromString("--expose-gc");
    const collect = runInNewContext("gc") as () => void;
    const { get } = useFake();
    const options = { donateArgnums: 0, ...fakeDevice(renderingText(() => "")) } as const;
    (() => {
      for (let size = 1; size <= 3; size++) jit((x: Array) => x.add(1), options)(np.ones([1000 * size]));
    })();
    expect(get("liveBytes")).toBeGreaterThan(24_000);
    await vi.waitFor(() => {
      collect();
      expect(get("liveBytes")).toBe(0);
    });
  });
});
