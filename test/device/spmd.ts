// Programs with collectives, run on devices that are threads, for tests.
import {
  arrayType,
  sizeOf,
  type Array,
  type DType,
  type NamedAxis,
  type Shards,
} from "../../src/array/index.js";
import { traceProgram } from "../../src/array/core/trace.js";
import { countAlong } from "../../src/array/sharding/axes.js";
import { wasmBackend } from "../../src/device/wasm/backend.js";

export const { spmd, spmdAsync } = wasmBackend() as Required<ReturnType<typeof wasmBackend>>;

export interface Block {
  readonly shape: readonly number[];
  readonly dtype?: DType;
  /** The element of a device at a row-major position. */
  readonly at: (device: number, position: number) => number;
}

const storage = {
  float32: Float32Array,
  float64: Float64Array,
  int32: Int32Array,
  uint32: Uint32Array,
  uint8: Uint8Array,
  bool: Uint8Array,
} as const;

export const shardsOf = ({ shape, dtype = "float32", at }: Block): Shards => ({
  read: (device) =>
    new storage[dtype](
      globalThis.Array.from({ length: sizeOf(shape) }, (_, position) => at(device, position)),
    ),
});

/** One axis of so many devices. */
export const line = (size: number): NamedAxis[] => [{ name: "data", size }];

/** Four devices in a square. */
export const square: readonly NamedAxis[] = [
  { name: "data", size: 2 },
  { name: "model", size: 2 },
];

export interface TogetherOptions {
  readonly donated?: readonly boolean[];
  readonly name?: string;
}

/** A function of blocks, compiled for devices along axes. */
export function compileTogether(
  axes: readonly NamedAxis[],
  blocks: readonly Pick<Block, "shape" | "dtype">[],
  f: (...blocks: Array[]) => readonly Array[],
  { donated = blocks.map(() => false), name = "test" }: TogetherOptions = {},
) {
  const types = blocks.map(({ shape, dtype = "float32" }) => arrayType(shape, dtype));
  const { program, captures } = traceProgram(name, types, (inputs) => f(...inputs));
  return spmd(program, { name, axes, constants: captures, donated });
}

/** What every device has of every result. */
export const readAll = (shards: readonly Shards[], devices: number): number[][][] =>
  shards.map((one) => globalThis.Array.from({ length: devices }, (_, device) => [...one.read(device)]));

/** Runs a function of blocks on devices along axes; the results of each, by device. */
export const runTogether = (
  axes: readonly NamedAxis[],
  blocks: readonly Block[],
  f: (...blocks: Array[]) => readonly Array[],
): number[][][] => readAll(compileTogether(axes, blocks, f).run(blocks.map(shardsOf)), countAlong(axes));
