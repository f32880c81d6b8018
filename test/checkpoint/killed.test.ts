// A process that is killed while it saves: the checkpoints that are there are whole, always.
import { spawn, spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "vite";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { np } from "vibe-rl/array";
import { findCheckpoint, listCheckpoints, loadCheckpoint, saveCheckpoint } from "vibe-rl/checkpoint";
import { temporaryFolder, warningsOf } from "../temporary.js";
import { unhurried } from "../unhurried.js";

const root = fileURLToPath(new URL("../..", import.meta.url));
let folder = "";
let script = "";

// Saves steps one after the other. With `killAt` it kills itself before the n-th change of the disk, a write half done.
const program = `
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { pathToFileURL } from "node:url";
const [bundle, dir, first, last, killAt] = process.argv.slice(2);
let changes = 0;
const kill = () => process.kill(process.pid, "SIGKILL");
for (const name of ["mkdirSync", "writeSync", "fsyncSync", "renameSync", "rmSync"]) {
  const original = fs[name];
  fs[name] = (...args) => {
    if (++changes !== Number(killAt)) return original(...args);
    if (name === "writeSync") original(args[0], args[1], args[2], Math.ceil(args[3] / 2));
    kill();
  };
}
syncBuiltinESMExports();
const { saveCheckpoint, np } = await import(pathToFileURL(bundle).href);
for (let step = Number(first); step <= Number(last); step++) {
  saveCheckpoint(dir, { w: np.full([500], step), n: step }, { step: Math.floor(step / 2), metadata: { n: step } });
  if (killAt === undefined) process.stdout.write("saved ");
}
`;

beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), "vibe-rl-killed-"));
  const entry = path.join(folder, "entry.ts");
  const source = (file: string) => JSON.stringify(path.join(root, "src", file));
  writeFileSync(
    entry,
    `export { saveCheckpoint } from ${source("checkpoint/index.ts")}; export { np } from ${source("array/index.ts")};`,
  );
  await build({
    configFile: false,
    logLevel: "silent",
    build: {
      ssr: entry,
      outDir: folder,
      emptyOutDir: false,
      // The methods of arrays are side effects of a module that nobody names.
      rolldownOptions: { treeshake: false },
    },
  });
  script = path.join(folder, "save.mjs");
  writeFileSync(script, program);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const bundle = (): string =>
  path.join(folder, readdirSync(folder).find((name) => /^entry\.m?js$/.test(name)) ?? "entry.js");

/** Every checkpoint that is there is whole and holds what was saved. */
async function checkWhole(dir: string): Promise<void> {
  const warnings = await warningsOf("CheckpointWarning", () => {
    for (const { step } of listCheckpoints(dir)) {
      const { w, n } = loadCheckpoint(dir, { w: np.zeros([500]), n: 0 }, { step });
      expect(Math.floor(n / 2)).toBe(step);
      expect(new Set(w.data())).toEqual(new Set([n]));
      expect(findCheckpoint(dir, { step })?.metadata).toEqual({ n });
    }
    findCheckpoint(dir);
  });
  expect(warnings).toEqual([]);
}

describe.skipIf(process.platform === "win32")("a process killed with SIGKILL", { timeout: 60_000 }, () => {
  it("leaves whole checkpoints, whichever change of the disk was the last", async () => {
    const before = temporaryFolder();
    saveCheckpoint(before, { w: np.full([500], 2), n: 2 }, { step: 1, metadata: { n: 2 } });
    const work = temporaryFolder();
    for (let killAt = 1; ; killAt++) {
      const dir = path.join(work, String(killAt));
      cpSync(before, dir, { recursive: true });
      // Replaces step 1.
      const { signal, status, stderr } = spawnSync(
        process.execPath,
        [...unhurried, script, bundle(), dir, "3", "3", String(killAt)],
        { encoding: "utf8" },
      );
      if (signal === null) {
        expect([status, stderr, killAt > 10]).toEqual([0, "", true]);
        break;
      }
      expect(listCheckpoints(dir).map(({ step }) => step)).toEqual([1]);
      await checkWhole(dir);
      // The next save clears away what the killed process left.
      saveCheckpoint(dir, { w: np.full([500], 3), n: 3 }, { step: 1, metadata: { n: 3 } });
      saveCheckpoint(dir, { w: np.full([500], 3), n: 3 }, { step: 1, metadata: { n: 3 } });
      expect(readdirSync(dir).filter((name) => name.startsWith("."))).toEqual([]);
    }
  });

  it("leaves whole checkpoints at any moment", async () => {
    const dir = temporaryFolder();
    for (let round = 0; round < 8; round++) {
      const child = spawn(process.execPath, [...unhurried, script, bundle(), dir, "0", "100000"], {
        stdio: ["ignore", "pipe", "inherit"],
      });
      const ended = new Promise((resolve) => child.once("exit", resolve));
      let saved = 0;
      for await (const text of child.stdout) {
        saved += String(text).split(" ").length - 1;
        if (saved > round) break;
      }
      child.kill("SIGKILL");
      await ended;
      await checkWhole(dir);
      expect(listCheckpoints(dir).length).toBeGreaterThan(0);
      rmSync(dir, { recursive: true });
    }
  });
});
