// What lies where on the mesh of a training run.
import { describe, expect, expectTypeOf, it } from "vitest";
import {
  devicePut,
  jit,
  makeProgram,
  NamedSharding,
  np,
  PartitionSpec,
  ShapeDtypeStruct,
  tree,
  meshOfShape,
  type Array,
} from "vibe-rl/array";
import {
  activationShardingConstraint,
  dataSharding,
  fsdpSharding,
  makeMesh,
  replicateSharding,
  setMesh,
} from "vibe-rl/sharding";

const mesh = makeMesh({ numFsdpDevices: 2 });
const struct = (...shape: number[]): ShapeDtypeStruct => ShapeDtypeStruct(shape, "float32");

describe("data and copies", () => {
  it("are split along both axes, and whole", () => {
    expect(dataSharding(mesh).equals(NamedSharding(mesh, PartitionSpec([["batch", "fsdp"]])))).toBe(true);
    expect(replicateSharding(mesh).equals(NamedSharding(mesh, PartitionSpec([])))).toBe(true);
    const batch = devicePut(np.arange(16).reshape([16, 1]), dataSharding(mesh));
    expect(batch.addressableShards.map(({ data }) => data.data()[0])).toEqual([0, 2, 4, 6, 8, 10, 12, 14]);
  });
});

describe("fsdpSharding", () => {
  it("splits large parameters and leaves small ones whole", () => {
    const params = { small_weight: struct(8, 8), bias: struct(64), large_weight: struct(2048, 1024) };
    const shardings = fsdpSharding(params, mesh);
    expectTypeOf(shardings.bias).toEqualTypeOf<NamedSharding>();
    expect(tree.map(({ spec }) => spec.entries, shardings)).toEqual({
      small_weight: [],
      bias: [],
      large_weight: ["fsdp", null],
    });
  });

  const four = makeMesh({ numFsdpDevices: 4 });
  it.each([
    ["is under 4 MB", struct(1023, 1024), mesh, {}, []],
    ["has 4 MB", struct(1024, 1024), mesh, {}, ["fsdp", null]],
    ["is large enough for another limit", struct(8, 16), mesh, { minSizeMbytes: 0 }, [null, "fsdp"]],
    ["is too small for another limit", struct(2048, 1024), mesh, { minSizeMbytes: 9 }, []],
    ["has one dimension", struct(2 ** 22), mesh, {}, []],
    ["has none", struct(), mesh, { minSizeMbytes: 0 }, []],
    ["has its largest dimension behind", struct(512, 4096), mesh, {}, [null, "fsdp"]],
    ["has a largest dimension that is not divisible", struct(1024, 2049), mesh, {}, ["fsdp", null]],
    ["has no dimension that is", struct(2047, 1025), mesh, {}, []],
    ["has three dimensions", struct(3, 1024, 2048), four, {}, [null, null, "fsdp"]],
    ["has bytes for elements", ShapeDtypeStruct([1024, 2048], "uint8"), mesh, {}, []],
    ["lies on a mesh without parts", struct(2048, 1024), makeMesh(), { minSizeMbytes: 0 }, []],
  ])("of an array that %s", (_, leaf, on, options, entries) => {
    expect(fsdpSharding(leaf, on, options).spec.entries).toEqual(entries);
  });

  it("takes arrays too, which devicePut puts where it says", () => {
    const params = { w: np.ones([4, 6]), b: np.ones([6]), scale: 2 };
    const shardings = fsdpSharding(params, mesh, { minSizeMbytes: 0 });
    const placed = devicePut(params, shardings);
    expect(placed.w.addressableShards[0].data.shape).toEqual([4, 3]);
    expect(placed.b.isFullyReplicated).toBe(true);
  });

  it("says what it cannot use", () => {
    expect(() => fsdpSharding({ net: { act: Math.tanh } }, mesh)).toThrow(
      "the tree must hold arrays or ShapeDtypeStructs, got a function tanh at net.act",
    );
    expect(() => fsdpSharding(struct(2), meshOfShape([8], ["batch"]))).toThrow("there is no axis `fsdp`");
    expect(() => fsdpSharding(struct(2), mesh, { minSizeMbytes: -1 })).toThrow("minSizeMbytes must be");
    expect(() => fsdpSharding(struct(2), {} as never)).toThrow("it needs a Mesh");
  });
});

describe("activationShardingConstraint", () => {
  const layer = (x: Array): Array => activationShardingConstraint(x.mul(2));

  it("splits activations along the current mesh or the one given, and does nothing without", () => {
    const names = (f: (x: Array) => unknown) =>
      makeProgram(f)(np.ones([8, 3])).program.equations.map(({ primitive }) => primitive.name);
    expect(names(layer)).toEqual(["mul"]);
    expect(names((x) => activationShardingConstraint(x, mesh))).toEqual(["shardingConstraint"]);
    setMesh({ numFsdpDevices: 2 }, () => {
      expect(names(layer)).toEqual(["mul", "shardingConstraint"]);
      expect(
        jit(layer)(np.ones([8, 3]))
          .sum()
          .item(),
      ).toBe(48);
    });
    expect(() => activationShardingConstraint(np.ones([3]), mesh)).toThrow("batch (4) × fsdp (2) = 8");
  });
});
