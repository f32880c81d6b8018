// Operands of an instruction as expressions of C.
import { f32, cType, isFloat, isSame, u32, u64, unsigned, type Kind } from "./kinds.js";
import { wholeNumber } from "./parse.js";
import type { Scope } from "./scope.js";
import type { Instruction, Operand } from "./syntax.js";
import { PtxError } from "./tokens.js";

/** What special registers are in C; those of two more axes are 0, and their extents 1. */
const special: Readonly<Record<string, readonly [Kind, string]>> = {
  "%tid.x": [u32, "F->thread"],
  "%ntid.x": [u32, "THREADS"],
  "%ctaid.x": [u32, "F->block->index"],
  "%nctaid.x": [u32, "BLOCKS"],
  "%laneid": [u32, "(F->thread & 31u)"],
  "%warpid": [u32, "(F->thread >> 5)"],
  "%nwarpid": [u32, "((THREADS + 31u) >> 5)"],
  "%smid": [u32, "F->block->index"],
  "%nsmid": [u32, "BLOCKS"],
  "%gridid": [u64, "UINT64_C(0)"],
  "%lanemask_eq": [u32, "(1u << (F->thread & 31u))"],
  "%lanemask_lt": [u32, "((1u << (F->thread & 31u)) - 1u)"],
  "%lanemask_le": [u32, "((2u << (F->thread & 31u)) - 1u)"],
  "%lanemask_gt": [u32, "(0u - (2u << (F->thread & 31u)))"],
  "%lanemask_ge": [u32, "(0u - (1u << (F->thread & 31u)))"],
  "%clock": [u32, "(uint32_t)++ticks"],
  "%clock64": [u64, "++ticks"],
  "%globaltimer": [u64, "++ticks"],
  "%dynamic_smem_size": [u32, "DYNAMIC_SHARED"],
  "%total_smem_size": [u32, "SHARED_BYTES"],
  WARP_SZ: [u32, "32u"],
};

function specialOf(name: string): readonly [Kind, string] | null {
  if (name in special) return special[name];
  const axis = /^%(tid|ctaid|ntid|nctaid)\.[yz]$/.exec(name);
  return axis === null ? null : [u32, axis[1].startsWith("n") ? "1u" : "0u"];
}

const hex = (value: bigint, bits: number): string =>
  bits === 64
    ? `UINT64_C(0x${BigInt.asUintN(64, value).toString(16)})`
    : `0x${BigInt.asUintN(bits, value).toString(16)}u`;

function floatBits(value: number, bits: number): bigint {
  const view = new DataView(new ArrayBuffer(8));
  if (bits === 32) view.setFloat32(0, value);
  else view.setFloat64(0, value);
  return bits === 32 ? BigInt(view.getUint32(0)) : view.getBigUint64(0);
}

/** The bits of a float literal for a width; null for what is no such literal. */
function floatLiteral(text: string, bits: number): bigint | null {
  const isNegative = text.startsWith("-");
  const digits = text.slice(isNegative ? 1 : 0);
  const sign = isNegative ? 1n << BigInt(bits - 1) : 0n;
  const single = /^0[fF]([0-9a-fA-F]{8})$/.exec(digits)?.[1];
  const double = /^0[dD]([0-9a-fA-F]{16})$/.exec(digits)?.[1];
  const view = new DataView(new ArrayBuffer(8));
  if (single !== undefined) {
    view.setUint32(0, Number.parseInt(single, 16));
    return sign ^ (bits === 32 ? BigInt(`0x${single}`) : floatBits(view.getFloat32(0), 64));
  }
  if (double !== undefined) {
    view.setBigUint64(0, BigInt(`0x${double}`));
    return sign ^ (bits === 64 ? BigInt(`0x${double}`) : floatBits(view.getFloat64(0), 32));
  }
  return /^(\d+\.\d*([eE][+-]?\d+)?|\d+[eE][+-]?\d+)$/.test(digits)
    ? sign ^ floatBits(Number(digits), bits)
    : null;
}

/** A literal as an expression of a kind. */
export function literal(text: string, kind: Kind, line: number): string {
  const float = kind.bits >= 32 ? floatLiteral(text, kind.bits) : null;
  if (isFloat(kind)) {
    if (float === null) throw new PtxError(line, `${text} is no float; 0f3F800000 is 1`);
    return kind.bits === 32 ? `toF32(${hex(float, 32)})` : `toF64(${hex(float, 64)})`;
  }
  const value = float ?? wholeNumber(text);
  return kind.sort === "p" ? `${value === 0n ? 0 : 1}` : `(${cType(kind)})${hex(value, kind.bits)}`;
}

/** Bits of one kind understood as another one of the same width. */
export function reinterpret(c: string, from: Kind, to: Kind): string {
  if (isSame(from, to)) return c;
  if (isFloat(from)) return `(${cType(to)})bits${from.bits}(${c})`;
  return isFloat(to) ? `toF${to.bits}(${c})` : `(${cType(to)})(${c})`;
}

