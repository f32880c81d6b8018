// Environment steps a second of whole training runs, against the same loops by hand: npm run bench -- agents
import { jit, random } from "vibe-rl/array";
import { dqnRun, ppoRun, sacRun, stepsPerUpdate, warmUp } from "./agentPrograms.mjs";
import { buildLimit, instantiate } from "./limit/build.mjs";
import { compete, digits, row, timeOf } from "./measure.mjs";

const key = random.key(0);
const average = (list) => list.reduce((sum, value) => sum + value, 0) / list.length;

const [ppoUpdates, dqnSteps, sacSteps] = [195, 4000, 1600];

/** `make(count)` is a training run, `count` its length and `least` the shortest there is. */
const benchmarks = [
  {
    name: "ppo",
    task: "PPO on CartPole",
    ...{ make: ppoRun, count: ppoUpdates, least: 1, steps: ppoUpdates * stepsPerUpdate },
    learned: (lengths) => `episodes of ${average(lengths.toArray().slice(-20)).toFixed(0)} steps at last`,
  },
  {
    name: "dqn",
    task: "DQN on CartPole",
    ...{ make: dqnRun, count: dqnSteps, least: warmUp + 1, steps: dqnSteps },
    learned: ({ done }) => `${done.astype("int32").sum().item()} episodes`,
  },
  {
    name: "sac",
    task: "SAC on Pendulum",
    ...{ make: sacRun, count: sacSteps, least: warmUp + 1, steps: sacSteps },
    learned: ({ reward }) => `reward ${average(reward.toArray().slice(-400)).toFixed(2)} a step at last`,
  },
];

/** What the first call takes beyond the second: tracing and compiling. */
function readyMs(program) {
  const run = jit(program);
  return timeOf(() => run(key)) - timeOf(() => run(key));
}

// limit.c draws with xoshiro unless told to draw with threefry, as we do.
const limits = [[], ["-DTHREEFRY"]].map((defines) => buildLimit("limit.c", ...defines));

/** The loop by hand, and nothing where it cannot be built. */
function byHand(module, name, count) {
  if (module === null) return [];
  const c = instantiate(module);
  return [
    () => {
      c[`${name}_init`](1);
      c[name](count);
    },
  ];
}

const widths = [16, 12, 12, 12, 6, 17, 6];
console.log(
  row(widths, ["whole runs", "ready in ms", "env steps/s", "C→Wasm", "ratio", "C→Wasm, threefry", "ratio"]),
);
const wanted = process.argv[2] ?? "";
for (const { name, task, make, count, least, steps, learned } of benchmarks) {
  if (!name.includes(wanted)) continue;
  const ready = readyMs(make(least));
  const run = jit(make(count));
  const result = run(key);
  const runners = [() => run(key), ...limits.flatMap((module) => byHand(module, name, count))];
  const [ours, ...theirs] = await compete(runners, { rounds: 3 });
  const speed = (ms) => digits((steps / ms) * 1000);
  const compared = theirs.flatMap((ms) => [speed(ms), (ms / ours).toFixed(2)]);
  console.log(`${row(widths, [task, digits(ready), speed(ours), ...compared])}  (${learned(result)})`);
}
