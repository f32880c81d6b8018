// Programs of XLA on disk: compiled once, loaded by later processes, compiled anew where what is kept is no good.
import fs from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { cachePath } from "../../../src/device/cache/folder.js";
import { clearCache, listCache } from "../../../src/device/cache/keeping.js";
import { programsAside, programsOf, type Source } from "../../../src/device/xla/programs.js";
import { temporaryFolder, warningsOf } from "../../temporary.js";
import { failureOf } from "../native.js";
import { fakeProblem, newFake, type Fake } from "./fake.js";

beforeEach(() => vi.stubEnv("VIBE_RL_CACHE_DIR", path.join(temporaryFolder(), "cache")));
afterEach(() => vi.unstubAllEnvs());

const text = (name: string): string =>
  `module @${name} {\n  func.func public @main(%arg0: tensor<3xf32>) -> tensor<3xf32> {\n    return %arg0\n  }\n}\n`;

type Options = Source["options"];

const source = (name: string, options: Partial<Options> = {}): Source => ({
  text: text(name),
  options: { partitions: 1, settings: {}, ...options },
});
const sources = (names: readonly string[]): Source[] => names.map((name) => source(name));

/** Gets a program in a process of its own; returns how many results it has. */
const get = (fake: Fake, name = "same", settings: Options["settings"] = {}, isTuned = true) =>
  programsOf(fake.client(), name, [source(name, { settings, isTuned })])[0].outputs;

const counts = (fake: Fake): number[] => ["compiled", "loaded"].map(fake.get);

const codeFile = (): string => path.join(cachePath(), listCache().entries[0].key, "program.xla");

describe.skipIf(fakeProblem("test/device/xla/cache.test.ts") !== null)("programs of XLA", () => {
  it("are compiled once, and loaded by later processes", () => {
    const fake = newFake();
    expect([get(fake), get(fake)]).toEqual([1, 1]);
    expect(counts(fake)).toEqual([1, 1]);
    const { entries } = listCache();
    expect(entries.map(({ program, compiler }) => [program, compiler])).toEqual([
      ["same", "Fake 9000, PJRT 0.115"],
    ]);
    expect(fs.statSync(codeFile()).mode & 0o777).toBe(0o600);
    expect(clearCache().entries).toBe(1);
    get(fake);
    expect(counts(fake)).toEqual([2, 1]);
  });

  it("are compiled two at a time, where the cache has neither", () => {
    const fake = newFake({ isCuda: 1 });
    const both = (...names: string[]) =>
      programsOf(fake.client(), "both", sources(names)).map(({ outputs }) => outputs);
    expect(both("first", "patient")).toEqual([1, 1]);
    expect([...counts(fake), fake.get("compiledAside")]).toEqual([2, 0, 1]);
    expect(both("first", "other")).toEqual([1, 1]);
    expect([...counts(fake), fake.get("compiledAside")]).toEqual([3, 1, 1]);
  });

  it("are each compiled in a thread of its own, where there is time", async () => {
    const fake = newFake();
    const both = (...names: string[]) => programsAside(fake.client(), "both", sources(names));
    expect((await both("first", "second")).map(({ outputs }) => outputs)).toEqual([1, 1]);
    expect([...counts(fake), fake.get("compiledAside")]).toEqual([2, 0, 2]);
    await both("second", "first");
    expect([...counts(fake), fake.get("compiledAside")]).toEqual([2, 2, 2]);
    await expect(both("first", "refused")).rejects.toThrow(
      "XLA cannot compile both: error: this text is refused",
    );
  });

  it("are refused with the reason, whichever thread was to compile them", () => {
    for (const names of [
      ["refused", "same"],
      ["same", "refused"],
    ]) {
      const client = newFake().client();
      const both = () => programsOf(client, "both", sources(names));
      expect(failureOf(both)).toContain("XLA cannot compile both: error: this text is refused");
    }
  });

  it("are compiled anew for another text, other settings or another plugin", () => {
    const fake = newFake();
    get(fake);
    get(fake, "other");
    get(fake, "same", { xla_gpu_autotune_level: 0 });
    vi.stubEnv("XLA_FLAGS", "--xla_gpu_autotune_level=2");
    get(fake);
    expect(counts(fake)).toEqual([4, 0]);
    vi.stubEnv("XLA_FLAGS", "");
    const later = newFake();
    fs.utimesSync(later.file, 1, 1);
    get(later);
    expect(counts(later)).toEqual([1, 0]);
  });

  it("are compiled with settings of ours for NVIDIA's GPUs, unless the plugin does not know them", () => {
    const [plain, cuda, older] = [newFake(), newFake({ isCuda: 1 }), newFake({ isCuda: 1, knows: 0 })];
    for (const fake of [plain, cuda, older]) get(fake);
    expect(cuda.get("compileOptions")).toBeGreaterThan(plain.get("compileOptions"));
    expect(older.get("compileOptions")).toBe(plain.get("compileOptions"));
    expect([older.get("compiled"), get(older), older.get("loaded")]).toEqual([1, 1, 1]);
  });

  it("are compiled without trying kernels out where that is not worth it, on NVIDIA's GPUs", () => {
    const [plain, cuda] = [newFake(), newFake({ isCuda: 1 })];
    const bytes = (fake: Fake, isTuned: boolean) => {
      get(fake, "same", {}, isTuned);
      return fake.get("compileOptions");
    };
    expect(bytes(cuda, false)).toBeGreaterThan(bytes(cuda, true));
    expect(bytes(plain, false)).toBe(bytes(plain, true));
    expect([counts(cuda), counts(plain)]).toEqual([
      [2, 0],
      [2, 0],
    ]);
    get(cuda, "same", {}, false);
    expect(counts(cuda)).toEqual([2, 1]);
  });

  it.each([
    ["damaged", (file: string) => fs.appendFileSync(file, "x")],
    ["cut off", (file: string) => fs.truncateSync(file, 8)],
    ["gone", (file: string) => fs.rmSync(file)],
  ])("are compiled anew where what is kept is %s", (_, damage) => {
    const fake = newFake();
    get(fake);
    damage(codeFile());
    expect([get(fake), get(fake)]).toEqual([1, 1]);
    expect(counts(fake)).toEqual([2, 1]);
  });

  it("are compiled anew, and kept anew, where the plugin does not take what is kept", () => {
    const fake = newFake();
    get(fake);
    fake.set("make", 2);
    expect([get(fake), get(fake)]).toEqual([1, 1]);
    expect(counts(fake)).toEqual([2, 1]);
    expect(listCache().entries).toHaveLength(1);
  });

  it("are not kept where the plugin writes nothing down, or where XLA shall dump them", async () => {
    const fake = newFake({ writes: 0 });
    expect(await warningsOf("XlaWarning", () => get(fake))).toEqual([]);
    fake.set("writes", 1);
    get(fake, "same", { xla_dump_to: "/nowhere" });
    expect(listCache().entries).toEqual([]);
  });

  it("run where nothing can be kept, with a warning", async () => {
    const file = path.join(temporaryFolder(), "file");
    fs.writeFileSync(file, "");
    vi.stubEnv("VIBE_RL_CACHE_DIR", path.join(file, "cache"));
    const fake = newFake();
    const warnings = await warningsOf("XlaWarning", () => [get(fake), get(fake)]);
    expect(warnings).toEqual([
      expect.stringMatching(/^programs of XLA are compiled anew in every process, since /),
    ]);
    expect(counts(fake)).toEqual([2, 0]);
  });
});
