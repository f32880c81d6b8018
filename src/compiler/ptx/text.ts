// Writing PTX: instructions with registers of their own, and what was computed before is not computed again.
import type { DType } from "../../array/index.js";

/** Kinds of registers: floats of 32 and 64 bits, other words of both sizes, and conditions. */
export type RegisterKind = "f32" | "f64" | "b32" | "b64" | "pred";

const prefixes: Readonly<Record<RegisterKind, string>> = {
  f32: "%f",
  f64: "%fd",
  b32: "%r",
  b64: "%rd",
  pred: "%p",
};

/** The registers that values of a dtype are kept in: bool as conditions, uint8 as words from 0 to 255. */
export const kindOf = (dtype: DType): RegisterKind =>
  dtype === "float32" ? "f32" : dtype === "float64" ? "f64" : dtype === "bool" ? "pred" : "b32";

const bits = new DataView(new ArrayBuffer(8));

const hexadecimal = (value: number, digits: number): string =>
  value.toString(16).toUpperCase().padStart(digits, "0");

/** A number as an operand of an instruction; conditions have none. */
export function literal(value: number, dtype: DType): string {
  switch (dtype) {
    case "float32":
      bits.setFloat32(0, value);
      return `0f${hexadecimal(bits.getUint32(0), 8)}`;
    case "float64":
      bits.setFloat64(0, value);
      return `0d${hexadecimal(bits.getUint32(0), 8)}${hexadecimal(bits.getUint32(4), 8)}`;
    case "int32":
      return String(value | 0);
    case "uint32":
    case "uint8":
      return String(value >>> 0);
    case "bool":
      return value === 0 ? "0" : "1";
  }
}

/** The float32 that an operand is, if it is known; null for others. */
export function floatOf(operand: string): number | null {
  const [, digits] = /^0f([0-9A-F]{8})$/.exec(operand) ?? [];
  if (digits === undefined) return null;
  bits.setUint32(0, Number.parseInt(digits, 16));
  return bits.getFloat32(0);
}

/** Whether an operand is a whole number that is known. */
export const isNumber = (operand: string): boolean => /^-?\d+$/.test(operand);

/** Operands that all lanes of a warp have alike, whatever else is known of them: numbers, and the number of the block. */
const isAlike = (operand: string): boolean => /^(-?\d+|0[fd][0-9A-F]+|%ctaid\.x)$/.test(operand);

/** A register or a number, plus a number. */
export interface Shift {
  readonly base: string;
  readonly by: number;
}

export class PtxText {
  private readonly lines: string[] = [];
  private readonly counts: Record<RegisterKind, number> = { f32: 0, f64: 0, b32: 0, b64: 0, pred: 0 };
  private labels = 0;
  /** What registers are of which it is known that they are another one plus a number. */
  private readonly shifts = new Map<string, Shift>();
  /** Registers that all lanes of a warp have alike: who jumps by one need not tell the assembler what lanes do apart. */
  private readonly uniform = new Set<string>();
  /** Results by what computes them, for each scope that is open. */
  private readonly scopes: Map<string, string>[] = [new Map<string, string>()];

  /** How many lines there are. */
  get length(): number {
    return this.lines.length;
  }

  line(text: string): this {
    this.lines.push(`\t${text}`);
    return this;
  }

  /** A register that nothing else has. */
  register(kind: RegisterKind): string {
    return `${prefixes[kind]}${++this.counts[kind]}`;
  }

  /** A name to jump to. */
  newLabel(): string {
    return `$L${++this.labels}`;
  }

  place(label: string): this {
    this.lines.push(`${label}:`);
    return this;
  }

  /** A name to jump back to. Loops are not written out several times, which takes the assembler five times as long. */
  placeLoop(label: string): this {
    return this.place(label).line('.pragma "nounroll";');
  }

  /** An instruction whose result depends on its operands alone: once for the same ones. */
  pure(instruction: string, kind: RegisterKind, ...operands: readonly string[]): string {
    const key = `${instruction} ${operands.join(" ")}`;
    const known = this.recall(key);
    if (known !== undefined) return known;
    const result = this.effect(instruction, kind, ...operands);
    this.remember(key, result);
    if (operands.every((operand) => this.isUniform(operand))) this.uniform.add(result);
    return result;
  }

