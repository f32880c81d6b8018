// Training runs on a GPU against CUDA by hand and JAX: npm run bench -- gpu, or npm run bench -- gpu sac for some of it.
// --json prints one document instead of a table. What is missing here is told, and left out.
import { cudaProblem } from "../dist/device/index.js";
import { findByHand } from "./gpu/byHand.mjs";
import { findJax } from "./gpu/jax.mjs";
import { ours, runs } from "./gpu/runs.mjs";
import { digits, row } from "./measure.mjs";

const options = process.argv.slice(2);
const isJson = options.includes("--json");
const [word = ""] = options.filter((option) => !option.startsWith("--"));
const print = isJson ? () => undefined : (line) => console.log(line);
const chosen = runs.filter(({ name, task }) => `${name} ${task}`.includes(word));
if (chosen.length === 0) {
  console.error(`Which run? There are ${runs.map(({ name }) => name).join(", ")}.`);
  process.exit(2);
}

const [byHand, jax] = [findByHand(), findJax()];
for (const { problem } of [byHand, jax]) if (problem !== undefined) print(problem);
const problem = cudaProblem();
if (problem !== null) {
  print(`Skipped, since there is no GPU for programs here: ${problem}.`);
  if (isJson) console.log(JSON.stringify({ skipped: problem }));
  process.exit(0);
}

const widths = [26, 12, 12, 7, 12, 7, 12, 7];
const cell = (value) => (value === undefined ? "-" : digits(value));
const ratio = (one, other) => (other === undefined ? "-" : (one / other).toFixed(2));
print(`${jax.device ?? "One GPU"}; environment steps a second, of DQN and SAC those that learn`);
print(row(widths, ["", "vibe-rl", "CUDA fp32", "ratio", "CUDA tf32", "ratio", "JAX", "ratio"]));
const rows = [];
for (const run of chosen) {
  const hand = byHand.measure?.(run) ?? {};
  const theirs = jax.measure?.(run);
  const { sps, firstMs, learned } = ours(run);
  rows.push({ name: run.name, sps, firstMs, learned, byHand: hand, jax: theirs });
  const cells = [hand.fp32, hand.tf32, theirs].flatMap((other) => [cell(other), ratio(sps, other)]);
  print(`${row(widths, [run.task, digits(sps), ...cells])}  ${learned}`);
}
if (isJson) console.log(JSON.stringify({ device: jax.device, rows }, null, 2));
