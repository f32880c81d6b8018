// Building native programs where a disk or a compiler does not do its part, or others build as well.
import { execFile } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { afterEach, describe, expect, it, vi } from "vitest";
import { listCache } from "../../src/device/cache/keeping.js";
import { takeSteps, takeStepsAside } from "../../src/device/native/commands.js";
import { temporaryFolder, warningsOf } from "../temporary.js";
import {
  anySource,
  build,
  buildAsked,
  building,
  failureOf,
  isAlive,
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
