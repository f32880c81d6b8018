// Running compiled programs: memory that is reused, results that stay, errors that leave everything intact.
import { afterEach, describe, expect, it, vi } from "vitest";
import { jit, lax, makeProgram, np, precompile, type Array } from "vibe-rl/array";
import { wasmBackend } from "../../src/device/wasm/backend.js";

afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

const options = { constants: [], donated: [], name: "test" };

describe("calls", () => {
  it("trace again only for new shapes, dtypes and static arguments, and say so if asked", () => {
    vi.stubEnv("VIBE_RL_LOG_COMPILES", "1");
    const lines = vi.spyOn(console, "error").mockImplementation(() => undefined);
    let traces = 0;
    const scaled = jit(
      function scaled(x: Array, by: number) {
        traces++;
        return x.mul(by);
      },
      { staticArgnums: 1 },
    );
    scaled(np.ones([2]), 3);
    scaled(np.zeros([2]), 3);
    expect(traces).toBe(1);
    scaled(np.ones([3]), 3);
    scaled(np.ones([2], { dtype: "int32" }), 3);
    expect(scaled(np.ones([2]), 4).toArray()).toEqual([4, 4]);
    expect(traces).toBe(4);
    expect(lines.mock.calls.length).toBe(4);
    expect(lines.mock.calls[0][0]).toMatch(
      /^vibe-rl: jit\(scaled\) for float32\[2\]: 1 equations, traced in [\d.]+ ms, compiled for wasm in [\d.]+ ms$/,
    );
  });

  it("of functions that are the same program share its code, and nothing else", () => {
    const modules = vi.spyOn(WebAssembly, "Module");
    const scaledBy = (factor: Array) => jit((x: Array) => x.mul(factor).sum().add(0.125));
    const [twice, thrice] = [scaledBy(np.array([2, 2])), scaledBy(np.array([3, 3]))];
    const results = [twice, thrice, twice].map((f) => f(np.array([1, 10])).item());
    expect(results).toEqual([22.125, 33.125, 22.125]);
    expect(modules).toHaveBeenCalledTimes(1);
    jit((x: Array) =>
      x
        .mul(np.array([3, 3]))
        .sum()
        .add(0.25),
    )(np.array([1, 10]));
    expect(modules).toHaveBeenCalledTimes(2);
  });

  it("of different programs do not disturb each other", () => {
    const table = np.arange(5);
    const lookUp = jit((index: Array) => table.slice(index));
    const fill = jit((x: Array) => np.full([1000], x));
    expect(lookUp(np.int32(3)).item()).toBe(3);
    expect(fill(np.float32(7)).sum().item()).toBe(7000);
    expect(lookUp(np.int32(4)).item()).toBe(4);
  });

  it("give results that later calls leave alone", () => {
    const next = jit((x: Array) => x.add(1));
    const one = next(np.zeros([3]));
    const two = next(one);
    expect([one.toArray(), two.toArray()]).toEqual([
      [1, 1, 1],
      [2, 2, 2],
    ]);
  });
});

describe("donated arguments", () => {
  const step = (state: { table: Array; row: Array }, value: Array) => ({
    table: state.table.at(state.row).set(value),
    row: state.row.add(1),
  });
  const start = () => ({ table: np.zeros([4]), row: np.int32(0) });

  it("are updated in place: results stay in memory until somebody reads them", () => {
    const compiled = jit(step, { donateArgnums: 0 });
    let state = compiled(start(), np.float32(1));
    const first = state;
    for (const value of [2, 3, 4]) state = compiled(state, np.float32(value));
    expect(state.table.toArray()).toEqual([1, 2, 3, 4]);
    expect(state.row.item()).toBe(4);
    expect(() => first.table.toArray()).toThrow(/was given up to a later call \(donateArgnums\)/);
  });

  it("keep what was read or is not given up", () => {
    const compiled = jit(step, { donateArgnums: 0 });
    const one = compiled(start(), np.float32(1));
    expect(one.table.toArray()).toEqual([1, 0, 0, 0]);
    const two = compiled(one, np.float32(2));
    expect(one.table.toArray()).toEqual([1, 0, 0, 0]);
    // Another start: two is no argument, so it is kept.
    const other = compiled(start(), np.float32(9));
    expect(two.table.toArray()).toEqual([1, 2, 0, 0]);
    expect(other.table.toArray()).toEqual([9, 0, 0, 0]);
  });

  it("may change places, be used twice, or go to another program", () => {
    const swap = jit((a: Array, b: Array) => [b, a.add(b)] as const, { donateArgnums: [0, 1] });
    let [a, b] = swap(np.array([1, 1]), np.array([2, 2]));
    [a, b] = swap(b, a);
    expect([a.toArray(), b.toArray()]).toEqual([
      [2, 2],
      [5, 5],
    ]);
    [a, b] = swap(a, a);
    expect([a.toArray(), b.toArray()]).toEqual([
      [2, 2],
      [4, 4],
    ]);
    expect(jit((x: Array) => x.sum())(b).item()).toBe(8);
    expect(np.add(b, 1).toArray()).toEqual([5, 5]);
  });
});

