// Saving and loading checkpoints: bits, templates, damage, and what is left alone.
import {
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { np, tree, type Array } from "vibe-rl/array";
import {
  CheckpointError,
  findCheckpoint,
  loadCheckpoint,
  loadMetadata,
  saveCheckpoint,
} from "vibe-rl/checkpoint";
import { temporaryFolder, warningsOf } from "../temporary.js";
import { readable, sampleTree } from "./trees.js";

describe("saveCheckpoint and loadCheckpoint", () => {
  it("give back every bit of every dtype, and the plain values", () => {
    const dir = temporaryFolder();
    const saved = sampleTree(3);
    expect(saveCheckpoint(dir, saved, { step: 10 })).toBe(path.join(dir, "step_10"));
    expect(readdirSync(dir)).toEqual(["step_10"]);
    expect(readdirSync(path.join(dir, "step_10"))).toEqual(["checkpoint.json", "tensors.safetensors"]);
    expect(readable(loadCheckpoint(dir, sampleTree(0)))).toEqual(readable(saved));
  });

  it("keep NaN patterns, negative zero and weak types", () => {
    const dir = temporaryFolder();
    const nan = new Float32Array(new Uint32Array([0x7fc00001, 0xffc12345]).buffer);
    const saved = {
      x: np.array(Float32Array.of(-0, Infinity)),
      nan,
      zero: -0,
      weak: np.where(np.bool(true), 1, 0),
    };
    saveCheckpoint(dir, saved, { step: 0 });
    const loaded = loadCheckpoint(dir, saved);
    expect([...new Uint32Array(loaded.nan.buffer)]).toEqual([0x7fc00001, 0xffc12345]);
    expect(Object.is(loaded.zero, -0)).toBe(true);
    expect([...loaded.x.data()]).toEqual([-0, Infinity]);
    expect(loaded.weak.weakType).toBe(saved.weak.weakType);
  });

  it("take the newest step, or the one that is asked for", () => {
    const dir = temporaryFolder();
    for (const step of [2, 10, 9]) saveCheckpoint(dir, { n: step }, { step, metadata: { epoch: step / 2 } });
    expect(loadCheckpoint(dir, { n: 0 })).toEqual({ n: 10 });
    expect(loadCheckpoint(dir, { n: 0 }, { step: 2 })).toEqual({ n: 2 });
    expect([loadMetadata(dir), loadMetadata(dir, { step: 9 })]).toEqual([{ epoch: 5 }, { epoch: 4.5 }]);
    expect(findCheckpoint(dir)).toEqual({
      step: 10,
      path: path.join(dir, "step_10"),
      metadata: { epoch: 5 },
    });
    expect(() => loadCheckpoint(dir, { n: 0 }, { step: 3 })).toThrow(
      /no checkpoint of step 3; it has steps 2, 9, 10/,
    );
  });

  it("work without a step, on the directory itself", () => {
    const dir = path.join(temporaryFolder(), "deep", "model");
    saveCheckpoint(dir, { n: 1 });
    saveCheckpoint(dir, { n: 2 }, { metadata: { a: 1 } });
    expect(loadCheckpoint(dir, { n: 0 })).toEqual({ n: 2 });
    expect(loadMetadata(dir)).toEqual({ a: 1 });
    expect(findCheckpoint(dir)?.step).toBe(null);
  });

  it("replace a checkpoint of the same step", () => {
    const dir = temporaryFolder();
    saveCheckpoint(dir, { n: 1 }, { step: 5 });
    saveCheckpoint(dir, { n: 2 }, { step: 5 });
    expect(loadCheckpoint(dir, { n: 0 })).toEqual({ n: 2 });
    expect(readdirSync(dir)).toEqual(["step_5"]);
  });

  it("keep a copy: the tree may change at once", () => {
    const dir = temporaryFolder();
    const ring = Float32Array.of(1, 2);
    saveCheckpoint(dir, { ring }, { step: 1 });
    ring.fill(9);
    expect(loadCheckpoint(dir, { ring }).ring).toEqual(Float32Array.of(1, 2));
  });

  it("keep classes that take part in trees", () => {
    class Pair {
      constructor(
        readonly left: Array,
        readonly right: Array,
      ) {}
    }
    tree.register(Pair, {
      flatten: ({ left, right }) => [[left, right], null],
      unflatten: ([left, right]: Array[]) => new Pair(left, right),
    });
    const dir = temporaryFolder();
    saveCheckpoint(dir, { pair: new Pair(np.ones([2]), np.zeros([1])) }, { step: 1 });
    const { pair } = loadCheckpoint(dir, { pair: new Pair(np.zeros([2]), np.zeros([1])) });
    expect(pair).toBeInstanceOf(Pair);
    expect(pair.left.toArray()).toEqual([1, 1]);
  });

  it("drop and add the leading device axis", () => {
    const dir = temporaryFolder();
    const replicated = {
      w: np.array([
        [1, 2],
        [3, 4],
      ]),
      step: np.int32([7, 7]),
      n: 3,
    };
    saveCheckpoint(dir, replicated, { step: 1, unreplicate: true });
    const single = loadCheckpoint(dir, { w: np.zeros([2]), step: np.int32(0), n: 0 });
    expect([single.w.toArray(), single.step.item(), single.n]).toEqual([[1, 2], 7, 3]);
    const three = loadCheckpoint(dir, { w: np.zeros([2]), step: np.int32(0), n: 0 }, { replicateTo: 3 });
    expect([three.w.toArray(), three.step.toArray()]).toEqual([
      [
        [1, 2],
        [1, 2],
        [1, 2],
      ],
      [7, 7, 7],
    ]);
    const two = loadCheckpoint(dir, replicated, { replicateTo: 2 });
    expect(two.w.toArray()).toEqual([
      [1, 2],
      [1, 2],
    ]);
    expect(() => loadCheckpoint(dir, replicated, { replicateTo: 0 })).toThrow(
      /replicateTo must be a whole number/,
    );
    expect(() => saveCheckpoint(dir, { a: { b: np.float32(1) } }, { unreplicate: true })).toThrow(
      /but a\.b is a scalar/,
    );
  });
});

describe("a template that does not fit", () => {
  const saved = { params: [{ w: np.zeros([3, 4]), b: np.zeros([4]) }], count: np.int32(0), n: 1 };
  const cases: readonly (readonly [what: string, like: unknown, message: string])[] = [
    [
      "shape",
      { ...saved, params: [{ w: np.zeros([3, 5]), b: np.zeros([4]) }] },
      "at params[0].w: the checkpoint has float32[3,4], the template float32[3,5]",
    ],
    ["dtype", { ...saved, count: np.float32(0) }, "at count: the checkpoint has int32, the template float32"],
    [
      "length",
      { ...saved, params: [] },
      "at params: the checkpoint has a list of 1, the template a list of 0",
    ],
    ["missing key", { params: saved.params, count: saved.count }, "at n, which only the checkpoint has"],
    ["further key", { ...saved, extra: 1 }, "at extra, which only the template has"],
    ["kind", { ...saved, n: np.int32(1) }, "at n: the checkpoint has a number, the template int32"],
    [
      "root",
      [],
      "at the root: the checkpoint has an object with keys count, n, params, the template a list of 0",
    ],
  ];
  for (const [what, like, message] of cases) {
    it(`is named by the first path that differs: ${what}`, () => {
      const dir = temporaryFolder();
      saveCheckpoint(dir, saved, { step: 1 });
      expect(() => loadCheckpoint(dir, like)).toThrow(message);
    });
  }
});

describe("a damaged checkpoint", () => {
  const damages: Readonly<Record<string, (folder: string) => void>> = {
    "tensors cut": (folder) => truncateSync(path.join(folder, "tensors.safetensors"), 100),
    "tensors altered": (folder) => flip(path.join(folder, "tensors.safetensors"), -1),
    "tensors gone": (folder) => rmSync(path.join(folder, "tensors.safetensors")),
    "tensors empty": (folder) => truncateSync(path.join(folder, "tensors.safetensors"), 0),
    "JSON cut": (folder) => truncateSync(path.join(folder, "checkpoint.json"), 50),
    "JSON altered": (folder) => {
      const file = path.join(folder, "checkpoint.json");
      writeFileSync(file, readFileSync(file, "utf8").replace('"epoch": 2', '"epoch": 3'));
    },
    "JSON gone": (folder) => rmSync(path.join(folder, "checkpoint.json")),
    "JSON foreign": (folder) => writeFileSync(path.join(folder, "checkpoint.json"), '{"model":"other"}'),
    "JSON of a later version": (folder) =>
      writeFileSync(path.join(folder, "checkpoint.json"), '{"format":"vibe-rl checkpoint","version":99}'),
  };
  const flip = (file: string, at: number): void => {
    const bytes = readFileSync(file);
    bytes[bytes.length + at] ^= 255;
    writeFileSync(file, bytes);
  };
  for (const [what, damage] of Object.entries(damages)) {
    it(`is skipped with a warning, and refused when asked for: ${what}`, async () => {
      const dir = temporaryFolder();
      const like = { w: np.zeros([8]), n: 0 };
      for (const step of [1, 2]) {
        saveCheckpoint(dir, { w: np.full([8], step), n: step }, { step, metadata: { epoch: step } });
      }
      damage(path.join(dir, "step_2"));
      const warnings = await warningsOf("CheckpointWarning", () => {
        expect(loadCheckpoint(dir, like).n).toBe(1);
      });
      expect(warnings).toEqual([expect.stringMatching(/step_2.*; using step_1 instead$/)]);
      expect(() => loadCheckpoint(dir, like, { step: 2 })).toThrow(
        /loadCheckpoint: .*step_2.*Choose another step/,
      );
      expect(() => loadMetadata(path.join(dir, "step_2"))).toThrow(CheckpointError);
      expect(existsSync(path.join(dir, "step_2"))).toBe(true);
    });
  }

  it("leaves an error that lists the reasons when none is whole", () => {
    const dir = temporaryFolder();
    mkdirSync(path.join(dir, "step_3"));
    expect(() => loadCheckpoint(dir, {})).toThrow(
      /none of the 1 checkpoints .* is whole: .*no checkpoint\.json/,
    );
  });
});

describe("refusals", () => {
  it("name what cannot be saved", () => {
    const dir = temporaryFolder();
    expect(() => saveCheckpoint(dir, { f: [() => 1] }, { step: 1 })).toThrow(
      /f\[0\] is a function; checkpoints hold/,
    );
    expect(() => saveCheckpoint(dir, { d: new Map() }, { step: 1 })).toThrow(/d is an object of class Map/);
    expect(() => saveCheckpoint(dir, {}, { step: -1 })).toThrow(
      /step must be a whole number of at least 0, got -1/,
    );
    expect(() => saveCheckpoint(dir, {}, { step: 1, metadata: { a: [NaN] } })).toThrow(
      /metadata\.a\[0\] is NaN/,
    );
    expect(() => saveCheckpoint(dir, {}, { step: 1, metadata: { a: () => 1 } })).toThrow(
      /metadata\.a is a function/,
    );
    expect(readdirSync(dir)).toEqual([]);
  });

  it("leave what is not a checkpoint as it is", () => {
    const dir = temporaryFolder();
    mkdirSync(path.join(dir, "step_1"));
    writeFileSync(path.join(dir, "step_1", "notes.txt"), "mine");
    writeFileSync(path.join(dir, "step_2"), "a file");
    expect(() => saveCheckpoint(dir, {}, { step: 1 })).toThrow(/other things \(notes\.txt\)/);
    expect(() => saveCheckpoint(dir, {}, { step: 2 })).toThrow(/is a file, not a checkpoint/);
    expect(() => saveCheckpoint(dir, {})).toThrow(/Give `step`/);
    expect(readFileSync(path.join(dir, "step_1", "notes.txt"), "utf8")).toBe("mine");
    expect(readFileSync(path.join(dir, "step_2"), "utf8")).toBe("a file");
  });

  it("say that there is nothing to load", () => {
    const dir = temporaryFolder();
    expect(() => loadCheckpoint(dir, {})).toThrow(/has no checkpoints; expected folders named step_N/);
    expect(() => loadMetadata(path.join(dir, "none"))).toThrow(/does not exist/);
    expect(findCheckpoint(dir)).toBe(null);
  });
});
