// Pictures of who holds what.
import { describe, expect, it } from "vitest";
import {
  devicePut,
  meshOfShape,
  NamedSharding,
  np,
  PartitionSpec,
  ShapeDtypeStruct,
  visualizeSharding,
  type PartitionEntry,
} from "vibe-rl/array";

const mesh = meshOfShape([4, 2], ["batch", "fsdp"]);
const split = (...entries: PartitionEntry[]): NamedSharding => NamedSharding(mesh, PartitionSpec(entries));

describe("visualizeSharding as text", () => {
  it("shows a matrix block by block", () => {
    expect(visualizeSharding(devicePut(np.ones([8, 2]), split("batch", "fsdp")))).toBe(
      [
        "┌─────────┬─────────┐",
        "│  CPU 0  │  CPU 1  │",
        "├─────────┼─────────┤",
        "│  CPU 2  │  CPU 3  │",
        "├─────────┼─────────┤",
        "│  CPU 4  │  CPU 5  │",
        "├─────────┼─────────┤",
        "│  CPU 6  │  CPU 7  │",
        "└─────────┴─────────┘",
      ].join("\n"),
    );
  });

  it("shows a list as a row, and all devices that have a block", () => {
    expect(visualizeSharding({ shape: [16], sharding: split("fsdp") })).toBe(
      [
        "┌───────────────┬───────────────┐",
        "│  CPU 0,2,4,6  │  CPU 1,3,5,7  │",
        "└───────────────┴───────────────┘",
      ].join("\n"),
    );
    expect(visualizeSharding(np.float32(1))).toBe(["┌─────────┐", "│  CPU 0  │", "└─────────┘"].join("\n"));
  });

  it("shows the first two dimensions of arrays with more", () => {
    const struct = ShapeDtypeStruct([3, 2, 4], "float32", { sharding: split(null, "fsdp", "batch") });
    expect(visualizeSharding(struct)).toBe(visualizeSharding({ shape: [16], sharding: split("fsdp") }));
  });

  it("says what it needs", () => {
    expect(() => visualizeSharding(ShapeDtypeStruct([3], "float32"))).toThrow(
      "it needs an array, or { shape, sharding }, got ShapeDtypeStruct(float32[3])",
    );
    expect(() => visualizeSharding(np.ones([2]), { format: "png" as never })).toThrow(
      'format must be "text" or "svg", got "png"',
    );
  });
});

describe("visualizeSharding as SVG", () => {
  it("has a rectangle and the devices for every block, and the ranges of the dimensions", () => {
    const svg = visualizeSharding({ shape: [8, 6], sharding: split("batch", "fsdp") }, { format: "svg" });
    expect(svg).toContain('[8,6], PartitionSpec(["batch", "fsdp"]) on Mesh(batch: 4, fsdp: 2)');
    expect(svg.match(/<rect x=/g)).toHaveLength(8);
    for (const words of ["CPU 0<", "CPU 7<", ">2:4<", ">3:6<"]) expect(svg).toContain(words);
    const row = visualizeSharding({ shape: [8], sharding: split("fsdp") }, { format: "svg" });
    expect(row.match(/<rect x=/g)).toHaveLength(2);
    expect(row).toContain("CPU 0,2,4,6<");
  });

  it("writes names so that the file stays valid", () => {
    const odd = NamedSharding(meshOfShape([2], ["<&>"]), PartitionSpec(["<&>"]));
    expect(visualizeSharding({ shape: [2], sharding: odd }, { format: "svg" })).toContain("&lt;&amp;&gt;: 2");
  });
});

it.each([
  ["matrix", [8, 6], split("batch", "fsdp")],
  ["data", [16], split(["batch", "fsdp"])],
  ["weight", [2048, 1024], split("fsdp", null)],
])("docs/devices.md shows what it draws: %s", async (name, shape, sharding) => {
  const svg = visualizeSharding({ shape, sharding }, { format: "svg" });
  await expect(svg).toMatchFileSnapshot(`../../docs/images/sharding_${name}.svg`);
});