describe("precompile", () => {
  it("compiles ahead of the first call", async () => {
    let traces = 0;
    const f = jit((x: Array) => {
      traces++;
      return lax.foriLoop(0, 3, (_, total: Array) => total.add(x), np.zeros([2]));
    });
    await precompile(f, np.ones([2]));
    expect(traces).toBe(1);
    expect(f(np.array([1, 2])).toArray()).toEqual([3, 6]);
    await precompile(f, np.ones([2]));
    expect(traces).toBe(1);
  });

  it("refuses what jit has not made", async () => {
    await expect(precompile((x: Array) => x, np.ones([1]))).rejects.toThrow(
      /precompile: its first argument must be a function that jit returned/,
    );
  });
});

describe("what cannot run", () => {
  const small = makeProgram((x: Array) => x.add(1))(np.ones([2])).program;

  it("over 4 GiB is refused with the size, and the process goes on", () => {
    const huge = jit((x: Array) => np.sort(np.broadcastTo(x, [1200, 1000, 1000]), 0).sum());
    expect(() => huge(np.float32(1))).toThrow(/needs \d+\.\d GiB of memory at once, WebAssembly has 4 GiB/);
    expect(jit((x: Array) => x.add(1))(np.float32(1)).item()).toBe(2);
  });

  it("without SIMD is refused with the way out", () => {
    expect(() => wasmBackend(null).compile(small, options)).toThrow(
      /has no WebAssembly SIMD.*VIBE_RL_DEVICE=interpreter/,
    );
  });

  it("as a module that the engine rejects is refused in words", async () => {
    const original = WebAssembly.Module;
    const rejecting = function () {
      throw new WebAssembly.CompileError("bad byte");
    } as unknown as typeof WebAssembly.Module;
    WebAssembly.Module = rejecting;
    expect(() => wasmBackend().compile(small, options)).toThrow(
      /does not take the compiled program.*bad byte/,
    );
    WebAssembly.Module = original;
    vi.spyOn(WebAssembly, "compile").mockRejectedValue(new WebAssembly.CompileError("bad byte"));
    await expect(wasmBackend().compileAsync?.(small, options)).rejects.toThrow(/bad byte/);
  });

  it("in memory that the machine does not have is refused", () => {
    vi.spyOn(WebAssembly.Memory.prototype, "grow").mockImplementation(() => {
      throw new RangeError("no more");
    });
    const large = makeProgram((x: Array) => np.sort(x))(np.ones([100_000])).program;
    expect(() => wasmBackend().compile(large, options)).toThrow(
      /GiB of memory, which the engine would not give/,
    );
  });

  it("by name is refused, and the interpreter can be chosen", () => {
    expect(() => jit((x: Array) => x, { device: "abacus" })(np.ones([1]))).toThrow(
      /there is no device "abacus"/,
    );
    vi.stubEnv("VIBE_RL_DEVICE", "interpreter");
    vi.stubEnv("VIBE_RL_LOG_COMPILES", "1");
    const lines = vi.spyOn(console, "error").mockImplementation(() => undefined);
    jit((x: Array) => x.add(1))(np.ones([1]));
    expect(lines.mock.calls[0][0]).toContain("for interpreter");
  });
});
