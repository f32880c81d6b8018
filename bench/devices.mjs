// Training on several devices against one: environment steps a second. PPO with the same work for each device, SAC with
// the same run on both.
// npm run bench -- devices, or npm run bench -- devices 4 for four of them. They need as many idle cores.
// Runs take turns; the best of many, and their median, which other work on the machine makes worse for several devices.
import { setCpuDevices } from "../dist/exports/array.js";
import { SACConfig } from "../dist/exports/algorithms/sac.js";
import { make } from "../dist/exports/env.js";
import { ppoTrainer, sacTrainer } from "../dist/runner/index.js";
import { spreadFor } from "../dist/runner/spread.js";
import { RunnerConfig } from "../dist/exports/runner.js";
import "../dist/index.js";
import { digits, row, timeOf } from "./measure.mjs";

const devices = Number(process.argv[2] ?? 2);
setCpuDevices(devices);

/** A run past its warm-up: a function that makes so many iterations of it. */
async function running(trainer, iterations) {
  let state = trainer.start();
  await trainer.prepare(state);
  const advance = (count) => {
    ({ state } = trainer.advance(state, count));
  };
  advance(trainer.warmupUnits);
  return () => advance(iterations);
}

/** Best and median times in milliseconds of things that take turns. */
function timesOf(runners, rounds) {
  const times = runners.map(() => []);
  for (let round = 0; round < rounds + 2; round++) {
    runners.forEach((run, at) => {
      const time = timeOf(run);
      if (round >= 2) times[at].push(time);
    });
  }
  return times.map((list) => {
    list.sort((a, b) => a - b);
    return { best: list[0], median: list[list.length >> 1] };
  });
}

const widths = [40, 10, 10, 8, 10, 10, 8];
console.log(
  row(widths, [
    "steps a second",
    "best: 1",
    `${devices} devices`,
    "ratio",
    "median: 1",
    `${devices} devices`,
    "ratio",
  ]),
);

/** Two runs that take turns, on one device and on several. */
async function compare(name, trainerOf, iterations, rounds) {
  const runners = [];
  const steps = [];
  for (const count of [1, devices]) {
    const trainer = trainerOf(count);
    steps.push(trainer.stepsPerUnit * iterations);
    runners.push(await running(trainer, iterations));
  }
  const [alone, shared] = timesOf(runners, rounds);
  const cells = ["best", "median"].flatMap((kind) => {
    const speeds = [alone, shared].map((times, at) => (1000 * steps[at]) / times[kind]);
    return [...speeds.map((speed) => digits(speed)), (speeds[1] / speeds[0]).toFixed(2)];
  });
  console.log(row(widths, [name, ...cells]));
}

const [cartPole, cartPoleParams] = make("CartPole-v1");
for (const [numEnvs, nSteps, iterations] of [
  [64, 64, 8],
  [8, 128, 30],
]) {
  const ppo = (count) => {
    const runnerConfig = RunnerConfig({ numDevices: count, totalTimesteps: 1e8, logInterval: 1e8 });
    return ppoTrainer(cartPole, cartPoleParams, {
      ppoConfig: { numEnvs, nSteps, hiddenSizes: [64, 64] },
      ...{ runnerConfig, spread: spreadFor("bench", runnerConfig) },
    });
  };
  await compare(`PPO, ${numEnvs} environments each, hidden 64, 64`, ppo, iterations, 15);
}

const [pendulum, pendulumParams] = make("Pendulum-v1");
for (const [batchSize, hiddenSizes, iterations] of [
  [256, [256, 256], 10],
  [64, [64, 64], 400],
]) {
  const sac = (count) =>
    sacTrainer(
      pendulum,
      pendulumParams,
      SACConfig({ batchSize, hiddenSizes }),
      RunnerConfig({ numDevices: count, numEnvs: devices / count, warmupSteps: 1000, totalTimesteps: 1e6 }),
    );
  await compare(`SAC, batch ${batchSize}, hidden ${hiddenSizes.join(", ")}`, sac, iterations, 25);
}
