// What devices do together. Every device runs the same program on its own blocks; these equations are where they
// meet. Devices that differ along `axes` only form a group, in the order of their positions along `axes`.
import type { Batched, Primitive } from "../core/primitive.js";
import type { ArrayType } from "../core/type.js";
import { arrayType } from "../core/type.js";
import { fail } from "../core/errors.js";

export interface CollectiveParams {
  readonly axes: readonly string[];
}

export interface TiledParams extends CollectiveParams {
  /** How many devices a group has. */
  readonly size: number;
  /** The dimension along which blocks lie side by side. */
  readonly axis: number;
}

export interface PermuteDevicesParams {
  readonly axes: readonly [string];
  readonly size: number;
  /** Pairs of sender and receiver; who receives nothing gets zeros. */
  readonly pairs: readonly (readonly [from: number, to: number])[];
}

export interface AllToAllParams extends CollectiveParams {
  readonly size: number;
  /** The dimension that is cut, one piece for each device. */
  readonly split: number;
  /** The dimension along which the pieces received are joined. */
  readonly join: number;
}

const alone = (name: string) => (): never =>
  fail(name, "it needs devices to work together: use it in shardMap, or in vmap with an axisName");

const notYet = (name: string) => (): Batched => fail(name, "cannot be vectorised yet");

const collective = <P extends object>(
  name: string,
  infer: (inputs: readonly ArrayType[], params: P) => ArrayType[],
): Primitive<P> => ({
  name,
  infer,
  evaluate: alone(name),
  jvp: alone(name),
  batch: notYet(name),
});

const same = (inputs: readonly ArrayType[]): ArrayType[] => [...inputs];

const resized = (type: ArrayType, axis: number, resize: (extent: number) => number): ArrayType =>
  arrayType(
    type.shape.map((extent, at) => (at === axis ? resize(extent) : extent)),
    type.dtype,
  );

/** Any number of arrays, each summed over the group. All devices get the same bits. */
export const psum = collective<CollectiveParams>("psum", same);
export const pmax = collective<CollectiveParams>("pmax", same);
export const pmin = collective<CollectiveParams>("pmin", same);

/** The blocks of the group, side by side along `axis`. */
export const allGather = collective<TiledParams>("allGather", ([x], { axis, size }) => [
  resized(x, axis, (extent) => extent * size),
]);

/** Sums over the group, of which each device keeps its block along `axis`. */
export const psumScatter = collective<TiledParams>("psumScatter", ([x], { axis, size }) => [
  resized(x, axis, (extent) => extent / size),
]);

/** Blocks that change hands. */
export const ppermute = collective<PermuteDevicesParams>("ppermute", same);

/** Each device cuts its block along `split` and gets one piece from every device, joined along `join`. */
export const allToAll = collective<AllToAllParams>("allToAll", ([x], { split, join, size }) => [
  resized(
    resized(x, split, (extent) => extent / size),
    join,
    (extent) => extent * size,
  ),
]);

/** The device's number in its group, an int32 scalar. */
export const axisIndex = collective<CollectiveParams>("axisIndex", () => [arrayType([], "int32")]);
