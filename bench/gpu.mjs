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

const widths = [26, 12, 12, 7, 12, 12, 7, 12, 7, 7];
const cell = (value) => (value === undefined ? "-" : digits(value));
const ratio = (one, other) => (other === undefined ? "-" : (one / other).toFixed(2));
print(`${jax.device ?? "One GPU"}; environment steps a second, of DQN and SAC those that learn`);
const titles = ["", "fp32", "by hand", "ratio", "tf32", "by hand", "ratio", "JAX", "fp32", "tf32"];
print(row(widths, titles));
const rows = [];
for (const run of chosen) {
  const hand = byHand.measure?.(run) ?? {};
  const theirs = jax.measure?.(run);
  const [fp32, tf32] = ["highest", "tf32"].map((precision) => ours(run, precision));
  rows.push({ name: run.name, fp32, tf32, byHand: hand, jax: theirs });
  const against = ({ sps }, other) => [digits(sps), cell(other), ratio(sps, other)];
  const cells = [...against(fp32, hand.fp32), ...against(tf32, hand.tf32), cell(theirs)];
  const toJax = [fp32, tf32].map(({ sps }) => ratio(sps, theirs));
  print(`${row(widths, [run.task, ...cells, ...toJax])}  ${fp32.learned}; ${tf32.learned}`);
}
if (isJson) console.log(JSON.stringify({ device: jax.device, rows }, null, 2));
