// Native programs on disk: built once, kept whole, known again.
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { cachePath } from "../../src/device/cache/folder.js";
import { clearCache, listCache } from "../../src/device/cache/keeping.js";
import { takeSteps } from "../../src/device/native/commands.js";
import { recallProgram, rememberProgram } from "../../src/device/cache/programs.js";
import { temporaryFolder } from "../temporary.js";
import {
  anySource,
  build,
  buildAsked,
  building,
  failureOf,
  isElsewhere,
  makeFolder,
  namesIn,
  read,
  scriptedCompiler,
  startsOf,
  temporaryCache,
} from "./native.js";

afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

describe.skipIf(isElsewhere)("the cache", () => {
  it("builds a program once, in a folder that only its user can use", () => {
    const cache = temporaryCache();
    const { starts } = scriptedCompiler();
    const { file, temporary } = buildAsked();
    expect(temporary).toBeNull();
    expect(read(file)).toBe("/* a program */");
    expect(startsOf(starts)).toEqual([
      expect.stringContaining("-dM"),
      "-O2 -march=native -shared -o library.so unit0.c -lm -pthread",
    ]);
    expect([cache, path.dirname(file), file].map((one) => fs.statSync(one).mode & 0o77)).toEqual([0, 0, 0]);
    expect(fs.readdirSync(path.dirname(file)).sort()).toEqual(["entry.json", "library.so"]);
  });

  it("starts no process at all where a program and its compiler are known", () => {
    temporaryCache();
    const { starts } = scriptedCompiler();
    const { file } = buildAsked();
    expect(startsOf(starts)).toHaveLength(2);
    expect(buildAsked().file).toBe(file);
    expect(startsOf(starts)).toHaveLength(2);
  });

  it("tells programs, flags, compilers and processors apart", () => {
    temporaryCache();
    scriptedCompiler();
    const files = [
      build("one").file,
      build("two").file,
      takeSteps(building({ ...anySource("one"), flags: ["-O3"] })).file,
      takeSteps(building({ ...anySource("one"), units: ["/* one", " */"] })).file,
    ];
    scriptedCompiler();
    files.push(build("one").file);
    expect(new Set(files).size).toBe(5);
    expect(listCache().entries.map(({ program, compiler }) => `${program} ${compiler}`)).toEqual(
      files.map(() => "jit(test) gcc 1.2.3"),
    );
  });

  it.each([
    ["truncated", (file: string) => fs.truncateSync(file, 3)],
    ["changed", (file: string) => fs.writeFileSync(file, "/* b program */")],
    ["gone", (file: string) => fs.rmSync(file)],
    ["without its record", (file: string) => fs.rmSync(path.join(path.dirname(file), "entry.json"))],
    [
      "with a record that is none",
      (file: string) => fs.writeFileSync(path.join(path.dirname(file), "entry.json"), "{"),
    ],
  ])("builds anew what is %s", (_, damage) => {
    const cache = temporaryCache();
    const { starts } = scriptedCompiler();
    const { file } = build();
    damage(file);
    expect(read(build().file)).toBe("/* a program */");
    expect(startsOf(starts)).toHaveLength(2);
    expect(build().file).toBe(file);
    expect(startsOf(starts)).toHaveLength(2);
    expect(namesIn(cache, "building").concat(namesIn(cache, "removing"))).toEqual([]);
  });

  it("asks a compiler again whose answer is damaged", () => {
    const cache = temporaryCache();
    const { starts } = scriptedCompiler();
    buildAsked();
    const [memo] = namesIn(cache, "compiler-");
    fs.writeFileSync(path.join(cache, memo), '{"version":"1","tuning":["; rm -rf /"],"target":{"lanes":3}}');
    buildAsked();
    expect(startsOf(starts).filter((line) => line.includes("-dM"))).toHaveLength(2);
  });

  it("looks through many entries once in a while, not at every build", () => {
    const cache = temporaryCache();
    scriptedCompiler();
    vi.stubEnv("VIBE_RL_CACHE_SIZE", "0");
    const addMany = () => {
      for (let entry = 0; entry < 101; entry++) {
        const folder = path.join(cache, entry.toString(16).padStart(64, "0"));
        fs.mkdirSync(folder);
        for (const name of ["library.so", "entry.json"]) fs.writeFileSync(path.join(folder, name), "{}");
      }
    };
    const entriesAfter = (text: string) => {
      build(text);
      return listCache().entries.length;
    };
    expect(entriesAfter("a")).toBe(1);
    addMany();
    expect(entriesAfter("b")).toBe(1);
    addMany();
    expect(["c", "d", "e"].map(entriesAfter)).toEqual([103, 104, 1]);
  });

  it("removes what was not used for longest where there is more than VIBE_RL_CACHE_SIZE", () => {
    temporaryCache();
    scriptedCompiler();
    const large = (name: string) => name.repeat(300_000);
    const [first, second] = [build(large("a")).file, build(large("b")).file];
    const old = new Date(Date.now() - 10_000);
    for (const file of [first, second]) fs.utimesSync(path.join(path.dirname(file), "entry.json"), old, old);
    build(large("a"));
    vi.stubEnv("VIBE_RL_CACHE_SIZE", "0.7");
    const third = build(large("c")).file;
    expect([first, second, third].map((file) => fs.existsSync(file))).toEqual([true, false, true]);
    vi.stubEnv("VIBE_RL_CACHE_SIZE", "much");
    expect(failureOf(() => listCache())).toBe(
      'VIBE_RL_CACHE_SIZE: must be a number of mebibytes, got "much"',
    );
  });

  it("is cleared of everything that is its own, and of nothing else", () => {
    const cache = temporaryCache();
    scriptedCompiler();
    build("one");
    build("two");
    fs.mkdirSync(path.join(cache, "building-1-1-00000000"));
    fs.writeFileSync(path.join(cache, "notes.txt"), "mine");
    const { folder, entries, bytes } = clearCache();
    expect([folder, entries]).toEqual([cache, 2]);
    expect(bytes).toBeGreaterThan(100);
    expect(fs.readdirSync(cache)).toEqual(["notes.txt"]);
    expect(clearCache().entries).toBe(0);
  });

  it("takes away what killed builds have left", () => {
    const cache = temporaryCache();
    scriptedCompiler();
    makeFolder(cache, 0o700);
    const [dead, alive] = ["building-1-1-00000000", "building-2-1-00000000"].map((name) =>
      path.join(cache, name),
    );
    for (const folder of [dead, alive]) fs.mkdirSync(folder);
    const old = new Date(Date.now() - 7200_000);
    fs.utimesSync(dead, old, old);
    build();
    expect([dead, alive].map((folder) => fs.existsSync(folder))).toEqual([false, true]);
  });
});

