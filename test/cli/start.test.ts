// The program `vibe-rl`: which copy of the command line it runs, and that both say the same.
import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { loadCompiled } from "../../src/cli/compiledFile.js";
import { mayLoadModules } from "../../src/cli/start.js";
import { temporaryFolder } from "../temporary.js";
import { call } from "./host.js";

const program = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));

describe("the program", () => {
  it("takes the modules themselves where those of the user can be loaded beside them", () => {
    for (const line of [
      "train ppo --import ./a.js",
      "train ppo --import=./a.js",
      "resume x",
      "eval x",
      "video x",
    ])
      expect(mayLoadModules(line.split(" "), [])).toBe(true);
    for (const line of ["train ppo --env_id import", "presets", "plot runs", ""])
      expect(mayLoadModules(line.split(" "), [])).toBe(false);
    for (const option of ["--import", "--import=./a.js", "--no-warnings -r ./a.cjs", "--require ./a.cjs"])
      expect(mayLoadModules(["train", "ppo"], [option])).toBe(true);
    expect(mayLoadModules(["train", "ppo"], ["--max-old-space-size=100", ""])).toBe(false);
  });

  it("says from one file what it says from its modules", async () => {
    for (const line of [["presets"], ["--version"], ["help", "dashboard"], ["help", "train"]]) {
      const printed = execFileSync(process.execPath, [program, ...line], { encoding: "utf8" });
      expect(printed.trimEnd()).toBe((await call(line)).lines.join("\n").trimEnd());
    }
    const { status, stderr } = spawnSync(process.execPath, [program, "trian"], { encoding: "utf8" });
    expect([status, stderr]).toEqual([
      2,
      'vibe-rl trian: there is no command "trian"; did you mean train?\n',
    ]);
  });
});

describe("a file with its compiled code beside it", () => {
  const counter = (): { file: string; caches: () => string[] } => {
    const folder = path.join(temporaryFolder(), "package");
    mkdirSync(folder);
    const file = path.join(folder, "counter.cjs");
    writeFileSync(
      file,
      'exports.sum = (a, b) => a + b;\nexports.name = require("node:path").basename(__filename);\n',
    );
    return { file, caches: () => readdirSync(folder).filter((name) => name.endsWith(".cache")) };
  };
  const load = (file: string) => {
    const { exports, keep } = loadCompiled(file);
    return { ...(exports as { sum: (a: number, b: number) => number; name: string }), keep };
  };

  it("exports the same with it and without it", () => {
    const { file, caches } = counter();
    for (let time = 0; time < 3; time++) {
      const { sum, name, keep } = load(file);
      expect([sum(2, 3), name]).toEqual([5, "counter.cjs"]);
      expect(caches()).toHaveLength(Math.min(time, 1));
      keep();
    }
  });

  it("does without what is damaged or of another file, and makes it anew", () => {
    const { file, caches } = counter();
    load(file).keep();
    const cache = path.join(path.dirname(file), caches()[0]);
    const whole = readFileSync(cache);
    writeFileSync(cache, whole.subarray(0, whole.length - 9));
    const { sum, keep } = load(file);
    expect(sum(1, 1)).toBe(2);
    keep();
    expect(readFileSync(cache).length).toBeGreaterThan(whole.length - 9);
    writeFileSync(file, "exports.sum = (a, b) => a - b;\n");
    expect(load(file).sum(1, 1)).toBe(0);
  });

  it("does without one where nothing can be written", () => {
    const { file, caches } = counter();
    const { sum, keep } = load(file);
    chmodSync(path.dirname(file), 0o500);
    try {
      keep();
    } finally {
      chmodSync(path.dirname(file), 0o700);
    }
    expect(sum(2, 2)).toBe(4);
    // Those who may do anything can write there all the same.
    expect(caches().length).toBe(process.getuid?.() === 0 ? 1 : 0);
  });
});
