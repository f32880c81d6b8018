// Trees as bytes of safetensors files: our own, and those that other tools have written, byte by byte.
import { createHash, randomBytes } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { np, tree, type Array } from "vibe-rl/array";
import {
  fromSafetensors,
  loadCheckpoint,
  loadTree,
  saveCheckpoint,
  saveTree,
  toSafetensors,
} from "vibe-rl/checkpoint";
import { sha256ByHand } from "../../src/checkpoint/checksum.js";
import { temporaryFolder } from "../temporary.js";

/** A file of the format, written out: eight bytes of length, a header, elements. */
function fileOf(header: string, elements: readonly number[]): Uint8Array {
  const length = [header.length & 255, header.length >> 8, 0, 0, 0, 0, 0, 0];
  return Uint8Array.from([...length, ...Buffer.from(header), ...elements]);
}

const listsOf = (of: unknown) => tree.map((x: unknown) => (x as Array).toArray(), of);

describe("toSafetensors and fromSafetensors", () => {
  it("keep a tree of anything that checkpoints hold, and texts", () => {
    const saved = {
      layers: [{ w: np.array([[1, -2.5]]), b: np.int32([7]) }],
      "a key": np.bool([true, false]),
      ...{ n: 3, lost: NaN, name: "x", is: true, none: null, ring: Uint8Array.of(1, 2) },
    };
    const { tree: found, metadata } = fromSafetensors(toSafetensors(saved, { made: "here" }));
    const { layers, "a key": key, ...rest } = found as typeof saved;
    expect(layers.map(listsOf)).toEqual([{ w: [[1, -2.5]], b: [7] }]);
    expect([key.dtype, key.toArray()]).toEqual(["bool", [true, false]]);
    expect(rest).toEqual({ n: 3, lost: NaN, name: "x", is: true, none: null, ring: Uint8Array.of(1, 2) });
    expect(metadata).toEqual({ made: "here" });
  });

  it("are the bytes of saveTree's files, which either side reads", () => {
    const file = path.join(temporaryFolder(), "w.safetensors");
    const saved = { w: np.array([1, 2, 3]) };
    saveTree(file, saved);
    expect(Buffer.from(toSafetensors(saved))).toEqual(readFileSync(file));
    expect(listsOf(fromSafetensors(readFileSync(file)).tree)).toEqual({ w: [1, 2, 3] });
    const { buffer } = Uint8Array.from(readFileSync(file));
    expect(listsOf(fromSafetensors(buffer).tree)).toEqual({ w: [1, 2, 3] });
    expect(listsOf(loadTree(file))).toEqual({ w: [1, 2, 3] });
  });

  it("notice every changed byte", () => {
    const whole = toSafetensors({ w: { v: np.array([1, 2]) }, n: 1 }, { of: "mine" });
    for (let at = 0; at < whole.length; at++) {
      const changed = whole.slice();
      changed[at] ^= 1;
      const read = () => fromSafetensors(changed).tree as { readonly w?: unknown };
      expect(read, `byte ${at}`).toThrow();
    }
  });

  it("refuse texts that are none, names of the file's own, and what is not bytes", () => {
    expect(() => toSafetensors({}, { n: 1 as unknown as string })).toThrow(/metadata.n is a number.*String/);
    expect(() => toSafetensors({}, { tree: "oak" })).toThrow(/metadata.tree belongs to the file itself/);
    expect(() => fromSafetensors("x" as unknown as Uint8Array)).toThrow(
      /needs the bytes of a file.*got string/,
    );
    expect(() => fromSafetensors(new Uint8Array(3))).toThrow(
      /not a whole safetensors file: it ends too early/,
    );
  });

  it("need a template for classes of one's own, and say so", () => {
    class Pair {
      constructor(readonly a: Array) {}
    }
    tree.register(Pair, {
      flatten: ({ a }) => [[a], null],
      unflatten: (children) => new Pair(children[0]),
    });
    expect(() => fromSafetensors(toSafetensors({ pair: new Pair(np.ones([1])) }))).toThrow(
      /pair is a Pair, which only a template can tell how to make/,
    );
  });

  it("take the same checksum in a browser as with Node", () => {
    for (const length of [0, 1, 55, 56, 63, 64, 65, 119, 120, 1000]) {
      const bytes = randomBytes(length);
      const cut = Math.floor(length / 3);
      const byNode = createHash("sha256").update(bytes).digest("hex");
      expect(sha256ByHand([bytes.subarray(0, cut), bytes.subarray(cut)])).toBe(byNode);
    }
  });
});

