// The compiler's tests on a device whose programs the system's C compiler builds.
import { spawnSync } from "node:child_process";
import path from "node:path";
import "./build.mjs";

/** Runs the files of test/compiler whose names begin as asked for, or all of them; ends this process. */
export async function testOn(script, device, asked, environment = {}) {
  const { nativeProblem } = await import("../dist/device/index.js");
  const problem = nativeProblem();
  if (problem !== null) {
    console.error(`${script}: native programs cannot run here: ${problem}`);
    process.exit(1);
  }
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
      env: { ...process.env, VIBE_RL_DEVICE: device, VIBE_RL_SUBNORMALS: "keep", ...environment },
    },
  );
  process.exit(status ?? 1);
}
