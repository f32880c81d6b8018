// Boxes of elements moved between places in memory, several combined into one on the way.
import { itemSize, type DType } from "../../array/index.js";
import type { ExchangeKernel } from "../kernel.js";
import type { Assembler } from "./assembler.js";
import type { Opcode } from "./opcodes.js";

export interface Box {
  readonly extents: readonly number[];
  /** Elements between neighbours; 1 along the last axis. */
  readonly fromStrides: readonly number[];
  readonly toStrides: readonly number[];
  /** Locals with what is added to the addresses of all sources, and of all targets. */
  readonly from: number;
  readonly to: number;
  /** What the sources hold is combined in this order, and goes to all targets. */
  readonly sources: readonly number[];
  readonly targets: readonly number[];
}

type Combine = Exclude<ExchangeKernel["combine"], null>;

/** From here on, the engine's own copying is faster than ours. */
const bulkBytes = 256;

export function moveBox(asm: Assembler, dtype: DType, combine: ExchangeKernel["combine"], box: Box): void {
  const { from, to, sources, targets } = box;
  const item = itemSize(dtype);
  const axes = joinedAxes(box);
  const length = axes.pop()?.extent ?? 1;
  const move = (fromLocal: number, toLocal: number): void => {
    const isCopy = sources.length === 1 && targets.length === 1;
    if (isCopy && length * item >= bulkBytes) {
      asm.get(toLocal).i32(targets[0]).op("i32.add");
      asm.get(fromLocal).i32(sources[0]).op("i32.add");
      asm.i32(length * item).op("memory.copy");
    } else moveRun(asm, dtype, combine, length, { from: fromLocal, to: toLocal, sources, targets });
  };
  const around = (depth: number, fromLocal: number, toLocal: number): void => {
    if (depth === axes.length) {
      move(fromLocal, toLocal);
      return;
    }
    const { extent, fromStride, toStride } = axes[depth];
    const [nextFrom, nextTo] = [asm.local("i32"), asm.local("i32")];
    asm.get(fromLocal).set(nextFrom).get(toLocal).set(nextTo);
    asm.repeat(extent, () => {
      around(depth + 1, nextFrom, nextTo);
      asm.advance(nextFrom, fromStride * item).advance(nextTo, toStride * item);
    });
    asm.release("i32", nextFrom).release("i32", nextTo);
  };
  around(0, from, to);
}

interface Axis {
  readonly extent: number;
  readonly fromStride: number;
  readonly toStride: number;
}

/** The axes of a box from the outermost inwards, those that continue each other on both sides made one. */
function joinedAxes({ extents, fromStrides, toStrides }: Box): Axis[] {
  const found: Axis[] = [{ extent: 1, fromStride: 1, toStride: 1 }];
  for (let axis = extents.length - 1; axis >= 0; axis--) {
    const [extent, fromStride, toStride] = [extents[axis], fromStrides[axis], toStrides[axis]];
    if (extent === 1) continue;
    const [inner] = found;
    if (inner.fromStride * inner.extent === fromStride && inner.toStride * inner.extent === toStride)
      found[0] = { ...inner, extent: inner.extent * extent };
    else found.unshift({ extent, fromStride, toStride });
  }
  return found;
}

const vectorOpcode: Record<Combine, Record<"float" | "int32" | "uint32" | "uint8" | "bool", Opcode>> = {
  add: { float: "f32x4.add", int32: "i32x4.add", uint32: "i32x4.add", uint8: "i8x16.add", bool: "v128.or" },
  max: {
    float: "f32x4.max",
    int32: "i32x4.max_s",
    uint32: "i32x4.max_u",
    uint8: "i8x16.max_u",
    bool: "v128.or",
  },
  min: {
    float: "f32x4.min",
    int32: "i32x4.min_s",
    uint32: "i32x4.min_u",
    uint8: "i8x16.min_u",
    bool: "v128.and",
  },
};

type Run = Pick<Box, "from" | "to" | "sources" | "targets">;

/** Elements that lie in a row on both sides: vectors, then what is left of one. */
function moveRun(
  asm: Assembler,
  dtype: DType,
  combine: ExchangeKernel["combine"],
  length: number,
  { from, to, sources, targets }: Run,
): void {
  const item = itemSize(dtype);
  const kind = dtype === "float32" || dtype === "float64" ? "float" : dtype;
  const value = asm.local("v128");
  /** One vector, or its first element. */
  const moveAt = (fromLocal: number, toLocal: number, offset: number, load: Opcode, store: Opcode): void => {
    sources.forEach((source, at) => {
      asm.get(fromLocal).op(load, source + offset);
      if (at > 0 && combine !== null) asm.op(vectorOpcode[combine][kind]);
    });
    asm.set(value);
    for (const target of targets)
      asm
        .get(toLocal)
        .get(value)
        .op(store, target + offset);
  };
  const vectors = Math.floor((length * item) / 16);
  const [nextFrom, nextTo] = [asm.local("i32"), asm.local("i32")];
  asm.get(from).set(nextFrom).get(to).set(nextTo);
  const perTurn = vectors >= 8 ? 4 : 1;
  asm.repeat(Math.floor(vectors / perTurn), () => {
    for (let at = 0; at < perTurn; at++) moveAt(nextFrom, nextTo, at * 16, "v128.load", "v128.store");
    asm.advance(nextFrom, perTurn * 16).advance(nextTo, perTurn * 16);
  });
  asm.repeat(vectors % perTurn, () => {
    moveAt(nextFrom, nextTo, 0, "v128.load", "v128.store");
    asm.advance(nextFrom, 16).advance(nextTo, 16);
  });
  asm.repeat(length - (vectors * 16) / item, () => {
    if (item === 4) moveAt(nextFrom, nextTo, 0, "v128.load32_zero", "v128.store32_lane");
    else moveAt(nextFrom, nextTo, 0, "v128.load8_splat", "v128.store8_lane");
    asm.advance(nextFrom, item).advance(nextTo, item);
  });
  asm.release("i32", nextFrom).release("i32", nextTo).release("v128", value);
}
