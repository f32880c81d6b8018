// Arrays on several devices: putting them there, reading them, and saying where results shall be.
import { describe, expect, it } from "vitest";
import {
  devicePut,
  devices,
  grad,
  jit,
  lax,
  makeProgram,
  meshOfShape,
  NamedSharding,
  np,
  PartitionSpec,
  random,
  SingleDeviceSharding,
  vmap,
  type Array,
  type PartitionEntry,
} from "vibe-rl/array";
import { ShardedElements } from "../../src/array/index.js";
import { simplifyProgram } from "../../src/compiler/simplify/simplify.js";

const mesh = meshOfShape([4, 2], ["batch", "fsdp"]);
const split = (...entries: PartitionEntry[]): NamedSharding => NamedSharding(mesh, PartitionSpec(entries));

describe("an array on several devices", () => {
  it("is split as its sharding says, and reads as the array it was", () => {
    const x = np.arange(48).reshape([8, 6]);
    const y = devicePut(x, split("batch", "fsdp"));
    expect(y.sharding.equals(split("batch", "fsdp"))).toBe(true);
    expect(y.shape).toEqual([8, 6]);
    expect(y.isFullyReplicated).toBe(false);
    const [, , , fourth] = y.addressableShards;
    expect(fourth.device).toBe(devices()[3]);
    expect(fourth.index).toEqual([
      { start: 2, stop: 4 },
      { start: 3, stop: 6 },
    ]);
    expect(fourth.data.toArray()).toEqual([
      [15, 16, 17],
      [21, 22, 23],
    ]);
    expect(fourth.data.sharding.equals(SingleDeviceSharding(devices()[3]))).toBe(true);
    expect(y.toArray()).toEqual(x.toArray());
    expect(y.add(1).toArray()).toEqual(x.add(1).toArray());
    expect(jit((a: Array) => a.sum())(y).item()).toBe(48 * 23.5);
  });

  const cases: [readonly number[], PartitionEntry[]][] = [
    [[], []],
    [[16], [["fsdp", "batch"]]],
    [
      [4, 6],
      [null, "fsdp"],
    ],
    [
      [4, 2, 3],
      ["batch", "fsdp"],
    ],
    [
      [2, 4, 4],
      ["fsdp", null, "batch"],
    ],
    [
      [3, 8],
      [null, ["batch", "fsdp"]],
    ],
    [
      [0, 8],
      ["batch", "fsdp"],
    ],
    [[5, 3], []],
  ];
  it.each(cases)("of shape %j split by %j is whole again when it is read", (shape, entries) => {
    const x = random.normal(random.key(0), shape);
    const y = devicePut(x, split(...entries));
    expect(y.data()).toEqual(x.data());
    for (const { index, data } of y.addressableShards) {
      const ranges = index.map(({ start, stop }) => `${start}:${stop}`);
      expect(data.toArray()).toEqual(ranges.length === 0 ? x.toArray() : x.slice(...ranges).toArray());
    }
  });

  it("numbers the devices that have the same block", () => {
    const rows = devicePut(np.arange(4), split("batch"));
    expect(rows.addressableShards.map(({ replicaId }) => replicaId)).toEqual([0, 1, 0, 1, 0, 1, 0, 1]);
    const copies = devicePut(np.arange(4), split());
    expect(copies.addressableShards.map(({ replicaId }) => replicaId)).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
    expect(copies.isFullyReplicated).toBe(true);
  });

  it("reads each block once, and puts the whole together when it is asked for only", () => {
    const reads: number[] = [];
    const shards = {
      read: (place: number) => {
        reads.push(place);
        return Float32Array.of(place, place);
      },
    };
    const { type } = np.zeros([8]);
    const elements = new ShardedElements(split("batch"), shards, type);
    expect(reads).toEqual([]);
    expect([...elements.read()]).toEqual([0, 0, 2, 2, 4, 4, 6, 6]);
    elements.read();
    expect(reads).toEqual([0, 2, 4, 6]);
  });

  it("lies on the first device unless it was put elsewhere", () => {
    const x = np.ones([2]);
    expect(String(x.sharding)).toBe("SingleDeviceSharding(CpuDevice(0))");
    expect(x.isFullyReplicated).toBe(true);
    const [shard, ...others] = x.addressableShards;
    expect(others).toEqual([]);
    expect(shard.data.toArray()).toEqual([1, 1]);
    const y = devicePut(x, devices()[5]);
    expect(y.sharding.devices).toEqual([devices()[5]]);
    expect(y.toArray()).toEqual([1, 1]);
    expect(devicePut(y, devices()[0]).sharding.equals(x.sharding)).toBe(true);
    expect(devicePut(x, devices()[0])).toBe(x);
  });

  it("has no place while it is traced", () => {
    expect(() => jit((x: Array) => x.mul(x.sharding.devices.length))(np.ones([2]))).toThrow(
      "lies nowhere while jit is being traced; lax.withShardingConstraint says where it shall be",
    );
  });
});

