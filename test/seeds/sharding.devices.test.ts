// The examples of the original's page "Multi-GPU Training" (seed 004) about meshes, shardings and device utilities,
// translated one to one: snake_case is camelCase, keyword arguments are an object, `with set_mesh() as mesh` is a call.
import { describe, expect, it } from "vitest";
import { PPO, PPOConfig, type PPOState } from "vibe-rl/algorithms/ppo";
import {
  devices,
  evalShape,
  jit,
  np,
  PartitionSpec,
  random,
  ShapeDtypeStruct,
  tree,
  type Array,
} from "vibe-rl/array";
import { loadCheckpoint, saveCheckpoint } from "vibe-rl/checkpoint";
import {
  getNumDevices,
  replicate,
  replicateOnMesh,
  shardPytree,
  splitKeyAcrossDevices,
  unreplicate,
} from "vibe-rl/runner";
import { dataSharding, fsdpSharding, makeMesh, replicateSharding, setMesh } from "vibe-rl/sharding";
import { temporaryFolder } from "../temporary.js";

describe("Device mesh", () => {
  it("makeMesh reshapes the devices", () => {
    expect(makeMesh({ numFsdpDevices: 1 }).shape).toEqual({ batch: 8, fsdp: 1 });
    expect(makeMesh({ numFsdpDevices: 2 }).shape).toEqual({ batch: 4, fsdp: 2 });
    const four = makeMesh({ numFsdpDevices: 1, numDevices: 4 });
    expect(four.devices).toEqual(devices().slice(0, 4));
  });

  it("setMesh for manual use", () => {
    const data = np.arange(16);
    const result = setMesh({ numFsdpDevices: 1 }, (mesh) => {
      const double = jit((x: Array) => x.mul(2));
      return double(shardPytree(data, mesh));
    });
    expect(result.toArray()).toEqual(data.mul(2).toArray());
  });
});

describe("Data sharding", () => {
  it("two specs cover most use cases", () => {
    const mesh = makeMesh();
    expect(dataSharding(mesh).spec.equals(PartitionSpec([["batch", "fsdp"]]))).toBe(true);
    expect(replicateSharding(mesh).spec.equals(PartitionSpec([]))).toBe(true);
  });
});

describe("FSDP parameter sharding", () => {
  it("mixed sharding in a pytree", () => {
    const mesh = makeMesh({ numFsdpDevices: 2 });
    const params = {
      small_weight: ShapeDtypeStruct([8, 8], "float32"),
      bias: ShapeDtypeStruct([64], "float32"),
      large_weight: ShapeDtypeStruct([2048, 1024], "float32"),
    };
    const shardings = fsdpSharding(params, mesh);
    expect(shardings.small_weight.spec.entries).toEqual([]);
    expect(shardings.bias.spec.entries).toEqual([]);
    expect(shardings.large_weight.spec.entries).toEqual(["fsdp", null]);
  });
});

const config = PPOConfig({ hiddenSizes: [8, 8] });
const init = (key: Array): PPOState => PPO.init(key, [4], 2, config);
const elementsOf = (state: PPOState): unknown => tree.map((x: Array) => x.toArray(), state);

describe("a whole agent", () => {
  it("has shardings before it has parameters", () => {
    const mesh = makeMesh({ numFsdpDevices: 2 });
    const abstract = evalShape(init, ShapeDtypeStruct([2], "uint32"));
    const shardings = fsdpSharding(abstract, mesh, { minSizeMbytes: 64 / 2 ** 20 });
    const split = tree.leaves(shardings).filter(({ isFullyReplicated }) => !isFullyReplicated);
    expect(split.length).toBeGreaterThan(3);
  });
});

describe("Device utilities", () => {
  it("getNumDevices", () => {
    expect(getNumDevices()).toBe(8);
    expect(getNumDevices(4)).toBe(4);
    expect(() => getNumDevices(99)).toThrow("99 devices were requested, and there are 8");
  });

  it("replicate and unreplicate, on any tree", () => {
    const state = init(random.key(0));
    const replicated = replicate(state, 4);
    expect(tree.leaves(replicated).every(({ shape }) => shape[0] === 4)).toBe(true);
    expect(elementsOf(unreplicate(replicated))).toEqual(elementsOf(state));
  });

  it("shardPytree and replicateOnMesh", () => {
    const mesh = makeMesh();
    const batch = { obs: np.zeros([16, 4]), rewards: np.zeros([16]) };
    expect(shardPytree(batch, mesh).rewards.addressableShards[7].index).toEqual([{ start: 14, stop: 16 }]);
    const placed = replicateOnMesh(init(random.key(0)), mesh);
    expect(tree.leaves(placed).every(({ isFullyReplicated }) => isFullyReplicated)).toBe(true);
    expect(elementsOf(placed)).toEqual(elementsOf(init(random.key(0))));
  });

  it("splitKeyAcrossDevices", () => {
    expect(splitKeyAcrossDevices(random.key(0), 4).shape).toEqual([4, 2]);
  });
});

describe("Checkpointing multi-GPU state", () => {
  it("one logical copy is saved directly, and loaded into a single-device template", () => {
    const state = init(random.key(1));
    const folder = temporaryFolder();
    saveCheckpoint(folder, replicateOnMesh(state, makeMesh()));
    const loaded = loadCheckpoint(folder, init(random.key(0)));
    expect(elementsOf(loaded)).toEqual(elementsOf(state));
  });

  it("replicas are stripped when they are saved, and made again when they are loaded", () => {
    const state = init(random.key(1));
    const folder = temporaryFolder();
    saveCheckpoint(folder, replicate(state, 2), { unreplicate: true });
    const loaded = loadCheckpoint(folder, init(random.key(0)), { replicateTo: 4 });
    expect(elementsOf(loaded)).toEqual(elementsOf(replicate(state, 4)));
  });
});
