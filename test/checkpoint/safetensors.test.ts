// The file format, against bytes made by hand from its definition.
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { np } from "vibe-rl/array";
import { loadTree, saveTree } from "vibe-rl/checkpoint";
import { encodeSafetensors } from "../../src/checkpoint/safetensors.js";
import { readSafetensors } from "../../src/checkpoint/safetensorsFile.js";
import { temporaryFolder } from "../temporary.js";

/** A file of the format, written out: eight bytes of length, a header, elements. */
function fileOf(header: string, elements: readonly number[]): Buffer {
  const length = Buffer.from([header.length & 255, header.length >> 8, 0, 0, 0, 0, 0, 0]);
  return Buffer.concat([length, Buffer.from(header), Buffer.from(elements)]);
}

const header =
  '{"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},' +
  '"b.c":{"dtype":"BOOL","shape":[1,3],"data_offsets":[8,11]},"__metadata__":{"made by":"hand"}}';
// 1 and -2.5 as little-endian floats, then three booleans.
const elements = [0, 0, 0x80, 0x3f, 0, 0, 0x20, 0xc0, 1, 0, 1];

describe("safetensors", () => {
  it("reads a file that was put together by hand", () => {
    const file = path.join(temporaryFolder(), "hand.safetensors");
    writeFileSync(file, fileOf(header, elements));
    const { tensors, metadata } = readSafetensors(file);
    expect(metadata).toEqual({ "made by": "hand" });
    expect([...tensors.keys()]).toEqual(["a", "b.c"]);
    expect(tensors.get("a")).toMatchObject({ dtype: "float32", shape: [2] });
    expect([...new Float32Array(tensors.get("a")?.bytes.buffer as ArrayBuffer)]).toEqual([1, -2.5]);
    expect([...(tensors.get("b.c")?.bytes ?? [])]).toEqual([1, 0, 1]);
  });

  it("writes the bytes that the definition asks for", () => {
    const bytes = (...list: number[]) => Uint8Array.from(list);
    const parts = encodeSafetensors(
      [
        { name: "m", dtype: "bool", shape: [3], bytes: bytes(1, 0, 1) },
        { name: "w", dtype: "float32", shape: [], bytes: bytes(0, 0, 0x80, 0x3f) },
      ],
      { k: "v" },
    );
    const text =
      '{"__metadata__":{"k":"v"},"w":{"dtype":"F32","shape":[],"data_offsets":[0,4]},' +
      '"m":{"dtype":"BOOL","shape":[3],"data_offsets":[4,7]}}';
    const padded = text.padEnd(Math.ceil(text.length / 8) * 8, " ");
    expect(Buffer.concat(parts)).toEqual(fileOf(padded, [0, 0, 0x80, 0x3f, 1, 0, 1]));
  });

  const broken: readonly (readonly [what: string, file: Buffer, message: RegExp])[] = [
    [
      "ends within the elements",
      fileOf(header, elements.slice(0, -1)),
      /describes 166 bytes, the file has 165/,
    ],
    ["has bytes too many", fileOf(header, [...elements, 0]), /describes/],
    ["has no header", Buffer.from([200, 0, 0, 0, 0, 0, 0, 0, 1]), /header should have 200 bytes/],
    ["is shorter than a length", Buffer.from([1, 2, 3]), /ends too early/],
    ["has a header that is not JSON", fileOf("{nonsense", []), /not JSON/],
    ["has a header that is a list", fileOf("[]", []), /not an object/],
    [
      "has an unknown dtype",
      fileOf(header.replace("F32", "I64"), elements),
      /tensor a has dtype "I64"; we read/,
    ],
    [
      "has a gap",
      fileOf(header.replace("[8,11]", "[9,12]"), [...elements, 0]),
      /starts at byte 9 instead of 8/,
    ],
    ["has a shape of another size", fileOf(header.replace("[2]", "[3]"), elements), /takes 12 bytes/],
  ];
  for (const [what, content, message] of broken) {
    it(`refuses a file that ${what}`, () => {
      const file = path.join(temporaryFolder(), "broken.safetensors");
      writeFileSync(file, content);
      expect(() => readSafetensors(file)).toThrow(message);
    });
  }
});

describe("saveTree and loadTree", () => {
  it("keep a tree in one file", () => {
    const file = path.join(temporaryFolder(), "deep", "weights.safetensors");
    const tree = { actor: [{ w: np.array([[1, 2, 3]]) }], steps: 5 };
    saveTree(file, tree);
    expect([...readSafetensors(file).tensors.keys()]).toEqual(["actor[0].w"]);
    const loaded = loadTree(file, { actor: [{ w: np.zeros([1, 3]) }], steps: 0 });
    expect([loaded.actor[0].w.toArray(), loaded.steps]).toEqual([[[1, 2, 3]], 5]);
  });

  it("keep an array that is the whole tree", () => {
    const file = path.join(temporaryFolder(), "one.safetensors");
    saveTree(file, np.int32([4, 5]));
    expect(loadTree(file, np.int32([0, 0])).toArray()).toEqual([4, 5]);
  });

  it("notice every changed byte", () => {
    const file = path.join(temporaryFolder(), "w.safetensors");
    const tree = { w: np.array([1, 2]), n: 1 };
    saveTree(file, tree);
    const whole = readFileSync(file);
    for (let at = 0; at < whole.length; at++) {
      const changed = Buffer.from(whole);
      changed[at] ^= 1;
      writeFileSync(file, changed);
      expect(() => loadTree(file, tree), `byte ${at}`).toThrow();
    }
  });

  it("say what is wrong with a file that is not there or not theirs", () => {
    const folder = temporaryFolder();
    expect(() => loadTree(path.join(folder, "none"), {})).toThrow(/loadTree: cannot read .*no such file/);
    const file = path.join(folder, "foreign");
    writeFileSync(file, fileOf(header, elements));
    expect(() => loadTree(file, {})).toThrow(/does not fit the template at a, which only the checkpoint has/);
    expect(() => saveTree(file, { __metadata__: np.ones([1]) })).toThrow(/belongs to the file format/);
    expect(readFileSync(file)).toEqual(fileOf(header, elements));
  });
});
