// What a step of 8 environments that are objects costs a runner besides the environments: the policy, and keeping what
// happened; and CartPole as a plain class beside the compiled one.
// npm run bench -- hostRunners
import { Box, Discrete, make } from "../dist/exports/env.js";
import { OnPolicyRunner } from "../dist/exports/runner.js";
import { SyncVecEnv } from "../dist/exports/vecEnv.js";
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

class CartPole {
  observationSpace = Box({ low: -Infinity, high: Infinity, shape: [4] });
  actionSpace = Discrete(2);
  state = [0, 0, 0, 0];
  steps = 0;
  seed = 1;

  random() {
    this.seed = (Math.imul(this.seed, 1664525) + 1013904223) >>> 0;
    return this.seed / 2 ** 32;
  }

  reset(seed) {
    if (seed !== undefined) this.seed = Math.imul(seed + 1, 2654435761) >>> 0;
    this.state = this.state.map(() => this.random() / 10 - 0.05);
    this.steps = 0;
    return [this.state];
  }

  step(action) {
    const [x, speed, angle, turn] = this.state;
    const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
    const push = ((action === 1 ? 10 : -10) + 0.05 * turn * turn * sin) / 1.1;
    const bend = (9.8 * sin - cos * push) / (0.5 * (4 / 3 - (0.1 * cos * cos) / 1.1));
    const pull = push - (0.05 * bend * cos) / 1.1;
    this.state = [x + 0.02 * speed, speed + 0.02 * pull, angle + 0.02 * turn, turn + 0.02 * bend];
    const isOver = Math.abs(this.state[0]) > 2.4 || Math.abs(this.state[2]) > (12 * Math.PI) / 180;
    return [this.state, 1, isOver, ++this.steps >= 500];
  }
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
