// Runs what takes too long for every run of the tests: npm run test:long. test/long.ts marks what only it runs.
import { spawnSync } from "node:child_process";
import path from "node:path";
import "./build.mjs";

const files = [
  "test/examples.test.ts",
  "test/package/bundles.test.ts",
  "test/package/types.test.ts",
  "test/playground/playground.test.ts",
  "test/array/locations.test.ts",
  "test/array/properties.test.ts",
  "test/array/partition/pieces.test.ts",
  "test/array/partition/random.test.ts",
  "test/compiler/nativeRows.test.ts",
  "test/compiler/random.test.ts",
  "test/runner/killed.test.ts",
  "test/runner/offPolicy.devices.test.ts",
];
const vitest = path.join("node_modules", "vitest", "vitest.mjs");
const { status } = spawnSync(process.execPath, [vitest, "run", ...files], {
  stdio: "inherit",
  env: { ...process.env, VIBE_RL_TEST_LONG: "1" },
});
process.exit(status ?? 1);
