// Native programs against C by hand, WebAssembly and JAX, and what their builds cost: npm run bench -- native, or
// npm run bench -- native kernels softmax for some of it. --json prints one document instead of tables.
// It needs package.json, dist, bench, node_modules/koffi and node_modules/@koromix only, so that it can be copied to another
// machine: node bench/native.mjs --json > figures.json
// What has one thread is timed by the processor time that it takes, which other work on the machine changes little; what
// has several can only be timed by the clock.
import os from "node:os";
import { nativeProblem } from "../dist/device/index.js";
import { compilerVersion } from "./limit/native.mjs";
import { builds } from "./native/builds.mjs";
import { jax } from "./native/jax.mjs";
import { kernels } from "./native/kernels.mjs";
import { runs } from "./native/runs.mjs";
import { threads } from "./native/threads.mjs";

const parts = { kernels, runs, threads, jax, builds };

const options = process.argv.slice(2);
const isJson = options.includes("--json");
const [part = "", word = ""] = options.filter((option) => !option.startsWith("--"));
const chosen = Object.keys(parts).filter((name) => name.includes(part));
if (chosen.length === 0) {
  console.error(`Which part of it? There are ${Object.keys(parts).join(", ")}.`);
  process.exit(2);
}
const problem = nativeProblem();
if (problem !== null) {
  console.error(`There are no native programs here: ${problem}.`);
  process.exit(1);
}

const print = isJson ? () => undefined : (line) => console.log(line);
const load = () => os.loadavg()[0];
const machine = {
  ...{
    processor: os.cpus()[0].model,
    cores: os.availableParallelism(),
    platform: `${os.type()} ${os.arch()}`,
  },
  ...{ node: process.version, compiler: compilerVersion(), loadBefore: load() },
};
print(`${machine.processor}, ${machine.cores} cores, Node ${machine.node}, ${machine.compiler}`);

const found = {};
for (const name of chosen) {
  print("");
  found[name] = await parts[name](word, print);
}
const loadAfter = load();
if (isJson) console.log(JSON.stringify({ machine: { ...machine, loadAfter }, ...found }, null, 2));
else {
  const [before, after] = [machine.loadBefore, loadAfter].map((value) => value.toFixed(1));
  print(`\nThe machine's load was ${before} before and ${after} after this; this is 1 of it.`);
}
