// How observations and actions of several environments lie in typed arrays.
import { sizeOf, type DType } from "../array/index.js";
import type { Space } from "../env/index.js";
import type { HostAction, HostArray } from "./types.js";

/** The elements of one side, observations or actions. */
export interface Layout {
  readonly space: Space;
  /** Elements for each environment. */
  readonly size: number;
  readonly kind: ArrayKind;
}

export type ArrayKind = "Float32Array" | "Int32Array" | "Uint8Array";

const kinds: Readonly<Partial<Record<DType, ArrayKind>>> = {
  float32: "Float32Array",
  int32: "Int32Array",
  uint8: "Uint8Array",
  bool: "Uint8Array",
};

export function layoutOf(space: Space): Layout {
  const kind = kinds[space.dtype];
  // Spaces have no other dtypes.
  if (kind === undefined) throw new Error(`no typed array for ${String(space)}`);
  return { space, size: sizeOf(space.shape), kind };
}

const constructors = { Float32Array, Int32Array, Uint8Array };

/** Zeros for `count` environments. */
export const newArray = ({ kind, size }: Layout, count: number): HostArray =>
  new constructors[kind](count * size);

/** A view of shared memory for `count` environments. */
export const viewArray = (
  { kind, size }: Layout,
  count: number,
  buffer: ArrayBufferLike,
  byteOffset: number,
): HostArray => new constructors[kind](buffer as ArrayBuffer, byteOffset, count * size);

export const bytesOf = ({ kind, size }: Layout, count: number): number =>
  count * size * constructors[kind].BYTES_PER_ELEMENT;

/** The name of a value's class if it is a typed array of any realm. */
export const kindOfArray = (value: unknown): string | undefined =>
  ArrayBuffer.isView(value)
    ? (value as unknown as { [Symbol.toStringTag]: string })[Symbol.toStringTag]
    : undefined;

/** The action of one environment: a number for Discrete, else a copy that it may keep. */
export const actionAt = (actions: HostArray, { space, size }: Layout, index: number): HostAction =>
  space.kind === "Discrete" ? actions[index] : actions.slice(index * size, (index + 1) * size);

/** What is wrong with the actions of all environments; `null` if nothing is. */
export function actionProblem(actions: HostArray, layout: Layout, count: number): string | null {
  const { kind, size, space } = layout;
  const given = kindOfArray(actions);
  if (given !== kind || actions.length !== count * size) {
    const what = given === undefined ? "something else" : `a ${given} of ${actions.length}`;
    return `takes actions as a ${kind} of ${count * size} (${count} × ${String(space)}), got ${what}`;
  }
  const most = space.kind === "Discrete" ? space.n - 1 : space.kind === "MultiBinary" ? 1 : null;
  for (let at = 0; at < actions.length; at++) {
    const value = actions[at];
    if (most !== null ? value < 0 || value > most : value - value !== 0) {
      return `the action of environment ${Math.floor(at / size)} is ${value}, not in ${String(space)}`;
    }
  }
  return null;
}
