// Runs the compiler's tests with a GPU for every program, and those of the devices themselves: first with our own kernels
// (device "cuda"), then with XLA (device "gpu"). What is not there is told, which is no failure.
// npm run test:gpu, npm run test:gpu -- xla, or npm run test:gpu -- cuda random golden
import { spawnSync } from "node:child_process";
import path from "node:path";
import "./build.mjs";

const { cudaProblem, xlaProblem } = await import("../dist/device/index.js");
const vitest = path.join("node_modules", "vitest", "vitest.mjs");
const run = (filters, env) =>
  spawnSync(process.execPath, [vitest, "run", "--project", "tests", "--testTimeout", "3600000", ...filters], {
    stdio: "inherit",
    env: { ...process.env, ...env },
  }).status ?? 1;

/** Tests of the compiler that make code of our own, or none, and have nothing to do with a device. */
const ownCode = [
  "ptx/**",
  "stablehlo/**",
  "plan/**",
  "native*",
  "{docs,exchange,formulas,kernels,memory,plan,primitives,show,simplify}*",
];
const parts = {
  cuda: {
    problem: cudaProblem,
    own: "test/device/cuda",
    programs: 5000,
    env: { VIBE_RL_DEVICE: "cuda" },
    left: [],
  },
  xla: {
    problem: xlaProblem,
    own: "test/device/xla",
    programs: 2000,
    // Programs that run once are not worth the search for their fastest kernels.
    env: { VIBE_RL_DEVICE: "gpu", VIBE_RL_XLA_SETTINGS: "xla_gpu_autotune_level=0" },
    left: ownCode.flatMap((files) => ["--exclude", `test/compiler/${files}`]),
  },
};

const [first, ...rest] = process.argv.slice(2);
const chosen = first in parts ? [first] : Object.keys(parts);
const asked = first === undefined || first in parts ? rest : [first, ...rest];
let status = 0;
for (const name of chosen) {
  const { problem, own, programs, env, left } = parts[name];
  const why = problem();
  if (why !== null) {
    console.log(`test:gpu: ${name} is skipped, since programs cannot run there: ${why}`);
    continue;
  }
  const named = (asked.length === 0 ? [""] : asked).map((file) =>
    file.startsWith("-") ? file : `test/compiler/${file}`,
  );
  if (asked.length === 0)
    status = Math.max(status, run([own], { VIBE_RL_RANDOM_PROGRAMS: String(programs), ...env }));
  status = Math.max(status, run([...named, ...left], env));
}
process.exit(status);
