// Measurements in processes of their own, one after the other, which begin with empty caches.
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

let child = null;
let wasInterrupted = false;
for (const signal of ["SIGINT", "SIGTERM"]) {
  process.on(signal, () => {
    wasInterrupted = true;
    child?.kill();
  });
}

/** Whether somebody wants this to end. */
export const isInterrupted = () => wasInterrupted;

/** What a process reports as its last line, in JSON. */
export async function report(command, args, variables) {
  if (wasInterrupted) throw new Error("interrupted");
  const env = {
    ...process.env,
    CUDA_CACHE_DISABLE: "1",
    ...variables,
    BENCH_STARTED: String(Date.now() / 1000),
  };
  const running = promisify(execFile)(command, args, { env, maxBuffer: 2 ** 26 });
  child = running.child;
  const { stdout } = await running;
  return JSON.parse(stdout.trim().split("\n").at(-1));
}

/** What a script beside this one reports of a run with nothing in our cache, then with what that has left there. */
export async function* coldAndCached(script, ...args) {
  const cache = mkdtempSync(path.join(tmpdir(), "vibe-rl-bench-"));
  const file = fileURLToPath(new URL(script, import.meta.url));
  const once = () => report(process.execPath, [file, ...args], { VIBE_RL_CACHE_DIR: cache });
  try {
    yield await once();
    yield { cached: true, ...(await once()) };
  } finally {
    rmSync(cache, { recursive: true, force: true });
  }
}

/** An error in a few lines. */
export const lastLines = (error) => (error.stderr || error.message).trim().split("\n").slice(-5).join("\n");
