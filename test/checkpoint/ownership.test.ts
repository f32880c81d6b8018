// Only what we have written is removed, and what only looks like ours is recognised.
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { np } from "vibe-rl/array";
import {
  CheckpointManager,
  findCheckpoint,
  initializeCheckpointDir,
  listCheckpoints,
  loadCheckpoint,
  saveCheckpoint,
} from "vibe-rl/checkpoint";
import { RunDir } from "vibe-rl/runDir";
import { temporaryFolder, warningsOf } from "../temporary.js";

const tree = { w: np.array([1, 2, 3]) };

/** A folder of somebody else that has the name of a checkpoint. */
function foreign(dir: string, step: number, name = "thesis.tex"): string {
  const folder = path.join(dir, `step_${step}`);
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, name), "years of work");
  return folder;
}

describe("folders that only have the name of a checkpoint", () => {
  it("survive overwrite, with a word", async () => {
    const dir = temporaryFolder();
    for (const step of [1, 3]) saveCheckpoint(dir, tree, { step });
    const theirs = [foreign(dir, 2), foreign(dir, 4, "checkpoint.json"), path.join(dir, "step_5")];
    mkdirSync(theirs[2]);
    const warnings = await warningsOf("CheckpointWarning", () => {
      expect(initializeCheckpointDir(dir, { overwrite: true }).step).toBe(null);
    });
    expect(readdirSync(dir)).toEqual(["step_2", "step_4", "step_5"]);
    expect(readdirSync(theirs[0])).toEqual(["thesis.tex"]);
    expect(warnings).toHaveLength(3);
    expect(warnings.join()).toMatch(/step_2 has the name of a checkpoint but is none of ours; it is left/);
  });

  it("survive retention, and do not count", async () => {
    const dir = temporaryFolder();
    for (const step of [1, 2, 999]) foreign(dir, step);
    const manager = CheckpointManager(dir, { maxToKeep: 2 });
    for (const step of [10, 20, 30, 40]) manager.save(step, tree);
    await manager.close();
    expect(listCheckpoints(dir).map(({ step }) => step)).toEqual([1, 2, 30, 40, 999]);
    expect(readdirSync(path.join(dir, "step_1"))).toEqual(["thesis.tex"]);
  });

  it("survive the cleaning up of a run directory", () => {
    const run = RunDir("a", { baseDir: temporaryFolder() });
    foreign(run.checkpoints, 1);
    for (const step of [2, 3, 4]) saveCheckpoint(run.checkpoints, tree, { step });
    expect(run.cleanupCheckpoints(1)).toEqual([2, 3]);
    expect(readdirSync(run.checkpoints)).toEqual(["step_1", "step_4"]);
  });
});

describe("checkpoints with something else in them", () => {
  it("are not overwritten, nor is anything beside them", () => {
    const dir = temporaryFolder();
    for (const step of [1, 2]) saveCheckpoint(dir, tree, { step });
    writeFileSync(path.join(dir, "step_2", "notes.txt"), "mine");
    expect(() => initializeCheckpointDir(dir, { overwrite: true })).toThrow(
      /step_2 is a checkpoint with other things in it \(notes\.txt\).*nothing was removed/,
    );
    expect(readdirSync(dir)).toEqual(["step_1", "step_2"]);
  });

  it("are kept by retention", async () => {
    const dir = temporaryFolder();
    saveCheckpoint(dir, tree, { step: 1 });
    writeFileSync(path.join(dir, "step_1", "notes.txt"), "mine");
    const manager = CheckpointManager(dir, { maxToKeep: 1 });
    for (const step of [2, 3]) manager.save(step, tree);
    await manager.close();
    expect(readdirSync(dir)).toEqual(["step_1", "step_3"]);
  });
});

it("folders with the name of one of our files, but not our words in it, are not saved over", () => {
  const dir = temporaryFolder();
  const folder = foreign(dir, 4, "checkpoint.json");
  expect(() => saveCheckpoint(dir, tree, { step: 4 })).toThrow(
    /step_4 is a directory with other things \(checkpoint\.json\), not a checkpoint, and is left/,
  );
  expect(readFileSync(path.join(folder, "checkpoint.json"), "utf8")).toBe("years of work");
});

