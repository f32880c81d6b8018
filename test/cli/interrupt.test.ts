// Ctrl-C as a process gets it.
import { spawn } from "node:child_process";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { findRuns } from "vibe-rl/runDir";
import { temporaryFolder } from "../temporary.js";
import { unhurried } from "../unhurried.js";

const program = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));

describe.skipIf(process.platform === "win32")("Ctrl-C", { timeout: 30_000 }, () => {
  it("ends a run with a checkpoint, code 130 and a word how to go on", async () => {
    const folder = temporaryFolder();
    const line = ["train", "gridworld_dqn", "--runner.total_timesteps", "50_000_000", "--base-dir", folder];
    const child = spawn(process.execPath, [...unhurried, program, ...line], {
      stdio: ["ignore", "pipe", "pipe"],
    });
    const [told, errors]: string[][] = [[], []];
    child.stderr.on("data", (text: Buffer) => void errors.push(String(text)));
    child.stdout.on("data", (text: Buffer) => {
      // The first line of progress: training has begun.
      if (String(text).includes("steps/s") && !told.join("").includes("steps/s")) child.kill("SIGINT");
      told.push(String(text));
    });
    const code = await new Promise((resolve) => child.once("exit", resolve));
    const [run] = findRuns(folder);
    expect(code).toBe(130);
    expect(errors.join("")).toContain("finishing this step and saving; Ctrl-C again stops at once");
    const step = run.latestCheckpoint?.step ?? 0;
    expect(step).toBeGreaterThan(0);
    const shown = path.relative(process.cwd(), run.root);
    expect(told.join("")).toContain(
      `stopped at step ${step.toLocaleString("en")}; go on with: vibe-rl resume ${shown}`,
    );
  });
});
