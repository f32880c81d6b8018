// Training runs on one thread, on two, and on all processors.
import { availableParallelism } from "node:os";
import { jit, random } from "vibe-rl/array";
import { ppoTraining, trainingRuns } from "../agentPrograms.mjs";
import { buildNativeLimit } from "../limit/native.mjs";
import { compete, digits, row } from "../measure.mjs";
import { byHand } from "./runs.mjs";

const key = random.key(0);
export const threadCounts = [...new Set([1, 2, availableParallelism()])].sort((a, b) => a - b);

const workloads = [
  { ...trainingRuns.find(({ name }) => name === "sac"), task: "SAC, batch 256, (256, 256)" },
  {
    name: "ppo_large",
    task: "PPO, 64 environments, (256, 256)",
    ...ppoTraining({ numEnvs: 64, hiddenSizes: [256, 256] }, 4),
  },
  {
    name: "ppo_small",
    task: "PPO as large as cartpole_ppo",
    ...ppoTraining({ numEnvs: 8, nSteps: 32, nMinibatches: 1, nEpochs: 20 }, 200),
  },
];

const widths = [34, ...threadCounts.flatMap((count) => (count === 1 ? [11] : [11, 7])), 14, 7];

/** Prints a row for each run with a word in its name, and returns them. */
export async function threads(word, print) {
  // The only run that limit.c has two threads for.
  const sacOnTwo = buildNativeLimit("limit.c", "-DNT=2");
  const heads = threadCounts.flatMap((count) => (count === 1 ? ["1 thread"] : [`${count} threads`, "ratio"]));
  print(row(widths, ["steps/s by the clock", ...heads, "C, 2 threads", "ratio"]));
  const rows = [];
  for (const { name, task, make, count, steps } of workloads) {
    if (!`${name} ${task}`.includes(word)) continue;
    const runners = threadCounts.map((threads) => {
      const run = jit(make(count), { device: "native", threads });
      return () => run(key);
    });
    const hasPeer = name === "sac" && sacOnTwo !== null && threadCounts.includes(2);
    if (hasPeer) runners.push(byHand(sacOnTwo, name, count));
    const times = await compete(runners, { warmMs: 1, rounds: 5 });
    const speeds = times.map((ms) => (steps / ms) * 1000);
    const ours = Object.fromEntries(threadCounts.map((threads, at) => [threads, speeds[at]]));
    const gains = threadCounts.slice(1).map((threads) => [threads, ours[threads] / ours[1]]);
    const c = hasPeer ? speeds[threadCounts.length] : null;
    rows.push({ name, task, stepsPerSecond: ours, gain: Object.fromEntries(gains), cTwoThreads: c });
    const cells = threadCounts.flatMap((threads) =>
      threads === 1 ? [digits(ours[1])] : [digits(ours[threads]), (ours[threads] / ours[1]).toFixed(2)],
    );
    const peer = c === null ? [] : [digits(c), (ours[2] / c).toFixed(2)];
    print(row(widths, [task, ...cells, ...peer]));
  }
  return rows;
}
