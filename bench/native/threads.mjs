// Training on one thread, on two, and on all processors. Calls of the compiled programs take turns, best and median of many.
// They are short, so that the best of them meets idle processors even where there is other work, which several threads wait
// for; the median says what they do then.
import { availableParallelism } from "node:os";
import { SACConfig } from "vibe-rl/algorithms/sac";
import { make } from "vibe-rl/env";
import { RunnerConfig } from "vibe-rl/runner";
import { ppoTrainer, sacTrainer } from "../../dist/runner/index.js";
import { spreadFor } from "../../dist/runner/spread.js";
import { buildNativeLimit } from "../limit/native.mjs";
import { digits, row, timeOf } from "../measure.mjs";

const counts = [...new Set([1, 2, availableParallelism()])].sort((a, b) => a - b);
const warmupSteps = 1000;

const runnerFor = (threads) =>
  RunnerConfig({ device: "native", threads, warmupSteps, totalTimesteps: 1e8, logInterval: 1e8 });

function ppo(ppoConfig) {
  const [env, params] = make("CartPole-v1");
  return (threads) => {
    const runnerConfig = runnerFor(threads);
    return ppoTrainer(env, params, { ppoConfig, runnerConfig, spread: spreadFor("bench", runnerConfig) });
  };
}

function sac(threads) {
  const [env, params] = make("Pendulum-v1");
  return sacTrainer(env, params, SACConfig(), runnerFor(threads));
}

/** `units` is how many iterations of the trainer one call makes. */
const workloads = [
  { name: "sac", task: "SAC, batch 256, (256, 256)", trainerFor: sac, units: 3 },
  {
    ...{ name: "ppo_large", task: "PPO, 64 environments, (256, 256)", units: 1 },
    trainerFor: ppo({ numEnvs: 64, nSteps: 32, hiddenSizes: [256, 256] }),
  },
  {
    ...{ name: "ppo_small", task: "PPO, 20 epochs of one minibatch of 256", units: 5 },
    trainerFor: ppo({ numEnvs: 8, nSteps: 32, nMinibatches: 1, nEpochs: 20 }),
  },
];

/** A run past its warm-up, as a function that goes on with it. */
async function running(trainer, units) {
  let state = trainer.start();
  await trainer.prepare(state);
  const advance = (count) => {
    ({ state } = trainer.advance(state, count));
  };
  if (trainer.warmupUnits > 0) advance(trainer.warmupUnits);
  return () => advance(units);
}

/** The same of limit.c, which has two threads for SAC. */
function byHand(c, units) {
  c.call("sac_init", 1);
  c.call("sac", warmupSteps);
  return () => {
    c.call("flush_denormals", 1);
    c.call("sac", units);
    c.call("flush_denormals", 0);
  };
}

/** Best and median milliseconds of things that take turns for so long. */
function timesOf(runners, seconds) {
  const times = runners.map(() => []);
  const end = performance.now() + seconds * 1000;
  for (let round = 0; round < leastRounds || performance.now() < end; round++) {
    runners.forEach((run, at) => times[at].push(timeOf(run)));
  }
  return times.map((list) => {
    list.sort((a, b) => a - b);
    return { best: list[0], median: list[list.length >> 1] };
  });
}
const leastRounds = 10;

const widths = [34, 8, ...counts.flatMap((count) => (count === 1 ? [11] : [11, 7])), 14, 7];

/** Prints rows for each run with a word in its name, and returns them. */
export async function threads(word, print) {
  const heads = counts.flatMap((count) => (count === 1 ? ["1 thread"] : [`${count} threads`, "ratio"]));
  print(row(widths, ["steps/s by the clock", "", ...heads, "C, 2 threads", "ratio"]));
  const rows = [];
  for (const { name, task, trainerFor, units } of workloads) {
    if (!`${name} ${task}`.includes(word)) continue;
    const runners = [];
    let steps = 0;
    for (const count of counts) {
      const trainer = trainerFor(count);
      steps = trainer.stepsPerUnit * units;
      runners.push(await running(trainer, units));
    }
    const c = name === "sac" && counts.includes(2) ? buildNativeLimit("limit.c", "-DNT=2") : null;
    if (c !== null) runners.push(byHand(c, units));
    const times = timesOf(runners, 20);
    const found = { name, task };
    for (const kind of ["best", "median"]) {
      const speeds = times.map((of) => (steps / of[kind]) * 1000);
      const [alone] = speeds;
      const peer = speeds[counts.length] ?? null;
      found[kind] = { cTwoThreads: peer };
      const cells = counts.flatMap((count, at) => {
        found[kind][count] = { stepsPerSecond: speeds[at], ratio: speeds[at] / alone };
        return at === 0 ? [digits(alone)] : [digits(speeds[at]), (speeds[at] / alone).toFixed(2)];
      });
      const compared = peer === null ? [] : [digits(peer), (speeds[counts.indexOf(2)] / peer).toFixed(2)];
      print(row(widths, [task, kind, ...cells, ...compared]));
    }
    rows.push(found);
  }
  return rows;
}
