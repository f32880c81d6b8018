// What a run of the tests needs: an up-to-date build, one folder for all temporary files, gone when it ends, and one for
// built native programs, which stays: what has not changed need not be built again.
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import type { TestProject } from "vitest/node";

const variable = "VIBE_RL_TEST_FOLDER";
const root = fileURLToPath(new URL("..", import.meta.url));

/** Tests run what is built: a source that was edited since would go untested. */
function build(): void {
  execFileSync(process.execPath, [path.join("tools", "build.mjs")], { cwd: root, stdio: "inherit" });
}

export default function setup(project: TestProject): () => void {
  // Every project of the tests calls this.
  if (process.env[variable] !== undefined) return () => undefined;
  build();
  project.onTestsRerun(build);
  const folder = mkdtempSync(path.join(tmpdir(), "vibe-rl-tests-"));
  // Modules in there import the package by its name, as users' do.
  mkdirSync(path.join(folder, "node_modules"));
  symlinkSync(root, path.join(folder, "node_modules", "vibe-rl"), "junction");
  // What `tmpdir` goes by, on Windows and elsewhere; the workers take it over.
  Object.assign(process.env, { TMPDIR: folder, TEMP: folder, TMP: folder, [variable]: folder });
  // Thousands of programs, where all tests run on one other device, have a place of their own.
  const ofDevice = {
    native: "vibe-rl-native",
    cuda: "vibe-rl-cuda",
    gpu: "vibe-rl-xla",
    "emulated ptx": "vibe-rl-ptx",
  };
  const cache = ofDevice[process.env.VIBE_RL_DEVICE as keyof typeof ofDevice] ?? "vibe-rl";
  process.env.VIBE_RL_CACHE_DIR = path.join(import.meta.dirname, "..", "node_modules", ".cache", cache);
  // A browser that ends just now may still write there.
  return () => rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
}
