// jit with device "native": the same answers, in memory of its own, and clear words where it cannot be had.
import { afterEach, describe, expect, it, vi } from "vitest";
import { debug, jit, lax, np, precompile, type Array } from "vibe-rl/array";
import { compiledFor } from "../../src/array/index.js";
import { nativeProblem } from "../../src/device/index.js";
import * as noNative from "../../src/device/native/noNative.js";
import { temporaryFolder } from "../temporary.js";
import { isWithoutNative, scriptedCompiler, temporaryCache } from "./native.js";

afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

const isSkipped = isWithoutNative("test/device/native.test.ts, in part,");
const native = { device: "native" };

describe.skipIf(isSkipped)("programs in C", () => {
  it("compute what they compute elsewhere", () => {
    const table = np.arange(12).reshape([3, 4]);
    const f = (x: Array) =>
      lax.foriLoop(0, 5, (_, y: Array) => np.tanh(y.matmul(table)).slice(":3"), x).mul(np.pi);
    const x = np.array([0.1, -0.2, 0.3]);
    const [here, there] = [native, { device: "interpreter" }].map((options) => jit(f, options)(x).data());
    expect(here.length).toBe(3);
    here.forEach((value, at) => expect(value).toBeCloseTo(there[at], 5));
  });

  it("are taken where VIBE_RL_DEVICE says so, and nothing else was said", () => {
    const [usual, asked] = [jit((x: Array) => x.add(1)), jit((x: Array) => x.add(1), { device: "wasm" })];
    expect(compiledFor(usual)).toBeNull();
    vi.stubEnv("VIBE_RL_DEVICE", "native");
    for (const f of [usual, asked]) expect(f(np.float32(1)).item()).toBe(2);
    expect([usual, asked].map((f) => compiledFor(f))).toEqual(["native", "wasm"]);
    const doubles = jit((y: Array) => y.mul(2));
    expect(doubles(np.array([1], { dtype: "float64" })).toArray()).toEqual([2]);
    expect(compiledFor(doubles)).toBe("interpreter");
  });

  it("keep what was donated in place, and leave other results to their owners", () => {
    const push = jit(
      (ring: { data: Array; next: Array }, value: Array) => ({
        data: ring.data.at(ring.next).set(value),
        next: ring.next.add(1).mod(ring.data.shape[0]),
      }),
      { donateArgnums: 0, ...native },
    );
    let ring = { data: np.zeros([4]), next: np.int32(0) };
    const rings = [ring];
    for (let value = 1; value <= 6; value++) rings.push((ring = push(ring, np.float32(value))));
    expect(ring.data.toArray()).toEqual([5, 6, 3, 4]);
    expect(() => rings[3].data.toArray()).toThrow("this array was given up to a later call");
    // What is not resident is copied in as ever.
    expect(push({ data: np.ones([4]), next: np.int32(3) }, np.float32(9)).data.toArray()).toEqual([
      1, 1, 1, 9,
    ]);
    expect(ring.data.toArray()).toEqual([5, 6, 3, 4]);
  });

  it("print from inside", () => {
    const log = vi.spyOn(console, "log").mockImplementation(() => undefined);
    const f = jit((x: Array) => {
      debug.print("x is {x}", { x });
      return x.add(1);
    }, native);
    f(np.array([1, 2]));
    expect(log.mock.calls.flat()).toEqual(["x is [1,2]"]);
  });

  it("are the same with any number of threads, which must be one", () => {
    const f = (x: Array) => np.exp(x).sum(0);
    const x = np.arange(3000).reshape([1000, 3]).mul(1e-3);
    const [one, two] = [1, 2].map((threads) => jit(f, { ...native, threads })(x).toArray());
    expect(one).toEqual(two);
    expect(() => jit(f, { ...native, threads: 1.5 })).toThrow(/threads must be .*, got 1.5/);
    vi.stubEnv("VIBE_RL_THREADS", "all");
    expect(() => jit((y: Array) => y.sub(1), native)(x)).toThrow(
      'VIBE_RL_THREADS: must be a whole number of at least 1, got "all"',
    );
  });

  it.skipIf(!["x64", "arm64"].includes(process.arch))(
    "take numbers too small for a normal float for zero, unless told otherwise",
    () => {
      const scale = () => jit((x: Array, by: Array) => x.mul(by), native);
      const given = () => scale()(np.float32(1e-40), np.float32(1)).item();
      const made = () => scale()(np.float32(1e-30), np.float32(1e-10)).item();
      expect([given(), made()]).toEqual([0, 0]);
      vi.stubEnv("VIBE_RL_SUBNORMALS", "keep");
      expect(given()).toBe(Math.fround(1e-40));
      expect(made()).toBeCloseTo(1e-40, 44);
      vi.stubEnv("VIBE_RL_SUBNORMALS", "no");
      expect(given).toThrow('VIBE_RL_SUBNORMALS: must be "keep", or not set, got "no"');
    },
  );

  it("are built without holding up the event loop where nobody waits for them", async () => {
    temporaryCache();
    const f = jit((x: Array) => np.sin(x).add(0.5), native);
    let turns = 0;
    const counter = setInterval(() => turns++, 1);
    await precompile(f, np.ones([3]));
    clearInterval(counter);
    expect(turns).toBeGreaterThan(3);
    expect(f(np.zeros([3])).toArray()).toEqual([0.5, 0.5, 0.5]);
  });
});

describe("the native device", () => {
  it("says what to install where there is no compiler, and WebAssembly goes on", () => {
    vi.stubEnv("CC", "");
    vi.stubEnv("PATH", temporaryFolder());
    const f = (x: Array) => x.add(1);
    expect(nativeProblem()).toMatch(/^there is no C compiler/);
    expect(() => jit(f, native)(np.float32(1))).toThrow(
      /^native: native programs cannot run here: there is no C compiler .*install one .*device: "wasm" needs nothing/,
    );
    expect(jit(f, { device: "auto" })(np.float32(1)).item()).toBe(2);
  });

  it.skipIf(isSkipped)("tells which program a compiler has failed on", () => {
    temporaryCache();
    scriptedCompiler('echo "internal compiler error" >&2; exit 4');
    expect(() =>
      jit(function doubled(x: Array) {
        return x.mul(2);
      }, native)(np.ones([2])),
    ).toThrow(/failed on jit\(doubled\), whose source is in .*:\ninternal compiler error\n/);
  });

  it.skipIf(isSkipped)("says so where what was built cannot be loaded", () => {
    temporaryCache();
    scriptedCompiler();
    expect(() => jit((x: Array) => x.mul(3), native)(np.ones([2]))).toThrow(
      /library.so was built and cannot be loaded: .*noexec/,
    );
  });

  it("is not part of bundles for browsers, which say so", () => {
    const { compile, name } = noNative.nativeDevice();
    expect(name).toBe("native");
    expect(() => compile(null as never, null as never)).toThrow("native programs need Node");
    expect(noNative.nativeProblem()).toContain("native programs need Node");
    expect(() => noNative.listCache()).toThrow("native programs need Node");
  });
});
