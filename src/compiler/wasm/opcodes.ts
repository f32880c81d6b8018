// The WebAssembly instructions that we emit: their bytes, and what immediates follow.
import { Bytes } from "./bytes.js";

/** What stands behind an opcode in the binary. */
export type Immediate =
  | "none"
  | "index"
  | "block"
  | "memory"
  | "i32"
  | "f32"
  | "v128"
  | "lane"
  | "lanes"
  | "memoryLane"
  | "atomic"
  | "bulk";

const table = {
  // control
  unreachable: [0x00],
  block: [0x02, "block"],
  loop: [0x03, "block"],
  if: [0x04, "block"],
  else: [0x05],
  end: [0x0b],
  br: [0x0c, "index"],
  br_if: [0x0d, "index"],
  return: [0x0f],
  call: [0x10, "index"],
  drop: [0x1a],
  select: [0x1b],
  "local.get": [0x20, "index"],
  "local.set": [0x21, "index"],
  "local.tee": [0x22, "index"],
  // memory
  "i32.load": [0x28, "memory"],
  "i64.load": [0x29, "memory"],
  "f32.load": [0x2a, "memory"],
  "i32.load8_u": [0x2d, "memory"],
  "i32.store": [0x36, "memory"],
  "i64.store": [0x37, "memory"],
  "f32.store": [0x38, "memory"],
  "i32.store8": [0x3a, "memory"],
  "memory.copy": [0xfc0a, "bulk"],
  "memory.fill": [0xfc0b, "bulk"],
  // memory that threads share
  "memory.atomic.notify": [0xfe00, "atomic"],
  "memory.atomic.wait32": [0xfe01, "atomic"],
  "i32.atomic.load": [0xfe10, "atomic"],
  "i32.atomic.store": [0xfe17, "atomic"],
  "i32.atomic.rmw.add": [0xfe1e, "atomic"],
  // scalars
  "i32.const": [0x41, "i32"],
  "i64.const": [0x42, "i32"],
  "f32.const": [0x43, "f32"],
  "i32.eqz": [0x45],
  "i32.eq": [0x46],
  "i32.ne": [0x47],
  "i32.lt_s": [0x48],
  "i32.lt_u": [0x49],
  "i32.gt_s": [0x4a],
  "i32.gt_u": [0x4b],
  "i32.le_s": [0x4c],
  "i32.le_u": [0x4d],
  "i32.ge_s": [0x4e],
  "i32.ge_u": [0x4f],
  "i64.le_u": [0x58],
  "f32.eq": [0x5b],
  "f32.ne": [0x5c],
  "f32.lt": [0x5d],
  "f32.gt": [0x5e],
  "f32.le": [0x5f],
  "f32.ge": [0x60],
  "i32.add": [0x6a],
  "i32.sub": [0x6b],
  "i32.mul": [0x6c],
  "i32.div_u": [0x6e],
  "i32.rem_u": [0x70],
  "i32.and": [0x71],
  "i32.or": [0x72],
  "i32.xor": [0x73],
  "i32.shl": [0x74],
  "i32.shr_s": [0x75],
  "i32.shr_u": [0x76],
  "i64.or": [0x84],
  "i64.shl": [0x86],
  "i64.shr_u": [0x88],
  "f32.add": [0x92],
  "f32.mul": [0x94],
  "f32.min": [0x96],
  "f32.max": [0x97],
  "i32.wrap_i64": [0xa7],
  "i64.extend_i32_u": [0xad],
  "i32.reinterpret_f32": [0xbc],
  "f32.reinterpret_i32": [0xbe],
  // vectors: memory
  "v128.load": [0xfd00, "memory"],
  "v128.load8_splat": [0xfd07, "memory"],
  "v128.load32_splat": [0xfd09, "memory"],
  "v128.store": [0xfd0b, "memory"],
  "v128.const": [0xfd0c, "v128"],
  "i8x16.shuffle": [0xfd0d, "lanes"],
  "i32x4.splat": [0xfd11],
  "f32x4.splat": [0xfd13],
  "f64x2.splat": [0xfd14],
  "i32x4.extract_lane": [0xfd1b, "lane"],
  "i32x4.replace_lane": [0xfd1c, "lane"],
  "f32x4.extract_lane": [0xfd1f, "lane"],
  "f32x4.replace_lane": [0xfd20, "lane"],
  "v128.load32_lane": [0xfd56, "memoryLane"],
  "v128.store8_lane": [0xfd58, "memoryLane"],
  "v128.store32_lane": [0xfd5a, "memoryLane"],
  "v128.load32_zero": [0xfd5c, "memory"],
  // vectors: comparison and logic
  "i32x4.eq": [0xfd37],
  "i32x4.ne": [0xfd38],
  "i32x4.lt_s": [0xfd39],
  "i32x4.lt_u": [0xfd3a],
  "i32x4.gt_s": [0xfd3b],
  "i32x4.le_s": [0xfd3d],
  "i32x4.le_u": [0xfd3e],
  "i32x4.ge_s": [0xfd3f],
  "f32x4.eq": [0xfd41],
  "f32x4.ne": [0xfd42],
  "f32x4.lt": [0xfd43],
  "f32x4.gt": [0xfd44],
  "f32x4.le": [0xfd45],
  "f32x4.ge": [0xfd46],
  "f64x2.eq": [0xfd47],
  "f64x2.ne": [0xfd48],
  "f64x2.lt": [0xfd49],
  "f64x2.ge": [0xfd4c],
  "v128.not": [0xfd4d],
  "v128.and": [0xfd4e],
  "v128.andnot": [0xfd4f],
  "v128.or": [0xfd50],
  "v128.xor": [0xfd51],
  "v128.bitselect": [0xfd52],
  "v128.any_true": [0xfd53],
  "i32x4.all_true": [0xfda3],
  // vectors: bytes
  "i8x16.add": [0xfd6e],
  "i8x16.min_u": [0xfd77],
  "i8x16.max_u": [0xfd79],
  // vectors: integers
  "i8x16.narrow_i16x8_u": [0xfd66],
  "i16x8.narrow_i32x4_u": [0xfd86],
  "i16x8.extend_low_i8x16_u": [0xfd89],
  "i32x4.extend_low_i16x8_u": [0xfda9],
  "i32x4.abs": [0xfda0],
  "i32x4.neg": [0xfda1],
  "i32x4.shl": [0xfdab],
  "i32x4.shr_s": [0xfdac],
  "i32x4.shr_u": [0xfdad],
  "i32x4.add": [0xfdae],
  "i32x4.sub": [0xfdb1],
  "i32x4.mul": [0xfdb5],
  "i32x4.min_s": [0xfdb6],
  "i32x4.min_u": [0xfdb7],
  "i32x4.max_s": [0xfdb8],
  "i32x4.max_u": [0xfdb9],
  "i64x2.shl": [0xfdcb],
  "i64x2.shr_u": [0xfdcd],
  "i64x2.add": [0xfdce],
  "i64x2.sub": [0xfdd1],
  "i64x2.eq": [0xfdd6],
  // vectors: floats
  "f32x4.ceil": [0xfd67],
  "f32x4.floor": [0xfd68],
  "f32x4.trunc": [0xfd69],
  "f32x4.nearest": [0xfd6a],
  "f32x4.abs": [0xfde0],
  "f32x4.neg": [0xfde1],
  "f32x4.sqrt": [0xfde3],
  "f32x4.add": [0xfde4],
  "f32x4.sub": [0xfde5],
  "f32x4.mul": [0xfde6],
  "f32x4.div": [0xfde7],
  "f32x4.min": [0xfde8],
  "f32x4.max": [0xfde9],
  "f32x4.pmin": [0xfdea],
  "f32x4.pmax": [0xfdeb],
  "f32x4.relaxed_madd": [0xfd105],
  "f64x2.abs": [0xfdec],
  "f64x2.add": [0xfdf0],
  "f64x2.sub": [0xfdf1],
  "f64x2.mul": [0xfdf2],
  "f64x2.div": [0xfdf3],
  "f64x2.pmin": [0xfdf6],
  "f64x2.pmax": [0xfdf7],
  "f64x2.trunc": [0xfd7a],
  "f64x2.nearest": [0xfd94],
  // vectors: conversion
  "f32x4.demote_f64x2_zero": [0xfd5e],
  "f64x2.promote_low_f32x4": [0xfd5f],
  "i32x4.trunc_sat_f32x4_s": [0xfdf8],
  "i32x4.trunc_sat_f32x4_u": [0xfdf9],
  "f32x4.convert_i32x4_s": [0xfdfa],
  "f32x4.convert_i32x4_u": [0xfdfb],
  "i32x4.trunc_sat_f64x2_s_zero": [0xfdfc],
  "i32x4.trunc_sat_f64x2_u_zero": [0xfdfd],
  "f64x2.convert_low_i32x4_s": [0xfdfe],
  "f64x2.convert_low_i32x4_u": [0xfdff],
} as const satisfies Record<string, readonly [code: number, immediate?: Immediate]>;

export type Opcode = keyof typeof table;

interface Encoding {
  readonly bytes: Uint8Array;
  readonly immediate: Immediate;
}

/** The bytes of an opcode: one, or a prefix and a LEB128 number (0xfd105 is 0xfd, 0x85, 0x02). */
function encode(code: number): Uint8Array {
  if (code < 0x100) return Uint8Array.of(code);
  const isLong = code > 0xffff;
  const prefix = code >> (isLong ? 12 : 8);
  return new Bytes()
    .byte(prefix)
    .unsigned(code & (isLong ? 0xfff : 0xff))
    .view()
    .slice();
}

/** How every instruction is encoded. */
export const encodings = new Map<string, Encoding>(
  Object.entries(table).map(([name, [code, immediate]]) => [
    name,
    { bytes: encode(code), immediate: immediate ?? "none" },
  ]),
);
