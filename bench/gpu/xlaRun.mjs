// One training run on XLA, in a process of its own: xlaRun.mjs NAME PRECISION. Prints one line of JSON, as peers/jaxPeer.py does.
import { jit, random, tree } from "vibe-rl/array";
import { timeOf } from "../measure.mjs";
import { xlaRuns } from "./xlaRuns.mjs";

const [name, matmulPrecision] = process.argv.slice(2);
const { training } = xlaRuns.find((run) => run.name === name);
const { make, count, steps, learned } = training();
const train = jit(make(count), { device: "gpu", matmulPrecision });
/** Runs to the end: results come as soon as XLA has everything queued. */
const finish = (seed) => tree.map((x) => x.toArray(), train(random.key(seed)));

const firstMs = timeOf(() => finish(1));
const start_s = Date.now() / 1000 - Number(process.env.BENCH_STARTED ?? performance.timeOrigin / 1000);
const ms = Math.min(...[2, 3, 4].map((seed) => timeOf(() => finish(seed))));
console.log(
  JSON.stringify({
    ...{
      compile_s: Math.max(0, firstMs - ms) / 1000,
      run_s: ms / 1000,
      sps: Math.round((1000 * steps) / ms),
      start_s,
    },
    learned: learned(train(random.key(2))),
  }),
);
