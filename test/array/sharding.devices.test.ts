// Devices, meshes and shardings: who holds what.
import { inspect } from "node:util";
import { afterEach, describe, expect, expectTypeOf, it } from "vitest";
import {
  devices,
  evalShape,
  localDeviceCount,
  Mesh,
  meshOfShape,
  NamedSharding,
  np,
  PartitionSpec,
  random,
  setCpuDevices,
  ShapeDtypeStruct,
  SingleDeviceSharding,
  tree,
  type Array,
} from "vibe-rl/array";
import type * as devicesModule from "../../src/array/sharding/devices.js";

/** The module as a process has it that did not use devices yet. */
type DevicesModule = typeof devicesModule;
let copies = 0;
const freshModule = (): Promise<DevicesModule> =>
  import(/* @vite-ignore */ `../../src/array/sharding/devices.ts?copy=${++copies}`) as Promise<DevicesModule>;

describe("devices", () => {
  const before = process.env.VIBE_RL_CPU_DEVICES;
  afterEach(() => {
    if (before === undefined) delete process.env.VIBE_RL_CPU_DEVICES;
    else process.env.VIBE_RL_CPU_DEVICES = before;
  });

  it("are as many as were asked for, each with an id, a platform and a name", () => {
    expect(localDeviceCount()).toBe(8);
    expect(devices().map(({ id }) => id)).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
    expect(devices()[3].platform).toBe("cpu");
    expect(String(devices()[0])).toBe("CpuDevice(0)");
    expect(devices()).toBe(devices());
  });

  it("are one unless somebody asks for more", async () => {
    delete process.env.VIBE_RL_CPU_DEVICES;
    expect((await freshModule()).localDeviceCount()).toBe(1);
  });

  it("are as many as VIBE_RL_CPU_DEVICES says, unless the program says otherwise", async () => {
    process.env.VIBE_RL_CPU_DEVICES = "4";
    expect((await freshModule()).localDeviceCount()).toBe(4);
    const told = await freshModule();
    told.setCpuDevices(2);
    expect(told.localDeviceCount()).toBe(2);
    process.env.VIBE_RL_CPU_DEVICES = "many";
    const confused = await freshModule();
    expect(() => confused.devices()).toThrow(
      'VIBE_RL_CPU_DEVICES: it must be a whole number from 1 to 1024, got "many"',
    );
  });

  it("keep their number from their first use on", () => {
    expect(() => setCpuDevices(4)).toThrow(
      "devices are in use already, and there are 8 of them; call setCpuDevices(4) earlier, or set VIBE_RL_CPU_DEVICES=4",
    );
    setCpuDevices(8);
    expect(() => setCpuDevices(0)).toThrow("count must be a whole number from 1 to 1024, got 0");
  });
});

describe("a mesh", () => {
  it("is made of nested lists of devices, with a name for each level", () => {
    const [a, b, c, d, e, f] = devices();
    const mesh = new Mesh(
      [
        [a, b, c],
        [d, e, f],
      ],
      ["batch", "fsdp"],
    );
    expect(mesh.axisNames).toEqual(["batch", "fsdp"]);
    expect(mesh.shape).toEqual({ batch: 2, fsdp: 3 });
    expect(mesh.size).toBe(6);
    expect(mesh.devices.map(({ id }) => id)).toEqual([0, 1, 2, 3, 4, 5]);
    expect(mesh.axes).toEqual([
      { name: "batch", size: 2 },
      { name: "fsdp", size: 3 },
    ]);
    expect(String(mesh)).toBe("Mesh(batch: 2, fsdp: 3)");
    expect(mesh).toBeInstanceOf(Mesh);
  });

  it("is made of a shape too, and equals those with the same devices in the same places", () => {
    const mesh = meshOfShape([4, 2], ["batch", "fsdp"]);
    expect(mesh.equals(meshOfShape([4, 2], ["batch", "fsdp"]))).toBe(true);
    expect(mesh.equals(meshOfShape([2, 4], ["batch", "fsdp"]))).toBe(false);
    expect(mesh.equals(meshOfShape([4, 2], ["batch", "model"]))).toBe(false);
    expect(mesh.equals(meshOfShape([4, 2], ["batch", "fsdp"], [...devices()].reverse()))).toBe(false);
  });

  it("refuses what is no grid of different devices with different names", () => {
    const [a, b, c] = devices();
    expect(() => Mesh([[a, b], [c]], ["x", "y"])).toThrow("lists side by side must be alike");
    expect(() => Mesh([a, b, a], ["x"])).toThrow("CpuDevice(0) is in it twice");
    expect(() => Mesh([a, b], ["x", "y"])).toThrow("arranged along 1 axes, of shape [2], but 2 have names");
    expect(() => Mesh([[a], [b]], ["x", "x"])).toThrow('two axes are named "x"');
    expect(() => Mesh([], ["x"])).toThrow("at least one device");
    expect(() => Mesh([0 as never], ["x"])).toThrow("nested lists of devices such as devices(), got 0");
    expect(() => meshOfShape([4, 4], ["x", "y"])).toThrow(
      "needs 16 devices, and there are 8; call setCpuDevices(16)",
    );
  });
});

