// Every file of a run directory, damaged in several ways: commands succeed or say what is wrong, in words, and lose
// nothing.
import { cpSync, lstatSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { findRuns } from "vibe-rl/runDir";
import { linesOf } from "../runner/small.js";
import { temporaryFolder, warningsOf } from "../temporary.js";
import { call } from "./host.js";

const short = [
  ...["--runner.total_timesteps", "128", "--runner.log-interval", "32", "--runner.evalEvery", "64"],
  ...["--algo.n_steps=16", "--algo.num_envs", "2", "--algo.hidden_sizes", "8", "--runner.plot", "false"],
  ...["--algo.n-minibatches", "2", "--runner.checkpoint_interval", "32", "--runner.evalEpisodes", "2"],
  ...["--algo.n_epochs", "4", "--algo.lr", "2.5e-4", "--algo.gamma", "0.99", "--algo.gae_lambda", "0.98"],
  ...["--algo.ent_coef", "0.01", "--algo.clip_schedule", "constant"],
];

let base = "";
let trained = "";

beforeAll(async () => {
  base = mkdtempSync(path.join(tmpdir(), "vibe-rl-damage-"));
  await call(["train", "cartpole_ppo", ...short, "--base-dir", base]);
  trained = findRuns(base)[0].root;
});
afterAll(() => rmSync(base, { recursive: true, force: true }));

/** The files of a folder by their paths in it. */
const filesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) =>
    lstatSync(path.join(folder, name)).isFile(),
  );

const contentsOf = (folder: string): Record<string, string> =>
  Object.fromEntries(filesIn(folder).map((name) => [name, readFileSync(path.join(folder, name), "hex")]));

const damages: Readonly<Record<string, (file: string) => void>> = {
  "cut in half": (file) => truncateSync(file, Math.floor(lstatSync(file).size / 2)),
  "made of zeros": (file) => writeFileSync(file, Buffer.alloc(lstatSync(file).size)),
  "with one bit changed": (file) => {
    const bytes = readFileSync(file);
    bytes[Math.floor(bytes.length / 3)] ^= 4;
    writeFileSync(file, bytes);
  },
  gone: (file) => rmSync(file),
  "a folder": (file) => {
    rmSync(file);
    mkdirSync(file);
  },
  "a link to itself": (file) => {
    rmSync(file);
    symlinkSync(path.basename(file), file);
  },
};

/** Errors as JavaScript and the system tell them. */
const raw = /TypeError|RangeError|SyntaxError|E[A-Z]{3,}: |undefined|\[object/;

describe.skipIf(process.platform === "win32")("a run directory with every file", { timeout: 60_000 }, () => {
  it.each(Object.entries(damages))("%s", async (_, damage) => {
    const expected = linesOf(path.join(trained, "logs", "metrics.jsonl"));
    const root = path.join(temporaryFolder(), "run");
    for (const name of filesIn(trained)) {
      rmSync(root, { recursive: true, force: true });
      cpSync(trained, root, { recursive: true, verbatimSymlinks: true });
      damage(path.join(root, name));
      const before = contentsOf(root);
      await warningsOf("", async () => {
        for (const line of [
          ["eval", root],
          ["plot", root, "--output", path.join(root, "..", "x.svg")],
        ]) {
          const { code, errors } = await call(line);
          expect([name, line[0], raw.test(errors.join()), errors.length > 0]).toEqual([
            ...[name, line[0], false, code !== 0],
          ]);
        }
        expect(contentsOf(root)).toEqual(before);
        const { code, errors } = await call(["resume", root]);
        expect([name, raw.test(errors.join()), errors.length > 0]).toEqual([name, false, code !== 0]);
        if (code !== 0) expect([name, contentsOf(root)]).toEqual([name, before]);
        else expect([name, linesOf(path.join(root, "logs", "metrics.jsonl"))]).toEqual([name, expected]);
      });
    }
  });
});
