// How long it takes until one training run is under way on the GPU, in a process of its own: readyRun.mjs NAME PRECISION. Prints
// one line of JSON.
import { jit, random, tree } from "vibe-rl/array";
import { timeOf } from "../measure.mjs";
import { runs } from "./runs.mjs";

const [name, matmulPrecision] = process.argv.slice(2);
const { make, count } = runs.find((run) => run.name === name);
const key = random.key(0);
const begun = performance.now();
const train = jit(make(count), { device: "cuda", matmulPrecision });
/** Runs to the end: results come as soon as the program has been started. */
const finish = () => tree.map((x) => x.data(), train(key));
finish();
const firstMs = performance.now() - begun;
const runMs = Math.min(...[1, 2, 3].map(() => timeOf(finish)));
console.log(JSON.stringify({ ready_s: (firstMs - runMs) / 1000, run_s: runMs / 1000 }));