describe("a partition spec", () => {
  it("has an entry for each dimension, in one form, which nobody can change", () => {
    const spec = PartitionSpec([["batch", "fsdp"], null, ["model"], []]);
    expect(spec.entries).toEqual([["batch", "fsdp"], null, "model", null]);
    expect(spec.length).toBe(4);
    expect([...PartitionSpec(["x", null])]).toEqual(["x", null]);
    expect(String(spec)).toBe('PartitionSpec([["batch", "fsdp"], null, "model", null])');
    expect(String(PartitionSpec([]))).toBe("PartitionSpec([])");
    expect(PartitionSpec().equals(PartitionSpec([]))).toBe(true);
    expect(Object.isFrozen(spec.entries) && Object.isFrozen(spec.entries[0])).toBe(true);
    expect(new PartitionSpec(["x"])).toBeInstanceOf(PartitionSpec);
  });

  it("refuses what is no list, and entries that are no names", () => {
    expect(() => PartitionSpec([1 as never])).toThrow(
      "the entry for dimension 0 must be null, a string or a list of strings, got 1",
    );
    expect(() => PartitionSpec("batch" as never)).toThrow(
      'a list with an entry for each dimension, as in PartitionSpec(["batch", null]), got "batch"',
    );
  });
});

describe("a named sharding", () => {
  const mesh = meshOfShape([4, 2], ["batch", "fsdp"]);

  it("says which block of an array each device has", () => {
    const sharding = NamedSharding(mesh, PartitionSpec(["fsdp", "batch"]));
    expect(sharding.layoutFor(3)).toEqual([["fsdp"], ["batch"], []]);
    expect(sharding.shardShape([6, 8, 5])).toEqual([3, 2, 5]);
    expect(sharding.isFullyReplicated).toBe(false);
    const blocks = sharding.devicesIndicesMap([6, 8]);
    // Device 5 is at batch 2, fsdp 1.
    expect(blocks.get(devices()[5])).toEqual([
      { start: 3, stop: 6 },
      { start: 4, stop: 6 },
    ]);
  });

  it("splits a dimension along several axes, outermost first", () => {
    const rows = NamedSharding(mesh, PartitionSpec([["batch", "fsdp"]]));
    expect([...rows.devicesIndicesMap([16]).values()].map(([{ start }]) => start)).toEqual([
      0, 2, 4, 6, 8, 10, 12, 14,
    ]);
    const swapped = NamedSharding(mesh, PartitionSpec([["fsdp", "batch"]]));
    expect([...swapped.devicesIndicesMap([16]).values()].map(([{ start }]) => start)).toEqual([
      0, 8, 2, 10, 4, 12, 6, 14,
    ]);
  });

  it("is replicated where nothing is split, or along axes of one device only", () => {
    const flat = meshOfShape([8, 1], ["batch", "fsdp"]);
    expect(NamedSharding(mesh, PartitionSpec([])).isFullyReplicated).toBe(true);
    expect(NamedSharding(flat, PartitionSpec(["fsdp"])).isFullyReplicated).toBe(true);
    expect(NamedSharding(mesh, PartitionSpec(["fsdp"])).isFullyReplicated).toBe(false);
  });

  it("equals those of equal mesh and spec, and is equivalent to those with the same blocks", () => {
    const sharding = NamedSharding(mesh, PartitionSpec(["fsdp"]));
    const longer = NamedSharding(meshOfShape([4, 2], ["batch", "fsdp"]), PartitionSpec(["fsdp", null]));
    expect(sharding.equals(NamedSharding(mesh, PartitionSpec(["fsdp"])))).toBe(true);
    expect(sharding.equals(longer)).toBe(false);
    expect(sharding.isEquivalentTo(longer, 2)).toBe(true);
    expect(String(longer)).toBe('NamedSharding(Mesh(batch: 4, fsdp: 2), PartitionSpec(["fsdp", null]))');
  });

  it("refuses specs that do not fit the mesh or the array, and says where", () => {
    expect(() => NamedSharding(mesh, PartitionSpec(["fsdb"]))).toThrow("did you mean `fsdp`?");
    expect(() => NamedSharding(mesh, PartitionSpec(["fsdp", ["batch", "fsdp"]]))).toThrow(
      'axis "fsdp" splits an array once at most',
    );
    const sharding = NamedSharding(mesh, PartitionSpec([null, ["batch", "fsdp"]]));
    expect(() => sharding.layoutFor(1)).toThrow(
      'PartitionSpec([null, ["batch", "fsdp"]]) is for 2 dimensions or more, and the array has 1',
    );
    expect(() => sharding.shardShape([2, 12])).toThrow(
      "dimension 1 of an array of shape [2,12] has extent 12, which axes batch (4) × fsdp (2) = 8 do not divide",
    );
    expect(() => NamedSharding(mesh, PartitionSpec(["batch"])).shardShape([6])).toThrow(
      "dimension 0 of an array of shape [6] has extent 6, which axis batch (4) does not divide",
    );
    expect(() => NamedSharding(mesh, ["batch"] as never)).toThrow("it needs a PartitionSpec");
  });
});