  /** Notes that all lanes of a warp have the same in a register, always. */
  asUniform(register: string): string {
    this.uniform.add(register);
    return register;
  }

  private isUniform(operand: string): boolean {
    return isAlike(operand) || this.uniform.has(operand);
  }

  /** A whole number that is so much larger than another; what is computed from it may start from that one. */
  plus(value: string, by: number): string {
    if (by === 0) return value;
    if (isNumber(value)) return String(Number(value) + by);
    const known = this.shiftOf(value);
    const base = known.base;
    const total = known.by + by;
    const result = this.pure("add.s32", "b32", base, String(total));
    this.shifts.set(result, { base, by: total });
    return result;
  }

  /** A register as what it was shifted from. */
  shiftOf(register: string): Shift {
    return this.shifts.get(register) ?? { base: register, by: 0 };
  }

  /** An instruction with a new register for its result. */
  effect(instruction: string, kind: RegisterKind, ...operands: readonly string[]): string {
    const result = this.register(kind);
    this.line(`${instruction} ${[result, ...operands].join(", ")};`);
    return result;
  }

  recall(key: string): string | undefined {
    for (let at = this.scopes.length - 1; at >= 0; at--) {
      const known = this.scopes[at].get(key);
      if (known !== undefined) return known;
    }
    return undefined;
  }

  /** What is remembered is known until the end of the scope. */
  remember(key: string, register: string): void {
    this.scopes[this.scopes.length - 1].set(key, register);
  }

  /** Code that may be jumped over, or runs again: what it computes is known inside only. */
  scope(code: () => void): void {
    this.scopes.push(new Map());
    code();
    this.scopes.pop();
  }

  /** Code that runs where a condition holds (or does not); null for always. */
  when(condition: string | null, code: () => void, holds = true): void {
    if (condition === null) {
      code();
      return;
    }
    const end = this.newLabel();
    this.jump(end, condition, !holds);
    this.scope(code);
    this.place(end);
  }

  /** Goes on elsewhere where a condition holds (or does not): all lanes of a warp, where they have it alike. */
  jump(label: string, condition: string, holds = true): this {
    return this.line(
      `@${holds ? "" : "!"}${condition} bra${this.isUniform(condition) ? ".uni" : ""} ${label};`,
    );
  }

  /** Code for a counter that runs from one number to before another, whole steps at a time. */
  loop(from: string, to: string, step: string, code: (counter: string) => void): void {
    const [start, end] = [this.newLabel(), this.newLabel()];
    const counter = this.effect("mov.u32", "b32", from);
    const areAlike = [from, to, step].every((operand) => this.isUniform(operand));
    const jump = areAlike ? "bra.uni" : "bra";
    if (areAlike) this.asUniform(counter);
    this.line(`{ .reg .pred over; setp.ge.s32 over, ${counter}, ${to}; @over ${jump} ${end}; }`);
    this.placeLoop(start);
    this.scope(() => code(counter));
    this.line(`add.s32 ${counter}, ${counter}, ${step};`);
    this.line(`{ .reg .pred more; setp.lt.s32 more, ${counter}, ${to}; @more ${jump} ${start}; }`);
    this.place(end);
  }

  /**
   * Code for a counter that threads run through together, whole steps at a time: each starts at a number of its own, of
   * which there are so many.
   */
  stride(from: string, to: number, step: number, starts: number, code: (counter: string) => void): void {
    const length = to - (isNumber(from) ? Number(from) : this.shiftOf(from).by);
    if (length <= 0) return;
    if (length > step || starts > step) this.loop(from, String(to), String(step), code);
    else if (length >= starts) this.scope(() => code(from));
    else this.when(this.pure("setp.lt.s32", "pred", from, String(to)), () => code(from));
  }

  /** Registers and instructions, as the inside of a function. */
  toString(): string {
    const declarations = (Object.keys(prefixes) as RegisterKind[])
      .filter((kind) => this.counts[kind] > 0)
      .map((kind) => `\t.reg .${kind} ${prefixes[kind]}<${this.counts[kind] + 1}>;`);
    return [...declarations, ...this.lines].join("\n");
  }
}
