// The mesh that training runs on: copies of the model along "batch", parts of it along "fsdp".
import {
  check,
  checkOptions,
  devices,
  fail,
  howToGetDevices,
  meshOfShape,
  rules,
  type Mesh,
} from "../array/index.js";

/** The mesh's axes: data is split along both, parameters along the second alone. */
export const batchAxis = "batch";
export const fsdpAxis = "fsdp";

export interface MeshOptions {
  /** Over how many devices large parameters are split; 1, the default, leaves them whole. */
  readonly numFsdpDevices?: number;
  /** How many devices there are in the mesh; all by default. */
  readonly numDevices?: number;
  /** What they are: "cpu", the default, or "gpu" for those of XLA. */
  readonly platform?: string;
}

/**
 * The first `numDevices` devices as a mesh with the axes "batch" and "fsdp": of 8 devices and `numFsdpDevices` 2, four
 * pairs.
 */
export function makeMesh(options: MeshOptions = {}): Mesh {
  return meshFor("makeMesh", options);
}

function meshFor(operation: string, options: MeshOptions): Mesh {
  checkOptions(operation, options, ["numFsdpDevices", "numDevices", "platform"]);
  const { platform = "cpu" } = options;
  const all = devices(platform);
  const available = all.length;
  const { numFsdpDevices = 1, numDevices = available } = options;
  check(operation, "numFsdpDevices", numFsdpDevices, rules.whole(1));
  check(operation, "numDevices", numDevices, rules.whole(1));
  if (numDevices > available) {
    fail(
      operation,
      `numDevices is ${numDevices}, and there ${available === 1 ? "is 1 device" : `are ${available} devices`}` +
        (platform === "cpu" ? `; ${howToGetDevices(numDevices)}` : ` on the platform ${platform}`),
    );
  }
  if (numDevices % numFsdpDevices !== 0) {
    fail(
      operation,
      `numDevices ${numDevices} is not divisible by numFsdpDevices ${numFsdpDevices}; ` +
        "every part of the model needs as many devices as every other",
    );
  }
  return meshOfShape([numDevices / numFsdpDevices, numFsdpDevices], [batchAxis, fsdpAxis], all);
}

const active: Mesh[] = [];

/** The mesh of the innermost `setMesh` that is running, or null. */
export const currentMesh = (): Mesh | null => active.at(-1) ?? null;

/**
 * Makes a mesh and calls `fn` with it; meanwhile it is the current one. Returns what `fn` returns, and if that is a
 * promise, the mesh stays current until it is settled.
 */
export function setMesh<R>(options: MeshOptions, fn: (mesh: Mesh) => R): R {
  check("setMesh", "its second argument", fn, rules.callable);
  const mesh = meshFor("setMesh", options);
  active.push(mesh);
  const leave = (): void => {
    active.splice(active.lastIndexOf(mesh), 1);
  };
  let result: R;
  try {
    result = fn(mesh);
  } catch (error) {
    leave();
    throw error;
  }
  if (result instanceof Promise) return result.finally(leave) as R;
  leave();
  return result;
}