describe("the folder of the cache", () => {
  it("is that of VIBE_RL_CACHE_DIR, or where caches are, or among temporary files for users without a home", () => {
    vi.stubEnv("VIBE_RL_CACHE_DIR", "caches");
    expect(cachePath()).toBe(path.resolve("caches"));
    vi.stubEnv("VIBE_RL_CACHE_DIR", "");
    vi.stubEnv("XDG_CACHE_HOME", path.resolve("/var/caches"));
    expect(cachePath()).toBe(path.resolve("/var/caches/vibe-rl"));
    vi.stubEnv("XDG_CACHE_HOME", "relative");
    expect(cachePath()).toMatch(/^.*[\\/](\.cache|Caches)[\\/]vibe-rl$/);
    vi.spyOn(os, "homedir").mockImplementation(() => {
      throw new Error("uv_os_homedir returned ENOENT (no such file or directory)");
    });
    expect(cachePath()).toMatch(/[\\/]vibe-rl-(\d+|user)$/);
  });
});

describe("what a program came to", () => {
  const slot = { address: 64, dtype: "float32", shape: [2] } as const;
  const params = { format: "{x}", names: ["x"], batchDims: 0 };
  const layout = {
    ...{ memoryBytes: 128, inputs: [slot], outputs: [{ ...slot, address: 5e9 }] },
    messages: [{ params, values: [slot] }],
  };
  const key = "a".repeat(64);

  it("is kept, and forgotten if it is damaged", () => {
    const folder = temporaryFolder();
    expect(recallProgram(folder, key)).toBeNull();
    const program = { layout, launch: "much", library: "b".repeat(64) };
    rememberProgram(folder, key, program);
    expect(recallProgram(folder, key)).toEqual(program);
    const [name] = fs.readdirSync(folder);
    const text = read(path.join(folder, name));
    for (const damaged of [text.replace("5000000000", "5000000001"), text.slice(0, -9), "null", ""]) {
      fs.writeFileSync(path.join(folder, name), damaged);
      expect(recallProgram(folder, key)).toBeNull();
    }
  });

  it.skipIf(isElsewhere)("goes with its library", () => {
    const cache = temporaryCache();
    scriptedCompiler();
    const { key: library } = build("one");
    rememberProgram(cache, key, { layout, launch: "none", library });
    build("two");
    expect(recallProgram(cache, key)?.library).toBe(library);
    fs.rmSync(path.join(cache, library), { recursive: true });
    build("three");
    expect(namesIn(cache, "program-")).toEqual([]);
  });
});
