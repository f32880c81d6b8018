// Runs what takes too long for every run of the tests: npm run test:long. Bundles by webpack are minimized by Terser.
import { spawnSync } from "node:child_process";
import path from "node:path";
import "./build.mjs";

const vitest = path.join("node_modules", "vitest", "vitest.mjs");
const { status } = spawnSync(process.execPath, [vitest, "run", "test/package/bundles.test.ts"], {
  stdio: "inherit",
  env: { ...process.env, VIBE_RL_TEST_LONG: "1" },
});
process.exit(status ?? 1);