/** The operands of one instruction. */
export class Operands {
  readonly line: number;

  constructor(
    private readonly instruction: Instruction,
    readonly scope: Scope,
  ) {
    this.line = instruction.line;
  }

  fail(problem: string): never {
    const { name, qualifiers } = this.instruction;
    throw new PtxError(this.line, `${[name, ...qualifiers].join(".")}: ${problem}`);
  }

  get count(): number {
    return this.instruction.operands.length;
  }

  at(index: number): Operand {
    return this.instruction.operands.at(index) ?? this.fail(`it has only ${this.count} operands`);
  }

  /** An operand as a value of a kind. */
  value(index: number, kind: Kind): string {
    return this.valueOf(this.at(index), kind);
  }

  valueOf(operand: Operand, kind: Kind): string {
    if (operand.kind === "number") return literal(operand.text, kind, this.line);
    if (operand.kind !== "name") return this.fail(`a ${operand.kind} where a value is needed`);
    const { name, isNot, offset } = operand;
    const found = specialOf(name);
    if (found !== null) return `(${cType(kind)})${found[1]}`;
    const named = this.scope.need(name, this.line);
    if (named.is === "place") return `(${cType(kind)})${BigInt(named.address) + offset}u`;
    if (named.is === "global") return `((uint64_t)(uintptr_t)${named.c} + ${offset})`;
    if (named.is !== "register") return this.fail(`${name} is a ${named.is}, not a register`);
    const { kind: from, c } = named;
    if ((from.sort === "p") !== (kind.sort === "p"))
      return this.fail(`${name} is ${from.sort === "p" ? "a predicate" : "no predicate"}`);
    if (isNot) return from.sort === "p" ? `!${c}` : this.fail(`${name} is no predicate`);
    if (from.bits < kind.bits) return this.fail(`${name} has ${from.bits} bits, not ${kind.bits}`);
    if (from.bits > kind.bits && (isFloat(from) || isFloat(kind)))
      return this.fail(`${name} has ${from.bits} bits, not ${kind.bits}`);
    return reinterpret(c, from, kind);
  }

  /** The statement that puts a value of a kind into an operand. */
  set(index: number, kind: Kind, c: string): string {
    return this.setOf(this.at(index), kind, c);
  }

  setOf(operand: Operand, kind: Kind, c: string): string {
    if (operand.kind !== "name") return this.fail(`a ${operand.kind} where a register is needed`);
    if (operand.name === "_") return `(void)(${c});`;
    const named = this.scope.need(operand.name, this.line);
    if (named.is !== "register") return this.fail(`${operand.name} is no register`);
    const to = named.kind;
    if ((to.sort === "p") !== (kind.sort === "p") || to.bits < kind.bits)
      return this.fail(`${operand.name} cannot hold a value of ${kind.bits} bits`);
    if (to.bits > kind.bits && isFloat(to)) return this.fail(`${operand.name} is a float of ${to.bits} bits`);
    if (to.bits === kind.bits) return `${named.c} = ${reinterpret(c, kind, to)};`;
    const whole = isFloat(kind) ? reinterpret(c, kind, unsigned(kind)) : `(${cType(kind)})(${c})`;
    return `${named.c} = ${whole};`;
  }

  /** Both registers of `d|p`; the second is null where there is none. */
  pair(index: number): readonly [Operand, Operand | null] {
    const operand = this.at(index);
    return operand.kind === "pair" ? [operand.first, operand.second] : [operand, null];
  }

  elements(index: number, length: number): readonly Operand[] {
    const operand = this.at(index);
    const elements = operand.kind === "vector" ? operand.elements : [operand];
    return elements.length === length
      ? elements
      : this.fail(`operand ${index + 1} must have ${length} elements, not ${elements.length}`);
  }

  /** The address of a memory operand, a number of 64 bits; a name stands for its place. */
  address(index: number): string {
    const operand = this.at(index);
    if (operand.kind !== "address") return this.fail(`operand ${index + 1} must be an address in brackets`);
    const { base, offset } = operand;
    if (base === null) return `UINT64_C(${offset})`;
    const named = this.scope.need(base, this.line);
    if (named.is === "place") return `UINT64_C(${BigInt(named.address) + offset})`;
    if (named.is === "global") return `((uint64_t)(uintptr_t)${named.c} + ${offset})`;
    if (named.is !== "register" || isFloat(named.kind) || named.kind.bits < 32)
      return this.fail(`${base} is no address`);
    if (named.kind.bits === 64)
      return offset === 0n ? named.c : `(${named.c} + (uint64_t)INT64_C(${offset}))`;
    return `(uint64_t)(uint32_t)(${named.c} + (uint32_t)${offset})`;
  }
}

/** The operand of a choice between floats as floats, and of all other bits as they are. */
export const plainKind = (kind: Kind): Kind =>
  isSame(kind, f32) ? kind : isFloat(kind) ? kind : unsigned(kind);
