// Weights & Biases, with a stand-in for its package.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { beforeEach, describe, expect, it, vi } from "vitest";
import type * as metrics from "vibe-rl/metrics";
import { WandbBackend as withoutPackage } from "vibe-rl/metrics";
import { temporaryFolder } from "../temporary.js";
import { builtWithWandb } from "./wandbStandIn.js";

const run = { id: "abc123", log: vi.fn(), finish: vi.fn(() => Promise.resolve()) };
const init = vi.fn((_options: object) => Promise.resolve(run));
const { resumeWandb, WandbBackend } = await builtWithWandb<typeof metrics>("exports/metrics.js", init);

beforeEach(() => {
  vi.clearAllMocks();
});

describe("WandbBackend", () => {
  it("starts a run, remembers its id, logs numbers and finishes", async () => {
    const dir = temporaryFolder();
    const backend = await WandbBackend({ project: "cartpole", dir, name: "first", config: { lr: 1 } });
    expect(init).toHaveBeenCalledWith({ project: "cartpole", dir, name: "first", config: { lr: 1 } });
    expect([backend.id, readFileSync(path.join(dir, "wandb_id.txt"), "utf8")]).toEqual([
      "abc123",
      "abc123\n",
    ]);
    backend.log({ step: 5, loss: 1, eval: { mean: NaN }, text: "x", wall_time: 0 }, 5);
    expect(run.log).toHaveBeenCalledWith({ loss: 1, "eval/mean": "NaN" }, 5);
    await backend.close();
    expect(run.finish).toHaveBeenCalledOnce();
  });

  it("goes on with the run in wandb_id.txt", async () => {
    const dir = temporaryFolder();
    writeFileSync(path.join(dir, "wandb_id.txt"), "old42\n");
    await resumeWandb({ project: "cartpole", dir });
    expect(init).toHaveBeenCalledWith({ project: "cartpole", dir, id: "old42", resume: "must" });
  });

  it("says what is missing: the id, the package, the key", async () => {
    const dir = temporaryFolder();
    await expect(resumeWandb({ project: "p", dir })).rejects.toThrow(
      /cannot read .*wandb_id\.txt.*WandbBackend\?/,
    );
    writeFileSync(path.join(dir, "wandb_id.txt"), "");
    await expect(resumeWandb({ project: "p", dir })).rejects.toThrow(/is empty/);
    init.mockRejectedValueOnce(new Error("no API key"));
    const other = temporaryFolder();
    await expect(WandbBackend({ project: "p", dir: other })).rejects.toThrow(/no API key.*WANDB_API_KEY/);
    await expect(withoutPackage({ project: "p", dir: other })).rejects.toThrow(/`npm install @wandb\/sdk`/);
    expect(existsSync(path.join(other, "wandb_id.txt"))).toBe(false);
  });
});
