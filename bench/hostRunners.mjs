// What a step of 8 environments that are objects costs a runner besides the environments: the policy, and keeping what
// happened; and CartPole as a plain class beside the compiled one.
// npm run bench -- hostRunners
import { Box, Discrete, make } from "../dist/exports/env.js";
import { OnPolicyRunner } from "../dist/exports/runner.js";
import { SyncVecEnv } from "../dist/exports/vecEnv.js";
import { CartPole } from "./cartPoleClass.mjs";
import { digits, row } from "./measure.mjs";

const numEnvs = 8;
const nSteps = 128;

/** Environments that do nothing: what is left is the runner's. */
function nothing() {
  const [obs, finalObservation] = [new Float32Array(4 * numEnvs), new Float32Array(4 * numEnvs)];
  const [timeOuts, terminated] = [new Uint8Array(numEnvs), new Uint8Array(numEnvs)];
  const [rewards, dones] = [new Float32Array(numEnvs).fill(1), new Uint8Array(numEnvs)];
  const step = { obs, rewards, dones, extras: { timeOuts, terminated, finalObservation } };
  return {
    ...{ numEnvs, observationSpace: Box({ low: -1, high: 1, shape: [4] }), actionSpace: Discrete(2) },
    ...{ reset: () => obs, step: () => step, close: () => undefined },
  };
}

/** The median time of a step of all environments in rollouts, in microseconds. */
async function stepTime(options) {
  const runner = new OnPolicyRunner({ ...options, cfg: { nSteps, numEnvs, nEpochs: 1 } });
  const times = [];
  let start = 0;
  runner.addCallback("pre_rollout", () => (start = performance.now()));
  runner.addCallback("post_rollout", () => times.push((1000 * (performance.now() - start)) / nSteps));
  await runner.learn(200 * nSteps * numEnvs);
  return times.slice(50).sort((a, b) => a - b)[75];
}

const [env, envParams] = make("CartPole-v1");
const cases = [
  ["environments that do nothing", { env: nothing() }],
  [
    "CartPole as a plain class",
    { env: SyncVecEnv(Array.from({ length: numEnvs }, () => () => new CartPole())) },
  ],
  ["CartPole, compiled", { env, envParams, numEnvs }],
];
const results = [];
for (const [name, options] of cases) results.push({ name, us: await stepTime(options) });
if (process.argv.includes("--json")) console.log(JSON.stringify(results));
else {
  const widths = [30, 18, 12];
  console.log(row(widths, ["rollouts of 8 environments", "µs a step of all", "steps/s"]));
  for (const { name, us } of results) {
    console.log(row(widths, [name, digits(us), digits((1e6 * numEnvs) / us)]));
  }
}