it("damaged checkpoints of ours are overwritten all the same", () => {
  const dir = temporaryFolder();
  for (const step of [0, 1, 2, 3]) saveCheckpoint(dir, tree, { step });
  for (const name of readdirSync(path.join(dir, "step_0")))
    writeFileSync(path.join(dir, "step_0", name), "\0\0");
  writeFileSync(path.join(dir, "step_1", "checkpoint.json"), "rubbish");
  const manifest = path.join(dir, "step_2", "checkpoint.json");
  writeFileSync(manifest, readFileSync(manifest, "utf8").slice(0, 60));
  writeFileSync(path.join(dir, "step_2", "tensors.safetensors"), "");
  initializeCheckpointDir(dir, { overwrite: true });
  expect(readdirSync(dir)).toEqual([]);
});

describe.skipIf(process.platform === "win32")("links", () => {
  it("that lead round in a circle or nowhere are no checkpoints, and are not written through", () => {
    const dir = temporaryFolder();
    symlinkSync("step_8", path.join(dir, "step_8"));
    symlinkSync("nowhere", path.join(dir, "step_9"));
    saveCheckpoint(dir, tree, { step: 1 });
    expect(listCheckpoints(dir).map(({ step }) => step)).toEqual([1]);
    expect(findCheckpoint(dir)?.step).toBe(1);
    for (const step of [8, 9]) {
      expect(() => saveCheckpoint(dir, tree, { step })).toThrow(/is a symbolic link, not a checkpoint/);
    }
  });

  it("to a folder elsewhere are read but not removed", async () => {
    const [dir, elsewhere] = [temporaryFolder(), temporaryFolder()];
    saveCheckpoint(elsewhere, tree, { step: 1 });
    symlinkSync(path.join(elsewhere, "step_1"), path.join(dir, "step_1"));
    expect(loadCheckpoint(dir, tree).w.toArray()).toEqual([1, 2, 3]);
    const manager = CheckpointManager(dir, { maxToKeep: 1 });
    for (const step of [2, 3]) manager.save(step, tree);
    await manager.close();
    expect(readdirSync(dir)).toEqual(["step_1", "step_3"]);
    expect(existsSync(path.join(elsewhere, "step_1", "checkpoint.json"))).toBe(true);
  });
});

it("what contains itself, or JSON cannot hold, is refused by its path", () => {
  const dir = temporaryFolder();
  const round: { list: unknown[] } = { list: [] };
  round.list.push({ round });
  expect(() => saveCheckpoint(dir, round)).toThrow(/saveCheckpoint: list\[0\]\.round contains itself/);
  expect(() => saveCheckpoint(dir, tree, { metadata: { round } })).toThrow(
    /metadata\.round\.list\[0\]\.round contains itself/,
  );
  expect(() => saveCheckpoint(dir, tree, { metadata: { n: 10n } })).toThrow(/metadata\.n is a bigint/);
  expect(() => saveCheckpoint(dir, { n: 10n })).toThrow(/n is a bigint/);
  expect(readdirSync(dir)).toEqual([]);
});

it("a file where the directory should be is told in words", () => {
  const file = path.join(temporaryFolder(), "file");
  writeFileSync(file, "");
  expect(() => listCheckpoints(file)).toThrow(
    /cannot look for checkpoints in .*file: a file is where a directory/,
  );
});

describe("a manifest whose checksum is right but nothing else", () => {
  const forge = (change: (manifest: Record<string, unknown>) => void): string => {
    const dir = temporaryFolder();
    saveCheckpoint(dir, tree, { step: 5, metadata: { note: "true" } });
    const file = path.join(dir, "step_5", "checkpoint.json");
    const { checksum: _, ...manifest } = JSON.parse(readFileSync(file, "utf8")) as Record<string, unknown>;
    change(manifest);
    const checksum = createHash("sha256").update(JSON.stringify(manifest)).digest("hex");
    writeFileSync(file, JSON.stringify({ ...manifest, checksum }));
    return dir;
  };

  it.each<[string, unknown]>([
    ["step", "five"],
    ["step", -1],
    ["step", 6],
    ["metadata", null],
    ["metadata", []],
    ["score", {}],
    ["tree", null],
    ["tree", { list: 3 }],
    ["tree", { object: { w: { array: "float128", shape: [3] } } }],
    ["tree", { object: { w: { array: "float32", shape: [-3] } } }],
    ["files", null],
    ["files", {}],
  ])("is damaged: %s is %j", (field, value) => {
    const dir = forge((manifest) => {
      manifest[field] = value;
    });
    expect(() => loadCheckpoint(dir, tree)).toThrow(/step_5 is not a whole checkpoint/);
  });
});
