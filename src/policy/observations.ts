// Observations as plain data, put into the storage that a program reads from.
import {
  arrayType,
  concrete,
  fail,
  itemSize,
  viewBytes,
  type Array,
  type DType,
  type Nested,
  type Shape,
  type TypedArray,
} from "../array/index.js";
import type { PlainObs } from "./types.js";

const countOf = (shape: Shape): number => shape.reduce((product, extent) => product * extent, 1);

/** Turns observations of one kind into arrays. */
export interface ObsReader {
  /** One observation, (...obsShape). What it gives is good until the next call. */
  readonly one: (obs: PlainObs) => Array;
  /** Writes one observation to where a program reads it. */
  readonly write: (obs: PlainObs, target: TypedArray) => void;
  /** Several, (B, ...obsShape). */
  readonly several: (obs: readonly PlainObs[] | Float32Array) => Array;
}

export function obsReader(shape: Shape, dtype: DType): ObsReader {
  const size = countOf(shape);
  const type = arrayType(shape, dtype);
  const scratch = storage(dtype, size);
  const shown = `[${shape.join()}]`;
  const wants = `an observation has shape ${shown}, ${size} numbers`;
  const one = (obs: PlainObs): Array => {
    if (obs instanceof Float32Array && dtype === "float32") {
      if (obs.length !== size) fail("policy.act", `${wants}; got a Float32Array of ${obs.length}`);
      return concrete(type, obs);
    }
    fill("policy.act", wants, obs, scratch, 0, size);
    return concrete(type, scratch);
  };
  const write = (obs: PlainObs, target: TypedArray): void => {
    if (obs instanceof Float32Array && dtype === "float32") {
      if (obs.length !== size) fail("policy.act", `${wants}; got a Float32Array of ${obs.length}`);
      target.set(obs);
    } else fill("policy.act", wants, obs, target, 0, size);
  };
  const several = (obs: readonly PlainObs[] | Float32Array): Array => {
    if (ArrayBuffer.isView(obs)) return flat(obs);
    if (!globalThis.Array.isArray(obs)) {
      fail("policy.actBatch", `takes a list of observations or a typed array, got ${typeof obs}`);
    }
    const all = storage(dtype, obs.length * size);
    obs.forEach((each: PlainObs, at) => fill("policy.actBatch", wants, each, all, at * size, size));
    return concrete(arrayType([obs.length, ...shape], dtype), all);
  };
  const flat = (obs: TypedArray): Array => {
    if (obs.length % size !== 0) {
      fail(
        "policy.actBatch",
        `${wants}; got a typed array of ${obs.length}, which is no whole number of them`,
      );
    }
    const all = storage(dtype, obs.length);
    all.set(obs);
    return concrete(arrayType([obs.length / size, ...shape], dtype), all);
  };
  return { one, write, several };
}

const storage = (dtype: DType, size: number): TypedArray =>
  viewBytes(dtype, new ArrayBuffer(size * itemSize(dtype)), 0, size);

/** Writes the numbers of one observation to their place. */
function fill(
  operation: string,
  wants: string,
  obs: PlainObs,
  into: TypedArray,
  start: number,
  size: number,
): void {
  if (typeof obs !== "object" || obs === null) fail(operation, `${wants}; got ${String(obs)}`);
  const isNested = globalThis.Array.isArray(obs) && typeof obs[0] === "object";
  const numbers = isNested ? ((obs as readonly Nested[]).flat(8) as number[]) : (obs as ArrayLike<number>);
  if (numbers.length !== size) fail(operation, `${wants}; got ${numbers.length}`);
  for (let at = 0; at < size; at++) {
    const value: unknown = numbers[at];
    if (typeof value !== "number" && typeof value !== "boolean") {
      fail(operation, `${wants}; got ${typeof value} in place ${at}`);
    }
    into[start + at] = Number(value);
  }
}
