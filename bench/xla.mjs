// Training runs on XLA against JAX, which has the same compiler: steps a second, seconds to trace and compile, and seconds
// from the start of a process to the end of its first run. Each run has a process of its own, and there are rows for full
// float32 products and for TF32: npm run bench -- xla, or npm run bench -- xla sac for some of it. --ours leaves JAX out,
// --highest or --default has products of one kind only, --json prints one document instead of a table.
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { xlaProblem } from "../dist/device/index.js";
import { findJax } from "./gpu/jax.mjs";
import { xlaRuns } from "./gpu/xlaRuns.mjs";
import { digits, row } from "./measure.mjs";

const options = process.argv.slice(2);
const isJson = options.includes("--json");
const [word = ""] = options.filter((option) => !option.startsWith("--"));
const print = isJson ? () => undefined : (line) => console.log(line);
const chosen = xlaRuns.filter(({ name }) => name.includes(word));
if (chosen.length === 0) {
  console.error(`Which run? There are ${xlaRuns.map(({ name }) => name).join(", ")}.`);
  process.exit(2);
}
const asked = ["highest", "default"].filter((precision) => options.includes(`--${precision}`));
const precisions = asked.length > 0 ? asked : ["highest", "default"];
const problem = xlaProblem();
if (problem !== null) {
  print(`Skipped, since programs cannot run on XLA here: ${problem}.`);
  if (isJson) console.log(JSON.stringify({ skipped: problem }));
  process.exit(0);
}
const jax = options.includes("--ours") ? { problem: undefined } : findJax();
if (jax.problem !== undefined) print(jax.problem);

const here = (file) => fileURLToPath(new URL(file, import.meta.url));

/** What a process reports as its last line, in JSON. */
function report(command, args, env) {
  const started = String(Date.now() / 1000);
  const { status, stdout, stderr } = spawnSync(command, args, {
    encoding: "utf8",
    env: { ...process.env, ...env, BENCH_STARTED: started },
  });
  if (status !== 0)
    throw new Error(`${args.join(" ")} failed:\n${stderr.trim().split("\n").slice(-5).join("\n")}`);
  return JSON.parse(stdout.trim().split("\n").at(-1));
}

/** Ours with nothing in the cache, then with what that has left there. */
function ours(name, precision) {
  const cache = mkdtempSync(path.join(tmpdir(), "vibe-rl-bench-"));
  try {
    const [first, second] = [1, 2].map(() =>
      report(process.execPath, [here("gpu/xlaRun.mjs"), name, precision], { VIBE_RL_CACHE_DIR: cache }),
    );
    return { ...first, again_s: second.start_s };
  } finally {
    rmSync(cache, { recursive: true });
  }
}

function theirs({ algorithm, envs, updates, steps }, precision) {
  const length = envs === undefined ? ["--steps", steps] : ["--envs", envs, "--updates", updates];
  const args = [here("peers/jaxPeer.py"), algorithm, ...length.map(String)];
  return report(
    process.env.PYTHON ?? "python3",
    precision === "highest" ? [...args, "--precision", precision] : args,
    { XLA_PYTHON_CLIENT_PREALLOCATE: "false" },
  );
}

const widths = [18, 9, 12, 12, 7, 9, 9, 7, 9, 9, 7, 9];
const cells = (mine, other, show) => [
  show(mine),
  other === undefined ? "-" : show(other),
  other === undefined ? "-" : (mine / other).toFixed(2),
];
const seconds = (value) => value.toFixed(1);
print(
  `${jax.device ?? "One GPU"}; products, steps a second, seconds to compile, seconds from the start, started again`,
);
print(
  row(widths, [
    "",
    "",
    "vibe-rl",
    "JAX",
    "ratio",
    "vibe-rl",
    "JAX",
    "ratio",
    "vibe-rl",
    "JAX",
    "ratio",
    "again",
  ]),
);
const rows = [];
for (const precision of precisions) {
  for (const run of chosen) {
    const other = jax.measure === undefined ? undefined : theirs(run, precision);
    const mine = ours(run.name, precision);
    rows.push({ name: run.name, precision, ours: mine, jax: other });
    print(
      row(widths, [
        ...[run.name, precision],
        ...cells(mine.sps, other?.sps, digits),
        ...cells(mine.compile_s, other?.compile_s, seconds),
        ...cells(mine.start_s, other?.start_s, seconds),
        seconds(mine.again_s),
      ]),
    );
  }
}
if (isJson) console.log(JSON.stringify({ device: jax.device, rows }, null, 2));
