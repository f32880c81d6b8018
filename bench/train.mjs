// Whole runs through the runners, evaluation and all: npm run bench -- train [--json] [ppo|dqn|sac]
import { RunnerConfig } from "vibe-rl/runner";
import { presets, setUp } from "../dist/config/index.js";
import { run } from "../dist/runner/index.js";
import { digits, row } from "./measure.mjs";

/** Presets, and steps that take a few seconds each. */
const benchmarks = [
  { preset: "cartpole_ppo", totalTimesteps: 99_840 },
  { preset: "cartpole_dqn", totalTimesteps: 20_000 },
  { preset: "pendulum_sac", totalTimesteps: 5_000 },
];

const options = process.argv.slice(2);
const isJson = options.includes("--json");
const wanted = options.find((option) => !option.startsWith("--")) ?? "";

/** Trains a preset once. Compiling is measured apart. */
async function measure({ preset, totalTimesteps }) {
  const { config } = presets[preset];
  const runner = RunnerConfig({ ...config.runner, totalTimesteps });
  const { trainer } = setUp({ ...config, runner });
  const before = performance.now();
  await trainer.prepare(trainer.start());
  const began = performance.now();
  const { step } = await run(trainer, runner);
  const seconds = (performance.now() - began) / 1000;
  return {
    ...{ algo: config.algo, device: "wasm", steps: step, seconds: Number(seconds.toFixed(3)) },
    ...{ sps: Math.round(step / seconds), compile_ms: Math.round(began - before) },
  };
}

const widths = [14, 8, 10, 10, 12, 12];
if (!isJson) console.log(row(widths, ["run", "device", "steps", "seconds", "steps/s", "compile ms"]));
for (const benchmark of benchmarks) {
  if (!benchmark.preset.includes(wanted)) continue;
  const result = await measure(benchmark);
  if (isJson) {
    console.log(JSON.stringify(result));
    continue;
  }
  const { device, steps, seconds, sps, compile_ms: compileMs } = result;
  const cells = [benchmark.preset, device, steps.toLocaleString("en"), digits(seconds), digits(sps)];
  console.log(row(widths, [...cells, digits(compileMs)]));
}
