// The command line with an environment of the user's own, which a file registers.
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, it } from "vitest";
import { findRuns } from "vibe-rl/runDir";
import { call } from "./host.js";
import { unhurried } from "../unhurried.js";

const program = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));

/** A walk along a line that ends at its right end. */
const line = `
import { np } from "vibe-rl/array";
import { Box, Discrete, register } from "vibe-rl/env";

register("CliLine-v0", () => ({
  name: "CliLine",
  defaultParams: () => ({ maxSteps: np.int32(8) }),
  observationSpace: () => Box({ low: -10, high: 10, shape: [1] }),
  actionSpace: () => Discrete(2),
  reset: () => {
    const state = { at: np.float32(0), steps: np.int32(0) };
    return [state.at.reshape([1]), state];
  },
  step: (key, state, action, params) => {
    const at = state.at.add(action.astype("float32").mul(2).sub(1));
    const steps = state.steps.add(1);
    const terminated = at.greaterEqual(3);
    const truncated = steps.greaterEqual(params.maxSteps);
    const next = { at, steps };
    return [at.reshape([1]), next, terminated.astype("float32"), terminated.or(truncated), { terminated, truncated }];
  },
  render: ({ at }) =>
    \`<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><rect x="\${at.item()}" width="4" height="4"/></svg>\`,
}));
`;

const short = [
  ...["--runner.total_timesteps", "32", "--runner.log_interval", "16", "--runner.eval_every", "32"],
  ...["--runner.eval_episodes", "2", "--algo.n_steps", "8", "--algo.num_envs", "2", "--runner.plot", "false"],
  ...["--algo.hidden_sizes", "(4)", "--algo.n_minibatches", "1"],
];

let folder = "";
let file = "";
let run = "";

beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), "vibe-rl-imports-"));
  file = path.join(folder, "line.mjs");
  writeFileSync(file, line);
  const words = ["train", "ppo", "--env_id", "CliLine-v0", "--import", path.relative(process.cwd(), file)];
  const { code, errors } = await call([...words, ...short, "--base-dir", folder]);
  expect([code, errors]).toEqual([0, []]);
  run = findRuns(folder)[0].root;
});

