// How long the PPO program takes until it can run, in a process that has just begun: one line of JSON for each of some
// programs that differ in a number only: node bench/native/build.mjs 3
import { jit, random } from "vibe-rl/array";
import { ppoTraining } from "../agentPrograms.mjs";
import { timesOf } from "../measure.mjs";

const key = random.key(0);
// Importing it is not part of the build.
jit((x) => x.mul(2), { device: "wasm" })(1);
for (let at = 0; at < Number(process.argv[2]); at++) {
  const run = jit(ppoTraining({ numEnvs: 4, lr: 2.5e-4 * (1 + at / 1000) }, 1).make(1), {
    ...{ device: "native", threads: 1 },
  });
  const [first, second] = [timesOf(() => run(key)), timesOf(() => run(key))];
  // What the first call takes beyond the second: tracing, compiling, building, loading.
  console.log(
    JSON.stringify({ ms: first.ms - second.ms, processorMs: first.processorMs - second.processorMs }),
  );
}
