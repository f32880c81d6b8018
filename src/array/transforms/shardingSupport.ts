// What splits programs over devices. The first mesh brings it along, so that programs for one device do without it.
import type { Array } from "../core/array.js";
import { fail } from "../core/errors.js";
import type { Program } from "../core/program.js";
import type { FlatTree } from "../lax/leaves.js";
import type { SplitProgram } from "../partition/partition.js";
import type { Mesh } from "../sharding/mesh.js";
import type { Shardings } from "../sharding/placement.js";
import type { Structure } from "../tree/structure.js";
import type { Backend } from "./backend.js";

/** Where a function's arrays are asked to lie. */
export interface AskedShardings {
  readonly inShardings?: Shardings | "auto" | undefined;
  readonly outShardings?: Shardings | undefined;
  readonly mesh?: Mesh | undefined;
}

/** A traced function with its arguments; `null` stands for those that are no data. */
export interface TracedFunction {
  readonly args: readonly (FlatTree | null)[];
  readonly result: Structure;
  readonly program: Program;
}

/** How a function is split over a mesh. */
export interface MeshPlan {
  readonly mesh: Mesh;
  /** The program of one device; the first inputs are constants. */
  readonly split: (program: Program, constants: number) => SplitProgram;
  /** A backend that compiles for all devices. */
  readonly over: (backend: Backend) => Backend;
}

export interface ShardingSupport {
  /** What of an array's place a function is compiled for. */
  readonly placeKey: (array: Array) => string;
  /** The plan for a function; null if it is for one device. */
  readonly plan: (operation: string, asked: AskedShardings, traced: TracedFunction) => MeshPlan | null;
}

let support: ShardingSupport | null = null;
let makeSupport: (() => ShardingSupport) | null = null;

/** Says where support comes from when it is first needed. */
export const offerSharding = (make: () => ShardingSupport): void => {
  makeSupport = make;
};

export const supportSharding = (): void => {
  support ??= makeSupport?.() ?? null;
};

export const placeKeyOf = (array: Array): string =>
  array.remote === null || support === null ? "" : support.placeKey(array);

/** The plan for a function; null if it is for one device. */
export function planFor(operation: string, asked: AskedShardings, traced: TracedFunction): MeshPlan | null {
  const isChosen = asked.inShardings === "auto";
  if (isChosen) supportSharding();
  if (support !== null) return support.plan(operation, asked, traced);
  // Only in bundles, which leave out what nothing refers to.
  if (isChosen) {
    fail(
      operation,
      'inShardings "auto" splits over a mesh, which is not in this bundle; give one as the option mesh, such as ' +
        'meshOfShape([4], ["batch"])',
    );
  }
  return null;
}
