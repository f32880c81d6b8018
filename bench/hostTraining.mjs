// Whole training runs of PPO on CartPole, side by side: compiled with the environment, and with the environment as a
// plain class on the host, in this thread and in workers. Each run has a process of its own; they take turns.
// Ratios are to trainPPO: how many times as long a run takes, by the clock and of the processor.
// npm run bench -- hostTraining [--json] [--rounds 3] [--steps 150000] [--only "8 env"]
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { make } from "../dist/exports/env.js";
import { OnPolicyRunner, trainPPO } from "../dist/exports/runner.js";
import { SyncVecEnv, WorkerVecEnv } from "../dist/exports/vecEnv.js";
import { CartPole } from "./cartPoleClass.mjs";
import { digits, row } from "./measure.mjs";

const settings = {
  "8 environments, (64, 64)": { numEnvs: 8, hiddenSizes: [64, 64] },
  "64 environments, (64, 64)": { numEnvs: 64, hiddenSizes: [64, 64] },
  "8 environments, (8)": { numEnvs: 8, hiddenSizes: [8] },
  "64 environments, (8)": { numEnvs: 64, hiddenSizes: [8] },
};

const classUrl = new URL("cartPoleClass.mjs", import.meta.url);

/** How each kind of run comes by its environments. */
const worlds = {
  "OnPolicyRunner, functional": ({ numEnvs }) => {
    const [env, envParams] = make("CartPole-v1");
    return { env, envParams, numEnvs };
  },
  "OnPolicyRunner, SyncVecEnv": ({ numEnvs }) => ({
    env: SyncVecEnv(Array.from({ length: numEnvs }, () => () => new CartPole())),
  }),
  "OnPolicyRunner, WorkerVecEnv (2)": async ({ numEnvs }) => ({
    env: await WorkerVecEnv({ url: classUrl, exportName: "CartPole", numEnvs, numWorkers: 2 }),
  }),
};
const kinds = ["trainPPO, functional", ...Object.keys(worlds)];

/** When things happened in a run, in seconds of the run, at numbers of steps. */
class Clock {
  start = performance.now();
  cpuBefore = process.cpuUsage();
  marks = [];
  rollouts = 0;
  updates = 0;

  /** Seconds of the processor, of all threads. */
  cpu() {
    const { user, system } = process.cpuUsage(this.cpuBefore);
    return (user + system) / 1e6;
  }

  now() {
    return (performance.now() - this.start) / 1000;
  }

  mark(step) {
    const { rollouts, updates } = this;
    this.marks.push({ step, at: this.now(), cpu: this.cpu(), rollouts, updates });
  }

  /**
   * Steps a second; microseconds of the processor a step, which other processes change least; and in the second half,
   * when everything is compiled and optimised, the same and the parts of rollouts and updates.
   */
  result(steps) {
    const [seconds, cpu] = [this.now(), this.cpu()];
    const last = this.marks.at(-1);
    const middle = this.marks.find(({ step }) => step >= last.step / 2);
    const late = (name) => (1e6 * (last[name] - middle[name])) / (last.step - middle.step);
    return {
      ...{ speed: steps / seconds, cpu: (1e6 * cpu) / steps },
      ...{ lateSpeed: 1e6 / late("at"), lateCpu: late("cpu"), share: late("rollouts") / late("at") },
    };
  }
}

/** The usual settings: 128 steps of each environment, 4 times 4 minibatches. */
const usual = { nSteps: 128, nMinibatches: 4, nEpochs: 4, lr: 1e-3 };

async function compiledRun({ numEnvs, hiddenSizes }, totalTimesteps) {
  const ppoConfig = { ...usual, numEnvs, hiddenSizes };
  const clock = new Clock();
  // Ten times: every log ends a call of the compiled program.
  const logInterval = Math.ceil(totalTimesteps / 10);
  const [env, params] = make("CartPole-v1");
  await trainPPO(env, params, {
    ...{ ppoConfig, runnerConfig: { totalTimesteps, logInterval, evalEvery: 2 * totalTimesteps } },
    logger: { log: ({ step }) => clock.mark(step) },
  });
  return clock.result(totalTimesteps);
}

