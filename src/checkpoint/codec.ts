// Trees as tensors and an outline, and back.
import {
  Array,
  arrayType,
  concrete,
  itemSize,
  tree,
  viewBytes,
  type DType,
  type TypedArray,
} from "../array/index.js";
import { extendPath } from "../files/index.js";
import { CheckpointError, DamagedCheckpointError } from "./errors.js";
import { firstMisfit, leavesOf, namedLeaves, outlineOf, partOf, type Outline } from "./outline.js";
import { metadataKey, type Tensor } from "./safetensors.js";

/** A tree taken apart. The tensors are copies: nothing that happens to the tree later shows in them. */
export interface EncodedTree {
  readonly outline: Outline;
  readonly tensors: readonly Tensor[];
}

/** The name of a tensor. An array that is the whole tree has no path. */
const tensorName = (path: string): string => (path === "" ? "array" : path);

/** Takes a tree apart; `unreplicate` keeps the first entry of every array's leading axis. */
export function encodeTree(operation: string, of: unknown, unreplicate: boolean): EncodedTree {
  const single = unreplicate ? firstReplica(operation, of) : of;
  const outline = outlineOf(operation, single);
  const tensors = namedLeaves(single).flatMap(({ path, leaf }): Tensor[] => {
    if (path === metadataKey) {
      throw new CheckpointError(
        `${operation}: the key ${metadataKey} belongs to the file format; name it otherwise`,
      );
    }
    const name = tensorName(path);
    if (leaf instanceof Array)
      return [{ name, dtype: leaf.dtype, shape: leaf.shape, bytes: bytesOf(leaf.data()) }];
    if (!ArrayBuffer.isView(leaf)) return [];
    const copy = (leaf as TypedArray).slice();
    return [{ name, dtype: storageDType(copy), shape: [copy.length], bytes: bytesOf(copy) }];
  });
  return { outline, tensors };
}

const bytesOf = (data: TypedArray): Uint8Array =>
  new Uint8Array(data.buffer, data.byteOffset, data.byteLength);

const storageDType = (data: TypedArray): DType =>
  data instanceof Float32Array
    ? "float32"
    : data instanceof Float64Array
      ? "float64"
      : data instanceof Int32Array
        ? "int32"
        : data instanceof Uint32Array
          ? "uint32"
          : "uint8";

/** The tree of the first entries along every array's leading axis. */
function firstReplica(operation: string, of: unknown): unknown {
  return tree.mapWithPath((path: string, leaf: unknown) => {
    if (!(leaf instanceof Array)) return leaf;
    if (leaf.ndim === 0) {
      throw new CheckpointError(
        `${operation}: unreplicate drops the leading device axis, but ${path === "" ? "the array" : path} is a scalar; ` +
          `replicate it first or save without unreplicate`,
      );
    }
    return leaf.slice(0);
  }, of);
}

/** A tree as it was stored. */
export interface StoredTree {
  readonly outline: Outline;
  readonly tensors: ReadonlyMap<string, Tensor>;
}

export interface DecodeOptions {
  /** How many copies of every array to make, along a new leading axis; `null` makes none. */
  readonly replicas?: number | null;
  /** Whether the template may leave out keys of objects, which are passed over. */
  readonly partial?: boolean;
}

/** The tree of a template's structure with what was saved. */
export function decodeTree<T>(
  operation: string,
  { outline, tensors }: StoredTree,
  like: T,
  { replicas = null, partial = false }: DecodeOptions = {},
): T {
  const wanted = outlineOf(operation, like);
  const saved = partial ? partOf(outline, wanted) : outline;
  const misfit = firstMisfit(saved, wanted, replicas);
  if (misfit !== null) {
    throw new CheckpointError(
      `${operation}: the checkpoint does not fit the template ${misfit}. Load it with the config it was saved with`,
    );
  }
  const leaves = leavesOf(saved).map(({ path, at }) =>
    decodeLeaf(at, tensors.get(tensorName(path)), path, replicas),
  );
  return tree.unflatten<T>(tree.structure(like), leaves);
}

/** The whole tree as plain objects and lists, without a template. */
export function decodeWhole(operation: string, { outline, tensors }: StoredTree): unknown {
  const visit = (at: Outline, path: string): unknown => {
    if ("nothing" in at) return at.nothing === "null" ? null : undefined;
    if ("list" in at) return at.list.map((child, index) => visit(child, extendPath(path, index)));
    if ("object" in at) {
      const entries = Object.entries(at.object);
      return Object.fromEntries(entries.map(([key, child]) => [key, visit(child, extendPath(path, key))]));
    }
    if ("custom" in at) {
      throw new CheckpointError(
        `${operation}: ${path === "" ? "the tree" : path} is a ${at.custom}, which only a template can tell how to ` +
          "make; give a tree of the same structure",
      );
    }
    return decodeLeaf(at, tensors.get(tensorName(path)), path, null);
  };
  return visit(outline, "");
}

function decodeLeaf(at: Outline, tensor: Tensor | undefined, path: string, replicas: number | null): unknown {
  if ("number" in at) return Number(at.number);
  if ("boolean" in at) return at.boolean;
  if ("string" in at) return at.string;
  if (!("array" in at || "typedArray" in at))
    throw new DamagedCheckpointError(`${path} is of an unknown kind`);
  const dtype = "array" in at ? at.array : at.typedArray;
  if (tensor?.dtype !== dtype || tensor.shape.join() !== at.shape.join()) {
    throw new DamagedCheckpointError(`the tensors do not hold ${path} as the outline says`);
  }
  const { buffer, byteOffset, byteLength } = tensor.bytes;
  const elements = viewBytes(dtype, buffer as ArrayBuffer, byteOffset, byteLength / itemSize(dtype));
  if ("typedArray" in at) return elements;
  const weak = at.weak === true;
  if (replicas === null) return concrete(arrayType(at.shape, dtype, weak), elements);
  return concrete(arrayType([replicas, ...at.shape], dtype, weak), repeat(elements, replicas));
}

/** The elements several times over. */
function repeat<E extends TypedArray>(elements: E, times: number): E {
  const all = new (elements.constructor as new (length: number) => E)(elements.length * times);
  for (let copy = 0; copy < times; copy++) all.set(elements, copy * elements.length);
  return all;
}
