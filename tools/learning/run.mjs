// Do the presets learn? Trains each with several seeds, plays greedily, and compares with what they must reach:
// npm run test:learning, or npm run test:learning -- cartpole_ppo --seeds 3 --episodes 20 --jobs 1
import { spawn } from "node:child_process";
import os from "node:os";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import "../build.mjs";
import { statistics, targets } from "./targets.mjs";

const { presets } = await import("../../dist/config/index.js");
const names = Object.keys(targets);

const refuse = (message) => {
  console.error(`test:learning: ${message}`);
  process.exit(2);
};

const options = {
  seeds: { type: "string", default: "10" },
  episodes: { type: "string", default: "100" },
  jobs: { type: "string", default: String(os.availableParallelism()) },
};

function readArguments() {
  try {
    const { values, positionals } = parseArgs({ options, allowPositionals: true });
    for (const name of positionals) {
      if (!names.includes(name))
        refuse(`there is no preset ${JSON.stringify(name)}; there are ${names.join(", ")}`);
    }
    const numbers = Object.entries(values).map(([name, text]) => {
      const value = Number(text);
      if (!Number.isInteger(value) || value < 1)
        refuse(`--${name} must be a whole number from 1, got ${text}`);
      return [name, value];
    });
    return { chosen: positionals.length > 0 ? positionals : names, ...Object.fromEntries(numbers) };
  } catch (error) {
    return refuse(error.message);
  }
}

const { chosen, seeds: seedCount, episodes, jobs } = readArguments();
const seeds = Array.from({ length: seedCount }, (_, seed) => seed);

/** Trains a preset for some seeds in a process of its own. */
function trainApart(name, steps, some) {
  return new Promise((resolve, reject) => {
    const file = fileURLToPath(new URL("trainSeeds.mjs", import.meta.url));
    const child = spawn(process.execPath, [file, name, steps, episodes, ...some].map(String), {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const results = [];
    createInterface({ input: child.stdout }).on("line", (line) => results.push(JSON.parse(line)));
    child.on("error", reject);
    child.on("close", (code) =>
      code === 0 ? resolve(results) : reject(new Error(`${name}, seeds ${some.join()}: exit code ${code}`)),
    );
  });
}

/** Runs tasks, `jobs` of them at a time. */
async function inParallel(tasks) {
  const results = [];
  const waiting = [...tasks];
  const worker = async () => {
    for (let task = waiting.shift(); task !== undefined; task = waiting.shift())
      results.push(...(await task()));
  };
  await Promise.all(Array.from({ length: jobs }, worker));
  return results;
}

async function measure(name) {
  const { config } = presets[name];
  const { measure: worth, statistic, least, steps = config.runner.totalTimesteps, unit = "" } = targets[name];
  // PPO trains its seeds together; the others are independent.
  const groups = config.algo === "ppo" ? [seeds] : seeds.map((seed) => [seed]);
  const results = await inParallel(groups.map((group) => () => trainApart(name, steps, group)));
  results.sort((a, b) => a.seed - b.seed);
  const values = results.map(worth);
  const isReached = statistics[statistic](values) >= least;
  const show = (x) => `${x.toFixed(Math.abs(x) < 10 ? 2 : 1)}${unit}`;
  return {
    isReached,
    each: values.map(show),
    row: [
      name,
      steps.toLocaleString("en"),
      String(values.length),
      show(statistics.median(values)),
      show(statistics.mean(values)),
      show(Math.min(...values)),
      `${statistic} ≥ ${least}${unit}`,
      isReached ? "reached" : "MISSED",
      statistics.mean(results.map(({ seconds }) => seconds)).toFixed(1),
    ],
  };
}

const head = ["preset", "steps", "seeds", "median", "mean", "min", "must reach", "", "s a seed"];
const measured = [];
for (const name of chosen) {
  const result = await measure(name);
  measured.push(result);
  console.log(`${name}: ${result.each.join(", ")}`);
}
const table = [head, ...measured.map(({ row }) => row)];
const widths = head.map((_, column) => Math.max(...table.map((row) => row[column].length)));
console.log();
for (const row of table)
  console.log(
    row
      .map((cell, at) => cell.padEnd(widths[at]))
      .join("  ")
      .trimEnd(),
  );
if (!measured.every(({ isReached }) => isReached)) process.exitCode = 1;