async function hostRun(kind, { numEnvs, hiddenSizes }, totalTimesteps) {
  const clock = new Clock();
  const world = await worlds[kind]({ numEnvs });
  const runner = new OnPolicyRunner({ ...world, cfg: { ...usual, numEnvs, hiddenSizes } });
  let before = 0;
  const begin = () => (before = clock.now());
  runner.addCallback("pre_rollout", begin);
  runner.addCallback("post_rollout", () => (clock.rollouts += clock.now() - before));
  runner.addCallback("pre_update", begin);
  runner.addCallback("post_update", () => (clock.updates += clock.now() - before));
  runner.addCallback("post_iteration", () => clock.mark(runner.totalTimesteps));
  await runner.learn(totalTimesteps);
  // As trainPPO does at its end.
  await runner.eval({ numEpisodes: 10, maxSteps: 500 });
  const result = clock.result(runner.totalTimesteps);
  await runner.env.close?.();
  return result;
}

const median = (list) => [...list].sort((a, b) => a - b)[list.length >> 1];

const { values } = parseArgs({
  options: {
    ...{ json: { type: "boolean", default: false }, only: { type: "string", default: "" } },
    ...{ rounds: { type: "string", default: "3" }, steps: { type: "string", default: "150000" } },
    ...{ kind: { type: "string" }, setting: { type: "string" } },
  },
});
const steps = Number(values.steps);

if (values.kind !== undefined) {
  const setting = settings[values.setting];
  const isCompiled = values.kind === kinds[0];
  console.log(
    JSON.stringify(await (isCompiled ? compiledRun(setting, steps) : hostRun(values.kind, setting, steps))),
  );
} else {
  const results = [];
  const runApart = (setting, kind) => {
    const file = fileURLToPath(import.meta.url);
    const options = ["--kind", kind, "--setting", setting, "--steps", String(steps)];
    const { stdout, stderr, status } = spawnSync(process.execPath, [file, ...options], { encoding: "utf8" });
    if (status !== 0) throw new Error(`${kind}, ${setting}: ${stderr}`);
    return JSON.parse(stdout);
  };
  for (const setting of Object.keys(settings).filter((name) => name.includes(values.only))) {
    const rounds = Array.from({ length: Number(values.rounds) }, () =>
      kinds.map((kind) => runApart(setting, kind)),
    );
    for (const [at, kind] of kinds.entries()) {
      const own = rounds.map((round) => round[at]);
      const names = Object.keys(own[0]);
      const medians = names.map((name) => [name, median(own.map((result) => result[name]))]);
      // Of runs right after one another.
      const ratioOf = (name) => median(rounds.map((round) => round[at][name] / round[0][name]));
      const ratios = { ratio: 1 / ratioOf("speed"), cpuRatio: ratioOf("cpu"), lateRatio: ratioOf("lateCpu") };
      results.push({ setting, kind, ...Object.fromEntries(medians), ...ratios });
    }
  }
  if (values.json) console.log(JSON.stringify(results));
  else {
    const widths = [34, 9, 6, 2, 8, 6, 11, 8, 6, 9];
    const head = ["steps/s", "ratio", "", "CPU µs", "ratio", "2nd half", "CPU µs", "ratio", "rollouts"];
    for (const setting of new Set(results.map((result) => result.setting))) {
      console.log(`\n${row(widths, [setting, ...head])}`);
      for (const result of results.filter((each) => each.setting === setting)) {
        const { kind, speed, ratio, cpu, cpuRatio, lateSpeed, lateCpu, lateRatio, share } = result;
        const part = share === 0 ? "" : `${digits(100 * share)} %`;
        const whole = [digits(speed), digits(ratio), "", digits(cpu), digits(cpuRatio)];
        console.log(
          row(widths, [kind, ...whole, digits(lateSpeed), digits(lateCpu), digits(lateRatio), part]),
        );
      }
    }
  }
}
