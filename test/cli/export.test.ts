// `vibe-rl export` as its users type it.
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { make } from "vibe-rl/env";
import { mlp } from "vibe-rl/nn";
import { exportPolicy, loadPolicy, type Policy } from "vibe-rl/policy";
import { findRuns, RunDir } from "vibe-rl/runDir";
import { trainPPO } from "vibe-rl/runner";
import { temporaryFolder } from "../temporary.js";
import { call } from "./host.js";

const short = [
  ...["--runner.total_timesteps", "128", "--runner.evalEvery", "64", "--runner.evalEpisodes", "2"],
  ...["--algo.n_steps=16", "--algo.num_envs", "2", "--algo.hidden_sizes", "(8, 8)"],
  ...["--algo.n-minibatches", "2", "--runner.checkpoint_interval", "64"],
];
const observations = Array.from({ length: 8 }, (_, row) =>
  Float32Array.from({ length: 4 }, (_, at) => Math.sin(3 * row + 2 * at)),
);

let base = "";
let run = "";
let policy: Policy;

beforeAll(async () => {
  base = mkdtempSync(path.join(tmpdir(), "vibe-rl-export-"));
  await call(["train", "cartpole_ppo", ...short, "--base-dir", base]);
  run = findRuns(base)[0].runId;
  policy = await loadPolicy(path.join(base, run), { step: 128 });
});
afterAll(() => rmSync(base, { recursive: true, force: true }));

const artifact = (name: string): string => path.join(base, run, "artifacts", name);

describe("export", () => {
  it("writes the policy beside the run's other files, and tells what and how large", async () => {
    for (const format of ["onnx", "safetensors"]) {
      const told = await call(["export", run, "--format", format, "--step", "128", "--base-dir", base]);
      const file = artifact(`policy.${format}`);
      const size = statSync(file).size.toLocaleString("en");
      expect(told).toMatchObject({
        code: 0,
        errors: [],
        lines: [
          "ppo policy of CartPole-v1, step 128: observations float32[4], actions Discrete(2)",
          `${path.relative(process.cwd(), file)}: ${size} bytes`,
        ],
      });
      const loaded = await loadPolicy(file);
      expect(loaded.actBatch(observations)).toEqual(policy.actBatch(observations));
      expect(loaded.metadata).toEqual(policy.metadata);
    }
    expect(policy.metadata).toMatchObject({
      algorithm: "ppo",
      environment: "CartPole-v1",
      step: 128,
      seed: 0,
    });
    expect(policy.metadata.evalReturn).toBeGreaterThan(0);
  });

  it("writes a module with types, where it is told to, and of a file as well", async () => {
    const output = path.join(temporaryFolder(), "deep", "agent.mjs");
    const file = artifact("policy.safetensors");
    const told = await call(["export", file, "--output", output]);
    expect([told.code, told.errors, told.lines.length]).toEqual([0, [], 3]);
    expect(existsSync(output.replace(".mjs", ".d.mts"))).toBe(true);
    const { actBatch } = (await import(pathToFileURL(output).href)) as {
      readonly actBatch: (list: unknown) => number[];
    };
    expect(actBatch(observations)).toEqual(policy.actBatch(observations));
  });

  it("takes the run behind flags that have no value", async () => {
    const output = path.join(temporaryFolder(), "sampling.js");
    const told = await call([
      "export",
      "--sample",
      run,
      "--base-dir",
      base,
      "--format",
      "js",
      "--output",
      output,
    ]);
    expect([told.code, told.errors]).toEqual([0, []]);
    expect(readFileSync(output, "utf8")).toContain("export function seed(");
  });

  it("says what is wrong, with exit code 2, and writes nothing", async () => {
    const wrong = async (...line: string[]) => {
      const { code, errors, lines } = await call(["export", ...line, "--base-dir", base]);
      expect([code, lines]).toEqual([2, []]);
      return errors.join("\n");
    };
    expect(await wrong()).toBe("vibe-rl export: which format? Give --format onnx|js|safetensors");
    expect(await wrong("--format", "onnx")).toMatch(/which run\?/);
    expect(await wrong(run)).toMatch(/which format\? Give --format onnx\|js\|safetensors/);
    expect(await wrong(run, "--format", "oonx")).toBe(
      'vibe-rl export: --format must be one of onnx, js, safetensors, got "oonx"; did you mean onnx?',
    );
    expect(await wrong("nope", "--format", "js")).toMatch(/there is no run "nope"/);
    expect(await wrong(run, "--format", "js", "--step", "7")).toMatch(
      /no checkpoint of step 7; it has steps 64, 128/,
    );
    expect(await wrong(run, "--format", "js", "--output", "x.onnx")).toBe(
      'vibe-rl export: --output must end in .js or .mjs, got "x.onnx"',
    );
    expect(await wrong(run, "--format", "js", "--batch", "3")).toMatch(
      /batch is for ONNX; leave it out for js/,
    );
    expect(await wrong(run, "--format", "safetensors", "--sample")).toMatch(/loadPolicy samples with/);
    expect(await wrong(run, "--fromat", "js")).toMatch(/no --fromat; did you mean --format\?/);
    const file = artifact("policy.safetensors");
    expect(await wrong(file, "--format", "safetensors")).toMatch(/would replace itself; give --output/);
  });

  it("says that networks of a program's own are exported by that program", async () => {
    const runDir = RunDir("own", { baseDir: temporaryFolder() });
    const [env, params] = make("CartPole-v1");
    const networks = { actor: mlp({ hiddenSizes: [4] }), critic: mlp({ hiddenSizes: [4] }) };
    const ppoConfig = { nSteps: 16, numEnvs: 2, nMinibatches: 1, nEpochs: 1 };
    await trainPPO(env, params, {
      ppoConfig,
      networks,
      runnerConfig: { totalTimesteps: 32, evalEpisodes: 1 },
      runDir,
    });
    const { code, errors } = await call(["export", runDir.root, "--format", "onnx"]);
    expect(code).toBe(2);
    expect(errors[0]).toMatch(/networks of its program's own.*; a program does that, with exportPolicy$/);
    const { bytes } = await exportPolicy(runDir, { format: "js", networks });
    expect(bytes.length).toBeGreaterThan(1000);
  });

  it("says that a file cannot be written", async () => {
    const blocked = path.join(base, run, "config.json", "policy.onnx");
    const { code, errors } = await call(["export", run, "--output", blocked, "--base-dir", base]);
    expect(code).toBe(1);
    expect(errors[0]).toMatch(/^Error: cannot write .*config\.json\/policy\.onnx: .*\((EEXIST|ENOTDIR)\)$/);
  });

  it("has help", async () => {
    const { code, lines } = await call(["export", "--help"]);
    expect(code).toBe(0);
    expect(lines[0]).toMatch(/^vibe-rl export <run> --format onnx\|js\|safetensors/);
  });
});
