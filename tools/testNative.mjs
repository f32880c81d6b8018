// Runs the compiler's tests with native code for every program, one build each. It takes minutes.
// npm run test:native, or npm run test:native -- random golden
import { spawnSync } from "node:child_process";
import path from "node:path";
import "./build.mjs";

const { nativeProblem } = await import("../dist/device/index.js");
const problem = nativeProblem();
if (problem !== null) {
  console.error(`test:native: native programs cannot run here: ${problem}`);
  process.exit(1);
}
const asked = process.argv.slice(2);
const filters = asked.length === 0 ? [""] : asked;
const vitest = path.join("node_modules", "vitest", "vitest.mjs");
const { status } = spawnSync(
  process.execPath,
  [
    ...[vitest, "run", "--project", "tests", "--testTimeout", "3600000"],
    ...filters.map((name) => (name.startsWith("-") ? name : `test/compiler/${name}`)),
  ],
  {
    stdio: "inherit",
    // The interpreter, which they are compared with, has subnormal numbers.
    env: { ...process.env, VIBE_RL_DEVICE: "native", VIBE_RL_SUBNORMALS: "keep" },
  },
);
process.exit(status ?? 1);
