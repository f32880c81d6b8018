// Native programs on disk: built once, kept whole, and what happens where a disk or a compiler does not do its part.
import { execFile } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { afterEach, describe, expect, it, vi } from "vitest";
import { cachePath } from "../../src/device/native/cacheFolder.js";
import { clearCache, listCache } from "../../src/device/native/cacheKeeping.js";
import { takeSteps, takeStepsAside } from "../../src/device/native/commands.js";
import { recallProgram, rememberProgram } from "../../src/device/native/programs.js";
import { warningsOf, temporaryFolder } from "../temporary.js";
import {
  anySource,
  building,
  buildingAsked,
  isAlive,
  makeFolder,
  scriptedCompiler,
  temporaryCache,
} from "./native.js";

afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

const isElsewhere = process.platform === "win32";
const startsOf = (file: string): string[] => fs.readFileSync(file, "utf8").trim().split("\n");
const read = (file: string): string => fs.readFileSync(file, "utf8");
const namesIn = (folder: string, start: string): string[] =>
  fs.readdirSync(folder).filter((name) => name.startsWith(start));
const build = (text?: string) => takeSteps(building(anySource(text)));
const buildAsked = () => takeSteps(buildingAsked(anySource()));

/** What is wrong with a build. */
function failureOf(body: () => unknown): string {
  try {
    body();
  } catch (error) {
    return (error as Error).message;
  }
  throw new Error("nothing went wrong");
}

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

describe.skipIf(isElsewhere)("a folder that cannot keep programs", () => {
  const unkept = /^native programs are built anew in every process, since .*: /;

  it.each([
    [
      "others can write to",
      (cache: string) => makeFolder(cache, 0o777),
      "others can write to it: chmod go-w",
    ],
    ["is a file", (cache: string) => fs.writeFileSync(cache, ""), "EEXIST"],
  ])("is not used if it %s, with a word", async (_, make, reason) => {
    const cache = temporaryCache();
    scriptedCompiler();
    make(cache);
    const warnings = await warningsOf("NativeWarning", () => {
      const { file, temporary } = build();
      expect(temporary).toBe(path.dirname(file));
      expect(read(file)).toBe("/* a program */");
      fs.rmSync(temporary ?? "", { recursive: true });
      const again = build();
      fs.rmSync(again.temporary ?? "", { recursive: true });
    });
    expect(warnings).toEqual([expect.stringMatching(unkept)]);
    expect(warnings[0]).toContain(reason);
  });

  it("is not used if it belongs to somebody else", async () => {
    const cache = temporaryCache();
    scriptedCompiler();
    makeFolder(cache, 0o700);
    vi.spyOn(process, "getuid").mockReturnValue(4711);
    const warnings = await warningsOf("NativeWarning", () => {
      fs.rmSync(buildAsked().temporary ?? "", { recursive: true });
    });
    expect(warnings[0]).toMatch(/it belongs to another user \(\d+, this is 4711\)/);
    expect(fs.readdirSync(cache)).toEqual([]);
  });

  it.each([
    ["can only be read", "EROFS", "the file system can only be read"],
    ["is full", "ENOSPC", "the disk is full"],
  ])("gives way to a temporary one if it %s", async (_, code, reason) => {
    const cache = temporaryCache();
    scriptedCompiler();
    const write = fs.writeFileSync;
    vi.spyOn(fs, "writeFileSync").mockImplementation((file, ...rest) => {
      if (String(file).startsWith(cache)) throw Object.assign(new Error(code), { code });
      write(file, ...rest);
    });
    const warnings = await warningsOf("NativeWarning", () => {
      const { file, temporary } = build();
      expect(file.startsWith(cache)).toBe(false);
      expect(read(file)).toBe("/* a program */");
      fs.rmSync(temporary ?? "", { recursive: true });
    });
    expect(warnings[0]).toContain(`${cache} cannot keep them: ${reason} (${code})`);
    expect(namesIn(cache, "building")).toEqual([]);
  });

  it("gives way if only the compiler hears of the full disk", async () => {
    const cache = temporaryCache();
    scriptedCompiler(`case "$PWD" in
      */cache/*) echo "error: unable to open output file: 'No space left on device'" >&2; exit 1;;
      *) cat unit*.c > library.so;; esac`);
    const warnings = await warningsOf("NativeWarning", () => {
      const { file, temporary } = build();
      expect(read(file)).toBe("/* a program */");
      fs.rmSync(temporary ?? "", { recursive: true });
    });
    expect(warnings[0]).toContain("No space left on device");
    expect(namesIn(cache, "building")).toEqual([]);
  });

  it("is an error where there is no other place", async () => {
    const cache = temporaryCache();
    scriptedCompiler('echo "No space left on device" >&2; exit 1');
    await warningsOf("NativeWarning", () => {
      expect(failureOf(() => build())).toMatch(
        new RegExp(
          `^native: there is no place to build jit\\(test\\): ${cache}: No space left on device; /.*Make room`,
        ),
      );
    });
  });

  it("serves this process if the disk is full only in the end", async () => {
    const cache = temporaryCache();
    scriptedCompiler();
    vi.spyOn(fs, "renameSync").mockImplementation(() => {
      throw Object.assign(new Error("full"), { code: "ENOSPC" });
    });
    const warnings = await warningsOf("NativeWarning", () => {
      const { file, temporary } = build("late");
      expect(read(file)).toBe("/* late */");
      expect(temporary?.startsWith(cache)).toBe(true);
    });
    expect(warnings[0]).toContain("the disk is full (ENOSPC)");
  });
});

