// Disks that fail: every step of writing a checkpoint fails once, and what was there stays.
import fs from "node:fs";
import path from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { np } from "vibe-rl/array";
import {
  bestCheckpoint,
  CheckpointManager,
  initializeCheckpointDir,
  loadCheckpoint,
  markBest,
  saveCheckpoint,
  saveTree,
} from "vibe-rl/checkpoint";
import { mockDisk } from "../disk.js";
import { temporaryFolder } from "../temporary.js";

type AnyFunction = (...args: never[]) => unknown;

mockDisk("mkdirSync", "openSync", "writeSync", "fsyncSync", "renameSync", "rmSync", "symlinkSync");
const { fsync } = fs;
vi.spyOn(fs, "fsync").mockImplementation(fsync);

const failure = (code: string): Error => Object.assign(new Error(`${code}: it failed`), { code });

/** Makes the n-th call of a function of node:fs from now on fail, once. */
function failAt(
  name: "mkdirSync" | "openSync" | "writeSync" | "fsyncSync" | "renameSync",
  call: number,
  code: string,
) {
  const mock = vi.mocked(fs[name] as AnyFunction);
  const original = mock.getMockImplementation() as AnyFunction;
  let calls = 0;
  mock.mockImplementation((...args) => {
    if (++calls === call) throw failure(code);
    return original(...args);
  });
  return () => {
    mock.mockImplementation(original);
    return calls;
  };
}

afterEach(() => vi.clearAllMocks());

describe("a write that fails", () => {
  const cases = [
    ["mkdirSync", "EACCES", /permission denied; choose another directory/],
    ["openSync", "EMFILE", /too many files are open/],
    ["writeSync", "ENOSPC", /the disk is full; free some space/],
    ["fsyncSync", "EIO", /the disk reported an error/],
    ["renameSync", "EROFS", /read-only; choose another directory/],
  ] as const;
  for (const [name, code, message] of cases) {
    it(`leaves the older checkpoint as it was: ${name} with ${code}`, () => {
      const dir = temporaryFolder();
      saveCheckpoint(dir, { w: np.ones([4]), n: 1 }, { step: 1 });
      let failures = 0;
      for (let call = 1; ; call++) {
        const restore = failAt(name, call, code);
        let error: unknown = null;
        try {
          saveCheckpoint(dir, { w: np.ones([4]), n: 2 }, { step: 1 });
        } catch (thrown) {
          error = thrown;
        }
        const calls = restore();
        if (calls < call) break;
        failures++;
        expect(String(error)).toMatch(message);
        expect(String(error)).toMatch(/saveCheckpoint: cannot write .*step_1/);
        // The very last flush fails when the new one is in place already.
        expect([1, 2]).toContain(loadCheckpoint(dir, { w: np.ones([4]), n: 0 }).n);
        saveCheckpoint(dir, { w: np.ones([4]), n: 1 }, { step: 1 });
        expect(fs.readdirSync(dir)).toEqual(["step_1"]);
      }
      expect(failures).toBeGreaterThan(0);
    });
  }

  it("leaves the older file of saveTree as it was", () => {
    const file = path.join(temporaryFolder(), "w.safetensors");
    saveTree(file, { n: 1 });
    const before = fs.readFileSync(file);
    const restore = failAt("writeSync", 2, "ENOSPC");
    expect(() => saveTree(file, { n: 2 })).toThrow(/saveTree: cannot write .*the disk is full/);
    restore();
    expect(fs.readFileSync(file)).toEqual(before);
    expect(fs.readdirSync(path.dirname(file))).toEqual(["w.safetensors"]);
  });

  it("is continued where a write took only a part", () => {
    const dir = temporaryFolder();
    const mock = vi.mocked(fs.writeSync as AnyFunction);
    const original = mock.getMockImplementation() as (...args: unknown[]) => number;
    mock.mockImplementation((file: number, bytes: Uint8Array, offset: number, length: number) =>
      original(file, bytes, offset, Math.min(length, 7)),
    );
    saveCheckpoint(dir, { w: np.arange(100) }, { step: 1 });
    mock.mockImplementation(original);
    expect(
      loadCheckpoint(dir, { w: np.arange(100) })
        .w.data()
        .at(-1),
    ).toBe(99);
  });

  it("in the background is reported by wait", async () => {
    const manager = CheckpointManager(temporaryFolder());
    vi.mocked(fs.fsync).mockImplementationOnce((_, done) => setImmediate(done, failure("ENOSPC")));
    manager.save(1, { n: 1 });
    await expect(manager.wait()).rejects.toThrow(
      /CheckpointManager\.save: cannot write .*step_1: the disk is full/,
    );
    expect(fs.readdirSync(manager.directory)).toEqual([]);
    manager.save(2, { n: 2 });
    await manager.close();
    expect(manager.allSteps()).toEqual([2]);
  });

  it("in the background that never ends runs into the timeout", async () => {
    const manager = CheckpointManager(temporaryFolder(), { timeoutMs: 5 });
    vi.mocked(fs.fsync).mockImplementationOnce(() => undefined);
    manager.save(1, { n: 1 });
    await expect(manager.wait()).rejects.toThrow(
      /1 checkpoints are not written .* after 5 ms; check the disk/,
    );
  });

  it("makes initializeCheckpointDir say where", () => {
    const restore = failAt("mkdirSync", 1, "EROFS");
    expect(() => initializeCheckpointDir("somewhere")).toThrow(/cannot write to .*somewhere: .*read-only/);
    restore();
  });
});

describe("markBest", () => {
  it("falls back to a small file where links are not allowed", () => {
    const dir = temporaryFolder();
    for (const step of [1, 2]) saveCheckpoint(dir, {}, { step });
    for (const step of [1, 2]) {
      vi.mocked(fs.symlinkSync).mockImplementationOnce(() => {
        throw failure("EPERM");
      });
      markBest(dir, step);
      expect(fs.readFileSync(path.join(dir, "best"), "utf8")).toBe(`step_${step}\n`);
      expect(bestCheckpoint(dir)).toEqual({ step, path: path.join(dir, `step_${step}`) });
    }
    markBest(dir, 1);
    expect(fs.readlinkSync(path.join(dir, "best"))).toBe("step_1");
    expect(fs.readdirSync(dir)).toEqual(["best", "step_1", "step_2"]);
  });
});

describe.skipIf(process.getuid?.() === 0 || process.platform === "win32")("a read-only directory", () => {
  it("is refused, and says what to do", () => {
    const dir = temporaryFolder();
    fs.chmodSync(dir, 0o500);
    expect(() => saveCheckpoint(dir, {}, { step: 1 })).toThrow(/permission denied; choose another directory/);
    fs.chmodSync(dir, 0o700);
    expect(fs.readdirSync(dir)).toEqual([]);
  });
});
