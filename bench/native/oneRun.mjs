// One native training run in a process of its own, the best of three by the clock, as a line of JSON, as
// peers/jaxPeer.py prints it: node bench/native/oneRun.mjs ppo 1
import { jit, random } from "vibe-rl/array";
import { largeRuns, trainingRuns } from "../agentPrograms.mjs";
import { compete, timeOf } from "../measure.mjs";

const [wanted, threads] = process.argv.slice(2);
const { name, make, count, steps } = [...trainingRuns, ...largeRuns].find(({ name }) => name === wanted);
const run = jit(make(count), { device: "native", threads: Number(threads) });
const first = timeOf(() => run(random.key(1)));
const [best] = await compete([() => run(random.key(2))], { warmMs: 0, rounds: 3 });
const seconds = best / 1000;
console.log(
  JSON.stringify({
    ...{ algo: name, compile_s: Math.max(0, first - best) / 1000, run_s: seconds, steps },
    sps: Math.round(steps / seconds),
  }),
);