describe.skipIf(isElsewhere)("a compiler", () => {
  it("that fails is an error with the beginning of what it said and where the source is", () => {
    const cache = temporaryCache();
    scriptedCompiler('for i in 1 2 3 4 5 6 7 8 9 10; do echo "unit0.c:$i: error: bad $i" >&2; done; exit 1');
    const message = failureOf(() => build());
    expect(message).toContain("failed on jit(test), whose source is in");
    expect(message).toContain("unit0.c:1: error: bad 1\n");
    expect(message).toContain("… (2 more lines)");
    expect(message).toContain('use device: "wasm"');
    const kept = /source is in (\S+):\n/.exec(message)?.[1] ?? "";
    expect(path.dirname(kept)).toBe(cache);
    expect(read(path.join(kept, "unit0.c"))).toBe("/* a program */");
    expect(failureOf(() => build())).toBe(message);
    expect(namesIn(cache, "building")).toEqual([]);
  });

  it("that leaves no library is an error, too", () => {
    temporaryCache();
    scriptedCompiler("exit 0");
    expect(failureOf(() => build())).toContain("it said nothing, and left no library");
  });

  it.each([
    ["waited for", (source: string) => Promise.resolve().then(() => takeSteps(building(anySource(source))))],
    ["not waited for", (source: string) => takeStepsAside(building(anySource(source)))],
  ])("that hangs is ended with all its processes, %s", async (_, run) => {
    temporaryCache();
    const pids = path.join(temporaryFolder(), "pids");
    scriptedCompiler(`sleep 1000 & echo $! > '${pids}'; wait`);
    vi.stubEnv("VIBE_RL_COMPILER_TIMEOUT", "0.3");
    await expect(run("slow")).rejects.toThrow(
      /has not finished jit\(test\) in 0.3 s and was stopped; the source is/,
    );
    const pid = Number(read(pids));
    await vi.waitFor(() => expect(isAlive(pid, read)).toBe(false));
  });

  it("that does not work at all is named", () => {
    temporaryCache();
    const file = path.join(temporaryFolder(), "broken");
    fs.writeFileSync(file, '#!/bin/sh\necho "cannot execute cc1" >&2\nexit 1\n', { mode: 0o755 });
    vi.stubEnv("CC", file);
    expect(failureOf(buildAsked)).toContain(
      `native: the C compiler ${file} does not work: cannot execute cc1. Set CC to another one`,
    );
  });

  it("must be given sensible time", () => {
    temporaryCache();
    scriptedCompiler();
    vi.stubEnv("VIBE_RL_COMPILER_TIMEOUT", "soon");
    expect(failureOf(() => build())).toBe(
      'VIBE_RL_COMPILER_TIMEOUT: must be a number of seconds, got "soon"',
    );
  });

  it("compiles units side by side and links them once", () => {
    temporaryCache();
    const { starts } = scriptedCompiler(
      `case "$*" in *-c*) for u in unit*.c; do echo built > "\${u%.c}.o"; done;; *) cat unit*.c > library.so;; esac`,
    );
    const units = ["large ".repeat(100), "small", "smaller"];
    const { file } = takeSteps(building({ ...anySource(), units }));
    expect(read(file)).toBe(units.join(""));
    const lines = startsOf(starts);
    expect(lines.filter((line) => line.includes(" -c ")).length).toBeGreaterThan(0);
    expect(lines.filter((line) => line.includes("-shared"))).toEqual([
      expect.stringMatching(/-shared -o library.so unit0.o unit1.o unit2.o -lm -pthread$/),
    ]);
  });

  it("may be at work twice on the same program: both get it, and one is kept", async () => {
    const cache = temporaryCache();
    scriptedCompiler("cat unit*.c > library.so; sleep 0.05");
    const [one, two] = await Promise.all([1, 2].map(() => takeStepsAside(building(anySource()))));
    expect(one).toEqual(two);
    expect(read(one.file)).toBe("/* a program */");
    expect(listCache().entries).toHaveLength(1);
    expect(namesIn(cache, "building")).toEqual([]);
  });
});

