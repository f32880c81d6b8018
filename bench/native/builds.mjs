// How long builds take with an empty cache and with a full one, and a whole run of the command line with a full one.
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { digits, row, timesOf } from "../measure.mjs";

const programs = 3;
const widths = [58, 12, 14];

/** As in bench/agents.mjs and limit.c: the preset itself has epochs for three times the time. */
const shortRun = "--algo.num_envs 4 --algo.n_steps 128 --algo.n_minibatches 4 --algo.n_epochs 4".split(" ");
const at = (file) => fileURLToPath(new URL(file, import.meta.url));

/** Runs a script with a cache of its own; returns what it printed. */
function node(script, args, folder) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, ...args], {
    ...{ encoding: "utf8", cwd: folder },
    env: { ...process.env, VIBE_RL_CACHE_DIR: path.join(folder, "cache") },
  });
  if (status !== 0) throw new Error(`${script} failed:\n${stderr.trim().split("\n").slice(-5).join("\n")}`);
  return stdout;
}

const readyTimes = (folder) =>
  node(at("build.mjs"), [String(programs)], folder)
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));

/** The best of each figure. */
const best = (times) => ({
  ms: Math.min(...times.map(({ ms }) => ms)),
  processorMs: Math.min(...times.map(({ processorMs }) => processorMs)),
});

/** Prints how long builds take, and returns it. */
export async function builds(word, print) {
  const folder = mkdtempSync(path.join(tmpdir(), "vibe-rl-bench-"));
  const found = {};
  const tell = (name, label, times) => {
    found[name] = best(times);
    const { ms, processorMs } = found[name];
    print(row(widths, [label, digits(ms), Number.isNaN(processorMs) ? "–" : digits(processorMs)]));
  };
  print(row(widths, ["builds", "ms", "processor ms"]));
  try {
    if ("program".includes(word)) {
      const cold = readyTimes(folder);
      const warm = [readyTimes(folder), readyTimes(folder)];
      tell("cold", "PPO, empty cache, the first program of a process", cold.slice(0, 1));
      tell("nextCold", "PPO, empty cache, later ones", cold.slice(1));
      const firsts = warm.map(([first]) => first);
      tell("warm", "PPO, full cache, the first program of a process", firsts);
      tell(
        "nextWarm",
        "PPO, full cache, later ones",
        warm.flat().filter((times) => !firsts.includes(times)),
      );
    }
    if ("train".includes(word)) {
      const cli = at("../../dist/cli/main.js");
      for (const [name, label, settings] of [
        ["train", "train cartpole_ppo, 4 × 4 minibatches", shortRun],
        ["trainPreset", "train cartpole_ppo, as it is", []],
      ]) {
        const train = () => {
          const args = ["train", "cartpole_ppo", "--runner.device", "native", ...settings];
          return timesOf(() => node(cli, args, folder));
        };
        tell(`${name}First`, `${label}: the first run`, [train()]);
        tell(name, `${label}: later ones`, [train(), train(), train()]);
      }
      if (!existsSync(path.join(folder, "runs"))) throw new Error(`the runs have left no files in ${folder}`);
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return found;
}