describe("train <algorithm> --env_id --import", () => {
  it("trains a registered environment from the algorithm's defaults, and records where it comes from", () => {
    const config = JSON.parse(readFileSync(path.join(run, "config.json"), "utf8")) as object;
    expect(config).toMatchObject({
      ...{ preset: null, env_id: "CliLine-v0", algo: "ppo", imports: [file] },
      algo_config: { n_steps: 8, gamma: 0.99, hidden_sizes: [4] },
    });
    expect(path.basename(run)).toMatch(/^CliLine-v0_ppo_/);
  });

  it("evaluates, draws and goes on without being told the file again", async () => {
    const evaluated = await call(["eval", run]);
    expect([evaluated.code, evaluated.errors]).toEqual([0, []]);
    expect(evaluated.lines[0]).toMatch(/^step 32, 2 episodes: return [01]/);
    const drawn = await call(["video", run]);
    expect([drawn.code, drawn.errors]).toEqual([0, []]);
    expect(existsSync(path.join(run, "videos", "step_32.gif"))).toBe(true);
    const longer = await call(["resume", run, "--runner.total_timesteps", "48"]);
    expect([longer.code, longer.errors]).toEqual([0, []]);
    expect(longer.written).toContain("48/48");
  });

  it("says which file is gone, and takes it from where it is now", async () => {
    const moved = path.join(folder, "moved.mjs");
    renameSync(file, moved);
    try {
      const lost = await call(["eval", run]);
      expect(lost.code).toBe(2);
      expect(lost.errors[0]).toContain(`there is no file ${file}, which has registered the environment`);
      // It is registered in this process already, so that a file with nothing in it will do.
      writeFileSync(moved, "export {};");
      const found = await call(["resume", run, "--import", moved, "--runner.total_timesteps", "64"]);
      expect([found.code, found.errors]).toEqual([0, []]);
      const { imports } = JSON.parse(readFileSync(path.join(run, "config.json"), "utf8")) as {
        imports: string[];
      };
      expect(imports).toEqual([moved]);
    } finally {
      writeFileSync(file, line);
    }
  });

  it("trains in a process of its own", () => {
    const words = [program, "train", "ppo", "--env_id", "CliLine-v0", "--import", "./line.mjs", ...short];
    const { status, stderr } = spawnSync(process.execPath, [...unhurried, ...words], {
      cwd: folder,
      encoding: "utf8",
    });
    expect([status, stderr]).toEqual([0, expect.any(String)]);
    expect(findRuns(path.join(folder, "runs"))).toHaveLength(1);
  });

  it("works with presets and in sweeps", async () => {
    const base = path.join(folder, "sweep");
    const words = ["train", "cartpole_ppo", "--env-id", "CliLine-v0", "--import", file, "--seeds", "0..1"];
    const { code, errors } = await call([...words, ...short, "--base-dir", base]);
    expect([code, errors]).toEqual([0, []]);
    const [first] = findRuns(base);
    expect(first.loadConfig()).toMatchObject({ preset: "cartpole_ppo", imports: [file] });
    expect(findRuns(base)).toHaveLength(2);
  });

  it("refuses what cannot be loaded or is not there with code 2, and makes no directory", async () => {
    const throws = path.join(folder, "throws.mjs");
    writeFileSync(throws, 'throw new TypeError("the board is missing");');
    const base = path.join(folder, "none");
    const cases: readonly (readonly [string[], string])[] = [
      [[], "ppo on which environment? Say it with --env_id"],
      [["--env_id", "CliLin-v0", "--import", file], 'there is no environment "CliLin-v0"; the nearest'],
      [["--env_id", "CliLin-v0"], "which --import FILE loads"],
      [["--env_id", "X", "--import", "./absent.js"], `there is no file ${path.resolve("absent.js")}`],
      [["--env_id", "X", "--import", "absent-games"], "nor a package absent-games that is installed here"],
      [
        ["--env_id", "X", "--import", throws],
        `${throws} could not be loaded: TypeError: the board is missing`,
      ],
      [["--env_id", "X", "--import"], "--import takes a file"],
    ];
    for (const [words, message] of cases) {
      const { code, errors } = await call(["train", "ppo", ...words, "--base-dir", base]);
      expect([code, errors.join()]).toEqual([2, expect.stringContaining(message)]);
    }
    expect(existsSync(base)).toBe(false);
  });

  it("loads TypeScript where Node strips types, and says elsewhere what to do", () => {
    const typed = path.join(folder, "typed.ts");
    writeFileSync(typed, 'const board: string = "the typed board is missing";\nthrow new Error(board);\n');
    // As a program: here in the tests TypeScript is loaded by the test runner.
    const words = [program, "train", "ppo", "--env_id", "X", "--import", "./typed.ts", "--base-dir", "none"];
    const { status, stderr } = spawnSync(process.execPath, [...unhurried, ...words], {
      cwd: folder,
      encoding: "utf8",
    });
    const strips = "typescript" in process.features && process.features.typescript !== false;
    expect([status, stderr]).toEqual([
      2,
      expect.stringContaining(
        strips
          ? "typed.ts could not be loaded: Error: the typed board is missing"
          : `typed.ts is TypeScript, which this Node (${process.version}) does not load: compile it (npx tsc) and import ` +
              "the .js file, or take Node 22.18 or newer",
      ),
    ]);
    expect(existsSync(path.join(folder, "none"))).toBe(false);
  });

  it("lists an algorithm's settings", async () => {
    const { lines } = await call(["train", "dqn", "--help"]);
    const text = lines.join("\n");
    expect(text).toMatch(/--env_id +text +required/);
    expect(text).toContain("--algo.epsilon_start");
    expect(text).toContain("--import");
  });
});
