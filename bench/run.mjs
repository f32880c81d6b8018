// Runs the benchmarks in turn, each in a process of its own: npm run bench, or npm run bench -- kernels
import { spawnSync } from "node:child_process";
import path from "node:path";
import { fileURLToPath } from "node:url";

const benchmarks = [
  ...[
    "tracing",
    "kernels",
    "cartpole",
    "minatar",
    "compile",
    "scaling",
    "agents",
    "native",
    "gpu",
    "ready",
    "xla",
    "train",
    "inference",
    "hostRunners",
    "devices",
    "hostTraining",
    "spmd",
    "playground",
    "dashboard",
  ],
];
const [wanted = "", ...rest] = process.argv.slice(2);
const chosen = benchmarks.filter((name) => name.includes(wanted));
if (chosen.length === 0) {
  console.error(`Which benchmark? There are ${benchmarks.join(", ")}.`);
  process.exit(2);
}

let failed = 0;
for (const name of chosen) {
  // Who asks for JSON reads nothing else.
  if (!rest.includes("--json")) console.log(`\n--- ${name} ---`);
  const file = fileURLToPath(new URL(`${name}.mjs`, import.meta.url));
  const { status } = spawnSync(process.execPath, [...process.execArgv, file, ...rest], {
    cwd: path.dirname(path.dirname(file)),
    stdio: "inherit",
  });
  if (status !== 0) failed++;
}
process.exit(failed > 0 ? 1 : 0);