describe.skipIf(isElsewhere)("processes", () => {
  it("may build the same program at once: all get it, and one is kept", async () => {
    const cache = temporaryCache();
    // Each build waits until there are two of them, in folders of their own.
    scriptedCompiler(`cat unit*.c > library.so
      until [ $(ls -d ../building-* | wc -l) -ge 2 ] || [ -e ../../met ]; do sleep 0.01; done; touch ../../met`);
    const program = `
      import { libraryOf } from "./dist/device/native/build.js";
      import { takeSteps } from "./dist/device/native/commands.js";
      import { findCompiler } from "./dist/device/native/compiler.js";
      const machine = { version: "1", tuning: [], target: { lanes: 4, registers: 16 }, identity: "any" };
      const source = { name: "jit(test)", units: ["one program"], flags: [] };
      console.log(takeSteps(libraryOf(source, findCompiler(), machine)).file);`;
    const run = promisify(execFile);
    const built = await Promise.all(
      [1, 2].map(() => run(process.execPath, ["--input-type=module", "-e", program], { env: process.env })),
    );
    const [one, two] = built.map(({ stdout }) => stdout.trim());
    expect(one).toBe(two);
    expect(read(one)).toBe("one program");
    expect(built.map(({ stderr }) => stderr)).toEqual(["", ""]);
    expect(listCache().entries).toHaveLength(1);
    expect(fs.readdirSync(cache)).toEqual([path.basename(path.dirname(one))]);
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
    const program = { layout, parallelWork: "much" as const, library: "b".repeat(64) };
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
    rememberProgram(cache, key, { layout, parallelWork: "none", library });
    build("two");
    expect(recallProgram(cache, key)?.library).toBe(library);
    fs.rmSync(path.join(cache, library), { recursive: true });
    build("three");
    expect(namesIn(cache, "program-")).toEqual([]);
  });
});

describe.skipIf(isElsewhere)("CC", () => {
  it("may be a path, a name or a command with flags; others are refused", () => {
    temporaryCache();
    const { starts } = scriptedCompiler();
    vi.stubEnv("CC", `${process.env.CC} -m64`);
    build();
    expect(startsOf(starts)).toEqual([expect.stringMatching(/^-m64 -O2 /)]);
    vi.stubEnv("CC", "no-such-compiler");
    expect(failureOf(() => build())).toBe(
      'CC is "no-such-compiler", and there is no such program; set it to a C compiler, or unset it',
    );
    vi.stubEnv("CC", "");
    vi.stubEnv("PATH", temporaryFolder());
    expect(failureOf(() => build())).toMatch(
      /^there is no C compiler \(clang, gcc, cc\) in PATH, .*; install one/,
    );
  });
});