describe("a sharding of one device", () => {
  it("gives it everything", () => {
    const sharding = SingleDeviceSharding(devices()[2]);
    expect(sharding.shardShape([3, 4])).toEqual([3, 4]);
    expect(sharding.isFullyReplicated).toBe(true);
    expect(sharding.equals(SingleDeviceSharding(devices()[2]))).toBe(true);
    expect(sharding.equals(SingleDeviceSharding(devices()[1]))).toBe(false);
    expect(String(sharding)).toBe("SingleDeviceSharding(CpuDevice(2))");
    const alone = NamedSharding(Mesh([devices()[2]], ["batch"]), PartitionSpec(["batch"]));
    expect(sharding.isEquivalentTo(alone, 1) && alone.isEquivalentTo(sharding, 1)).toBe(true);
    expect(() => SingleDeviceSharding(2 as never)).toThrow("it needs a device such as devices()[0], got 2");
  });
});

describe("a ShapeDtypeStruct", () => {
  const mesh = meshOfShape([4, 2], ["batch", "fsdp"]);

  it("is the shape and dtype of an array, and where it shall lie", () => {
    const struct = ShapeDtypeStruct([8, 4], "float32");
    expect([struct.shape, struct.dtype, struct.ndim, struct.size]).toEqual([[8, 4], "float32", 2, 32]);
    expect(struct.sharding).toBeUndefined();
    const sharding = NamedSharding(mesh, PartitionSpec(["fsdp"]));
    const placed = ShapeDtypeStruct([8, 4], "float32", { sharding });
    expect(placed.sharding).toBe(sharding);
    expect(placed.equals(ShapeDtypeStruct([8, 4], "float32", { sharding }))).toBe(true);
    expect(placed.equals(struct)).toBe(false);
    expect(String(struct)).toBe("ShapeDtypeStruct(float32[8,4])");
    expect(() => ShapeDtypeStruct([7], "float32", { sharding })).toThrow("has extent 7, which axis fsdp (2)");
    expect(() => ShapeDtypeStruct([7], "float" as never)).toThrow('unknown dtype "float"');
  });

  it("is a leaf of trees, as shardings are", () => {
    const shapes = { w: ShapeDtypeStruct([2, 3], "float32"), b: [ShapeDtypeStruct([3], "int32")] };
    expect(tree.leaves(shapes)).toEqual([shapes.b[0], shapes.w]);
    const zeros = tree.map(({ shape, dtype }) => np.zeros(shape, { dtype }), shapes);
    expectTypeOf(zeros).toEqualTypeOf<{ w: Array; b: Array[] }>();
    expect(zeros.b[0].dtype).toBe("int32");
    const shardings = tree.map(() => NamedSharding(mesh, PartitionSpec()), shapes);
    const specs = tree.map(({ spec }) => spec, shardings);
    expectTypeOf(specs).toEqualTypeOf<{ w: PartitionSpec; b: PartitionSpec[] }>();
    expect(specs.w.entries).toEqual([]);
  });

  it("is what evalShape returns, and takes in place of arrays", () => {
    const init = (key: Array, scale: number) => ({
      w: random.normal(key, [3, 4]).mul(scale),
      step: np.int32(0),
    });
    const shapes = evalShape(init, ShapeDtypeStruct([2], "uint32"), 2);
    expectTypeOf(shapes).toEqualTypeOf<{ w: ShapeDtypeStruct; step: ShapeDtypeStruct }>();
    expect(shapes.w).toBeInstanceOf(ShapeDtypeStruct);
    expect(shapes.w.equals(ShapeDtypeStruct([3, 4], "float32"))).toBe(true);
    const next = evalShape((state: { w: Array; step: Array }) => state.w.sum(0), shapes);
    expect(next.shape).toEqual([4]);
    const bad = { w: ShapeDtypeStruct([1], "float32"), step: new Date() };
    expect(() => evalShape((state: unknown) => state, bad)).toThrow("at [0].step");
  });
});

it("the console shows meshes and shardings as they read in code", () => {
  const mesh = meshOfShape([4, 2], ["batch", "fsdp"]);
  expect([devices()[1], mesh, PartitionSpec([null, "fsdp"])].map((value) => inspect(value))).toEqual([
    "CpuDevice(1)",
    "Mesh(batch: 4, fsdp: 2)",
    'PartitionSpec([null, "fsdp"])',
  ]);
});