describe("devicePut", () => {
  it("takes one sharding for a tree, or a tree of them that stops early", () => {
    const tree = { params: { w: np.ones([4, 2]), b: np.ones([2]) }, steps: np.ones([8]) };
    const all = devicePut(tree, split());
    expect(all.params.b.sharding.equals(split())).toBe(true);
    const some = devicePut(tree, { params: split("fsdp"), steps: split(["batch", "fsdp"]) });
    expect(some.params.w.addressableShards[0].data.shape).toEqual([2, 2]);
    expect(some.params.b.addressableShards[0].data.shape).toEqual([1]);
    expect(some.steps.addressableShards[0].data.shape).toEqual([1]);
    const left = devicePut(tree, { params: null, steps: split("batch") });
    expect(left.params.w).toBe(tree.params.w);
  });

  it("does not copy what lies there already", () => {
    const x = devicePut(np.arange(8), split("batch"));
    expect(devicePut(x, split("batch"))).toBe(x);
    const y = devicePut(x, split(["batch"]));
    expect(y).toBe(x);
    const matrix = devicePut(np.ones([8, 2]), split("batch"));
    const other = devicePut(matrix, split("batch", null));
    expect(other.sharding.equals(split("batch", null))).toBe(true);
    expect((other.remote as ShardedElements).shards).toBe((matrix.remote as ShardedElements).shards);
    const moved = devicePut(matrix, split(null, "fsdp"));
    expect(moved.addressableShards[1].data.shape).toEqual([8, 1]);
  });

  it("says what does not fit", () => {
    expect(() => devicePut(np.ones([6]), split("batch"))).toThrow(
      "dimension 0 of an array of shape [6] has extent 6, which axis batch (4) does not divide",
    );
    expect(() => devicePut({ obs: [np.ones([6])] }, split("batch"))).toThrow(
      "devicePut: dimension 0 of an array of shape [6] has extent 6, which axis batch (4) does not divide (it is at obs[0])",
    );
    expect(() => devicePut(np.ones([]), split("batch"))).toThrow(
      "for 1 dimensions or more, and the array has 0",
    );
    expect(() => devicePut({ a: np.ones([4]) }, { b: split() })).toThrow(
      "has a key b that the tree has not; it has a",
    );
    expect(() => devicePut([np.ones([4])], "batch" as never)).toThrow(
      'the sharding must be a NamedSharding, a SingleDeviceSharding, a device, null, or match the tree it belongs to, got "batch"',
    );
  });
});

describe("lax.withShardingConstraint", () => {
  const twice = (x: Array): Array => lax.withShardingConstraint(x.mul(2), split("batch", "fsdp"));

  it("is the identity in a traced function, and tells which axes split which dimension", () => {
    const { program } = makeProgram(twice)(np.ones([4, 2]));
    const { primitive, params } = program.equations[1];
    expect(primitive.name).toBe("shardingConstraint");
    expect(params).toEqual({ layout: [["batch"], ["fsdp"]], axes: mesh.axes });
    expect(jit(twice)(np.ones([4, 2])).toArray()).toEqual(np.full([4, 2], 2).toArray());
    expect(jit(twice, { device: "interpreter" })(np.ones([4, 2])).toArray()).toEqual(
      np.full([4, 2], 2).toArray(),
    );
  });

  it("costs nothing in a program for one device", () => {
    const { program } = makeProgram(twice)(np.ones([4, 2]));
    expect(simplifyProgram(program).equations.map(({ primitive }) => primitive.name)).toEqual(["mul"]);
  });

  it("holds for derivatives, and for each example of a batch", () => {
    const { program } = makeProgram(grad((x: Array) => twice(x).sum()))(np.ones([4, 2]));
    expect(program.equations.some(({ primitive }) => primitive.name === "shardingConstraint")).toBe(true);
    const batch = makeProgram(vmap(twice))(np.ones([3, 4, 2])).program.equations;
    expect(batch.find(({ primitive }) => primitive.name === "shardingConstraint")?.params).toEqual({
      layout: [[], ["batch"], ["fsdp"]],
      axes: mesh.axes,
    });
  });

  it("puts arrays that are not traced there, and devicePut constrains those that are", () => {
    expect(twice(np.ones([4, 2])).sharding.equals(split("batch", "fsdp"))).toBe(true);
    const { program } = makeProgram((x: Array) => devicePut(x, split("batch")))(np.ones([4]));
    expect(program.equations[0].primitive.name).toBe("shardingConstraint");
    expect(() => jit((x: Array) => lax.withShardingConstraint(x, split("batch")))(np.ones([3]))).toThrow(
      "has extent 3, which axis batch (4) does not divide",
    );
  });
});
