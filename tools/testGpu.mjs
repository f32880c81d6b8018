// Runs the compiler's tests with the GPU for every program, and those of the GPU itself. Where there is none it says so,
// which is no failure.
// npm run test:gpu, or npm run test:gpu -- random golden
import { spawnSync } from "node:child_process";
import path from "node:path";
import "./build.mjs";

const { cudaProblem } = await import("../dist/device/index.js");
const problem = cudaProblem();
if (problem !== null) {
  console.log(`test:gpu: skipped, since programs cannot run on a GPU here: ${problem}`);
  process.exit(0);
}
const vitest = path.join("node_modules", "vitest", "vitest.mjs");
const run = (filters, env) =>
  spawnSync(process.execPath, [vitest, "run", "--project", "tests", "--testTimeout", "3600000", ...filters], {
    stdio: "inherit",
    env: { ...process.env, ...env },
  }).status ?? 1;

const asked = process.argv.slice(2);
const named = (asked.length === 0 ? [""] : asked).map((name) =>
  name.startsWith("-") ? name : `test/compiler/${name}`,
);
const own = asked.length === 0 ? run(["test/device/cuda"], {}) : 0;
process.exit(Math.max(own, run(named, { VIBE_RL_DEVICE: "cuda" })));
