// Copies and keys for each device, data and parameters on a mesh, and checkpoints of both.
import { describe, expect, it } from "vitest";
import { devicePut, np, random, type Array } from "vibe-rl/array";
import { loadCheckpoint, saveCheckpoint } from "vibe-rl/checkpoint";
import {
  getNumDevices,
  replicate,
  replicateOnMesh,
  shardPytree,
  splitKeyAcrossDevices,
  unreplicate,
} from "vibe-rl/runner";
import { fsdpSharding, makeMesh } from "vibe-rl/sharding";
import { temporaryFolder } from "../temporary.js";

interface State {
  readonly w: Array;
  readonly step: Array;
  readonly name: string;
}
const state: State = { w: np.arange(12).reshape([3, 4]), step: np.int32(7), name: "a" };

describe("getNumDevices", () => {
  it("counts the devices, or confirms a number", () => {
    expect(getNumDevices()).toBe(8);
    expect(getNumDevices(null)).toBe(8);
    expect(getNumDevices(4)).toBe(4);
    expect(() => getNumDevices(9)).toThrow(
      "9 devices were requested, and there are 8; call setCpuDevices(9)",
    );
    expect(() => getNumDevices(0)).toThrow("requested must be a whole number of at least 1, got 0");
  });
});

describe("replicate and unreplicate", () => {
  it("add and drop a leading axis for devices", () => {
    const copies = replicate(state, 4);
    expect(copies.w.shape).toEqual([4, 3, 4]);
    expect(copies.w.slice(3).toArray()).toEqual(state.w.toArray());
    expect(copies.step.toArray()).toEqual([7, 7, 7, 7]);
    expect(copies.name).toBe("a");
    const single = unreplicate(copies);
    expect(single.w.toArray()).toEqual(state.w.toArray());
    expect(single.step.item()).toBe(7);
    expect(() => unreplicate(state)).toThrow("drops the leading axis for devices, but step is a scalar");
    expect(() => replicate(state, 0)).toThrow("n must be a whole number of at least 1, got 0");
  });
});

describe("splitKeyAcrossDevices", () => {
  it("gives each device a key of its own", () => {
    const keys = splitKeyAcrossDevices(random.key(0), 4);
    expect(keys.shape).toEqual([4, 2]);
    expect(keys.toArray()).toEqual(random.split(random.key(0), 4).toArray());
  });
});

describe("on a mesh", () => {
  const mesh = makeMesh({ numFsdpDevices: 2 });

  it("shardPytree splits the leading axis, replicateOnMesh copies", () => {
    const data = shardPytree({ obs: np.arange(32).reshape([16, 2]) }, mesh);
    expect(data.obs.addressableShards[3].data.toArray()).toEqual([
      [12, 13],
      [14, 15],
    ]);
    const params = replicateOnMesh(state, mesh);
    expect(params.w.isFullyReplicated).toBe(true);
    expect(params.w.addressableShards).toHaveLength(8);
    expect(params.name).toBe("a");
    expect(() => shardPytree({ obs: np.ones([6, 2]) }, mesh)).toThrow(
      "dimension 0 of an array of shape [6,2] has extent 6, which axes batch (4) × fsdp (2) = 8 do not divide (it is at obs)",
    );
  });

  it("arrays are saved as what they are, one array, whatever devices they lie on", () => {
    const params = { w: np.arange(48).reshape([8, 6]) };
    const placed = devicePut(params, fsdpSharding(params, mesh, { minSizeMbytes: 0 }));
    expect(placed.w.isFullyReplicated).toBe(false);
    const at = saveCheckpoint(temporaryFolder(), placed);
    expect(loadCheckpoint(at, params).w.toArray()).toEqual(params.w.toArray());
    expect(loadCheckpoint(at, placed).w.toArray()).toEqual(params.w.toArray());
  });

  it("copies are saved once and loaded for as many devices as wanted", () => {
    const at = saveCheckpoint(temporaryFolder(), replicate(state, 2), { unreplicate: true });
    expect(loadCheckpoint(at, state).w.toArray()).toEqual(state.w.toArray());
    const loaded = loadCheckpoint(at, state, { replicateTo: 4 });
    expect(loaded.w.shape).toEqual([4, 3, 4]);
    expect(loaded.step.toArray()).toEqual([7, 7, 7, 7]);
  });
});
