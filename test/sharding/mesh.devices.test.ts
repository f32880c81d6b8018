// The mesh of a training run.
import { describe, expect, it } from "vitest";
import { devices, meshOfShape } from "vibe-rl/array";
import { currentMesh, makeMesh, setMesh } from "vibe-rl/sharding";

describe("makeMesh", () => {
  it("arranges the devices along batch and fsdp", () => {
    expect(makeMesh().shape).toEqual({ batch: 8, fsdp: 1 });
    expect(makeMesh({ numFsdpDevices: 2 }).shape).toEqual({ batch: 4, fsdp: 2 });
    const mesh = makeMesh({ numFsdpDevices: 2, numDevices: 4 });
    expect(mesh.axisNames).toEqual(["batch", "fsdp"]);
    expect(mesh.devices).toEqual(devices().slice(0, 4));
    expect(mesh.equals(meshOfShape([2, 2], ["batch", "fsdp"]))).toBe(true);
  });

  it("says what does not fit, and how to get more devices", () => {
    expect(() => makeMesh({ numDevices: 8, numFsdpDevices: 3 })).toThrow(
      "makeMesh: numDevices 8 is not divisible by numFsdpDevices 3",
    );
    expect(() => makeMesh({ numDevices: 16 })).toThrow(
      "numDevices is 16, and there are 8 devices; call setCpuDevices(16) before anything uses devices, or set VIBE_RL_CPU_DEVICES=16",
    );
    expect(() => makeMesh({ numFsdpDevices: 0 })).toThrow(
      "numFsdpDevices must be a whole number of at least 1, got 0",
    );
    expect(() => makeMesh({ numFsdpDevice: 2 } as object)).toThrow("did you mean `numFsdpDevices`?");
  });
});

describe("setMesh", () => {
  it("makes a mesh current while a function runs, and returns its result", () => {
    expect(currentMesh()).toBeNull();
    const result = setMesh({ numFsdpDevices: 2 }, (mesh) => {
      expect(currentMesh()).toBe(mesh);
      const inner = setMesh({ numDevices: 2 }, () => currentMesh()?.size);
      expect(inner).toBe(2);
      expect(currentMesh()).toBe(mesh);
      return mesh.shape.batch;
    });
    expect(result).toBe(4);
    expect(currentMesh()).toBeNull();
  });

  it("holds until a promise is settled", async () => {
    const running = setMesh({}, async (mesh) => {
      await Promise.resolve();
      expect(currentMesh()).toBe(mesh);
      return mesh.size;
    });
    expect(currentMesh()).not.toBeNull();
    expect(await running).toBe(8);
    expect(currentMesh()).toBeNull();
  });

  it("ends when the function throws", async () => {
    const broken = (): never => {
      throw new Error("broken");
    };
    expect(() => setMesh({}, broken)).toThrow("broken");
    expect(currentMesh()).toBeNull();
    await expect(setMesh({}, () => Promise.resolve().then(broken))).rejects.toThrow("broken");
    expect(currentMesh()).toBeNull();
  });
});