describe("a file that another tool has written", () => {
  // As PyTorch's safetensors.torch.save_file does: sorted names, "format": "pt", spaces behind the header.
  const header =
    '{"__metadata__":{"format":"pt"},' +
    '"actor.0.bias":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},' +
    '"actor.0.weight":{"dtype":"F16","shape":[2,3],"data_offsets":[4,16]},' +
    '"scale":{"dtype":"BF16","shape":[],"data_offsets":[16,18]}}   ';
  const elements = [
    ...[0, 0, 0xc0, 0x3f], // 1.5
    ...[0x00, 0x3c, 0x00, 0xc0, 0xff, 0x7b], // 1, -2, 65504, the largest
    ...[0x01, 0x00, 0x00, 0x7c, 0x00, 0x80], // 2^-24, the least, infinity, -0
    ...[0x49, 0x40], // 3.140625
  ];
  const bytes = fileOf(header, elements);
  const values = {
    "actor.0.bias": [1.5],
    "actor.0.weight": [
      [1, -2, 65504],
      [2 ** -24, Infinity, -0],
    ],
    scale: 3.140625,
  };

  it("is a record of its arrays by name, with floats of two bytes as float32", () => {
    const { tree: found, metadata } = fromSafetensors(bytes);
    expect(listsOf(found)).toEqual(values);
    const record = found as Readonly<Record<string, Array>>;
    expect(Object.values(record).map(({ dtype }) => dtype)).toEqual(["float32", "float32", "float32"]);
    expect(metadata).toEqual({ format: "pt" });
  });

  it("is loaded from disk, too, whole or as far as a template asks", () => {
    const file = path.join(temporaryFolder(), "torch.safetensors");
    writeFileSync(file, bytes);
    expect(listsOf(loadTree(file))).toEqual(values);
    const like = { scale: np.float32(0) };
    expect(loadTree(file, like, { partial: true }).scale.item()).toBe(3.140625);
    expect(() => loadTree(file, like)).toThrow(/which only the checkpoint has/);
    const wrong = { scale: np.zeros([2]) };
    expect(() => loadTree(file, wrong, { partial: true })).toThrow(
      /at scale: the checkpoint has float32, the template float32\[2\]/,
    );
  });

  it("may have elements at any byte", () => {
    const odd =
      '{"m":{"dtype":"BOOL","shape":[1],"data_offsets":[0,1]},"w":{"dtype":"F32","shape":[1],"data_offsets":[1,5]}}';
    const shifted = new Uint8Array(bytes.length + 200);
    const file = fileOf(odd, [1, 0, 0, 0xc0, 0x3f]);
    shifted.set(file, 3);
    const { tree: found } = fromSafetensors(shifted.subarray(3, 3 + file.length));
    expect(listsOf(found)).toEqual({ m: [true], w: [1.5] });
  });

  it("may hold nothing but halves that are not numbers", () => {
    const nan =
      '{"x":{"dtype":"F16","shape":[1],"data_offsets":[0,2]},"y":{"dtype":"BF16","shape":[1],"data_offsets":[2,4]}}';
    const { tree: found } = fromSafetensors(fileOf(nan, [1, 0x7e, 0xc0, 0x7f]));
    expect(listsOf(found)).toEqual({ x: [NaN], y: [NaN] });
  });

  it.each(["I64", "I16", "U16", "F8_E4M3"])("is refused by tensor and dtype if that is %s", (dtype) => {
    const other = `{"count":{"dtype":"${dtype}","shape":[0],"data_offsets":[0,0]}}`;
    expect(() => fromSafetensors(fileOf(other, []))).toThrow(
      `tensor count has dtype "${dtype}"; we read BOOL, U8, U32, I32, F32, F64, F16, BF16`,
    );
  });
});

describe("loadCheckpoint", () => {
  it("loads a part of the tree where `partial` says so, and the file beside it opens as a record", () => {
    const dir = temporaryFolder();
    const params = { w: np.array([1, 2]), b: np.zeros([2]) };
    saveCheckpoint(dir, { params, optState: [np.ones([2])], step: 5 }, { step: 1 });
    const like = { params: { w: np.zeros([2]) } };
    expect(loadCheckpoint(dir, like, { partial: true }).params.w.toArray()).toEqual([1, 2]);
    expect(() => loadCheckpoint(dir, like)).toThrow(/optState, which only the checkpoint has/);
    expect(() => loadCheckpoint(dir, { params: { v: np.zeros([2]) } }, { partial: true })).toThrow(
      /at params.v, which only the template has/,
    );
    const file = path.join(dir, "step_1", "tensors.safetensors");
    expect(Object.keys(loadTree(file) as object).sort()).toEqual(["optState[0]", "params.b", "params.w"]);
  });
});
