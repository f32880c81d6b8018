// Do the presets learn? Trains each with several seeds, plays greedily, and compares with what they must reach:
// npm run test:learning, or npm run test:learning -- cartpole_ppo --seeds 3 --first 0 --episodes 20 --jobs 1
// With --curves <folder> it draws learning curves there.
import { spawn } from "node:child_process";
import os from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import "../build.mjs";
import { statistics, targets } from "./targets.mjs";

const { presets } = await import("../../dist/config/index.js");
const { drawCurve } = await import("./drawCurve.mjs");
const names = Object.keys(targets);

const refuse = (message) => {
  console.error(`test:learning: ${message}`);
  process.exit(2);
};

const options = {
  seeds: { type: "string", default: "20" },
  // Settings were chosen with smaller seeds.
  first: { type: "string", default: "2000" },
  episodes: { type: "string", default: "100" },
  jobs: { type: "string", default: String(os.availableParallelism()) },
  curves: { type: "string", default: "" },
};

function readArguments() {
  try {
    const { values: given, positionals } = parseArgs({ options, allowPositionals: true });
    const { curves, ...values } = given;
    for (const name of positionals) {
      if (!names.includes(name))
        refuse(`there is no preset ${JSON.stringify(name)}; there are ${names.join(", ")}`);
    }
    const numbers = Object.entries(values).map(([name, text]) => {
      const value = Number(text);
      const least = name === "first" ? 0 : 1;
      if (!Number.isInteger(value) || value < least)
        refuse(`--${name} must be a whole number from ${least}, got ${text}`);
      return [name, value];
    });
    return { chosen: positionals.length > 0 ? positionals : names, curves, ...Object.fromEntries(numbers) };
  } catch (error) {
    return refuse(error.message);
  }
}

const { chosen, curves, seeds: seedCount, first, episodes, jobs } = readArguments();
const seeds = Array.from({ length: seedCount }, (_, at) => first + at);

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

async function measure(name) {
  const { preset = name, measure: worth, bars, unit = "" } = targets[name];
  const { steps = presets[preset].config.runner.totalTimesteps } = targets[name];
  const groups = Array.from({ length: jobs }, (_, job) => seeds.filter((_, at) => at % jobs === job));
  const busy = groups.filter((group) => group.length > 0);
  const results = (await Promise.all(busy.map((group) => trainApart(name, steps, group)))).flat();
  results.sort((a, b) => a.seed - b.seed);
  if (curves !== "") drawCurve(path.join(curves, `learning_${name}.png`), name, results);
  const values = results.map(worth);
  const missed = Object.entries(bars).filter(([statistic, least]) => statistics[statistic](values) < least);
  const show = (x) => `${x.toFixed(Math.abs(x) < 10 ? 2 : 1)}${unit}`;
  return {
    isReached: missed.length === 0,
    each: values.map(show),
    row: [
      name,
      steps.toLocaleString("en"),
      String(values.length),
      show(statistics.median(values)),
      show(statistics.mean(values)),
      show(statistics.least(values)),
      Object.entries(bars)
        .map(([statistic, bar]) => `${statistic} ≥ ${bar}${unit}`)
        .join(", "),
      missed.length === 0 ? "reached" : "MISSED",
      statistics.mean(results.map(({ seconds }) => seconds)).toFixed(1),
    ],
  };
}

const head = ["preset", "steps", "seeds", "median", "mean", "least", "must reach", "", "s a seed"];
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
