// Writing one WebAssembly function, instruction by instruction.
import { Bytes } from "./bytes.js";
import { encodings, type Opcode } from "./opcodes.js";

export type ValueType = "i32" | "i64" | "f32" | "v128";

export const typeCode: Record<ValueType, number> = { i32: 0x7f, i64: 0x7e, f32: 0x7d, v128: 0x7b };

/** The binary block type of a block without results. */
const noResult = 0x40;

export class Assembler {
  readonly code = new Bytes();
  /** Runs before the code: sets locals that hold constants. */
  private readonly prologue = new Bytes();
  private readonly constants = new Map<string, number>();
  private readonly locals: ValueType[] = [];
  private readonly free: Record<ValueType, number[]> = { i32: [], i64: [], f32: [], v128: [] };
  private depth = 0;

  constructor(
    /** For dumps. */
    readonly name: string,
    readonly params: readonly ValueType[] = [],
    readonly results: readonly ValueType[] = [],
  ) {}

  // ---- locals -----------------------------------------------------------------------------------------

  /** A local variable of a type; one that was given back may come again. */
  local(type: ValueType): number {
    const reused = this.free[type].pop();
    if (reused !== undefined) return reused;
    return this.params.length + this.locals.push(type) - 1;
  }

  /** Gives a local back for other uses. */
  release(type: ValueType, local: number): this {
    this.free[type].push(local);
    return this;
  }

  get(local: number): this {
    return this.op("local.get", local);
  }
  set(local: number): this {
    return this.op("local.set", local);
  }
  tee(local: number): this {
    return this.op("local.tee", local);
  }

  // ---- instructions -----------------------------------------------------------------------------------

  /** An instruction with its immediates: an index, a lane, a number, or a memory offset and then a lane. */
  op(name: Opcode, first = 0, second = 0): this {
    const encoding = encodings.get(name);
    if (encoding === undefined) throw new Error(`unknown instruction ${name}`);
    const { code } = this;
    code.few(encoding.bytes);
    switch (encoding.immediate) {
      case "none":
        break;
      case "index":
        code.unsigned(first);
        break;
      case "block":
        code.byte(noResult);
        break;
      case "i32":
        code.signed(first);
        break;
      case "f32":
        code.float32(first);
        break;
      case "lane":
        code.byte(first);
        break;
      case "memory":
        // Alignment is a hint; we promise nothing beyond bytes.
        code.byte(0).unsigned(first);
        break;
      case "atomic":
        // Here the alignment is part of the contract: that of a word.
        code.byte(2).unsigned(first);
        break;
      case "memoryLane":
        code.byte(0).unsigned(first).byte(second);
        break;
      case "bulk":
        for (let at = 0; at < (name === "memory.copy" ? 2 : 1); at++) code.byte(0);
        break;
      default:
        throw new Error(`${name} has its own method`);
    }
    return this;
  }

  i32(value: number): this {
    return this.op("i32.const", value);
  }

  /** Adds a number to a local. */
  advance(local: number, by: number): this {
    return by === 0 ? this : this.get(local).i32(by).op("i32.add").set(local);
  }

  /** A vector constant of four 32-bit patterns. */
  vector(words: Words): this {
    writeVector(this.code, words);
    return this;
  }

  /** A vector constant, kept in a local that is set once at the start: more expensive instructions stay out of loops. */
  constant(words: Words): this {
    const key = words.join();
    let local = this.constants.get(key);
    if (local === undefined) {
      // Never one that was given back: code before this may still use it.
      local = this.params.length + this.locals.push("v128") - 1;
      this.constants.set(key, local);
      writeVector(this.prologue, words);
      this.prologue.append(encodings.get("local.set")?.bytes ?? new Uint8Array()).unsigned(local);
    }
    return this.get(local);
  }

  /** The constant vector with one float in all lanes. */
  f32x4(value: number): this {
    return this.constant(f32(value).words);
  }

  /** The constant vector with one integer in all lanes. */
  i32x4(value: number): this {
    return this.constant(i32(value).words);
  }

  /** Four words chosen from two vectors: 0 to 3 are the first's, 4 to 7 the second's. */
  shuffle(words: Words): this {
    const encoding = encodings.get("i8x16.shuffle");
    this.code.append(encoding?.bytes ?? new Uint8Array());
    for (const word of words) for (let byte = 0; byte < 4; byte++) this.code.byte(word * 4 + byte);
    return this;
  }

  /** The lowest byte of each word of a vector, next to each other at its start. */
  packBytes(): this {
    const encoding = encodings.get("i8x16.shuffle");
    this.code.append(encoding?.bytes ?? new Uint8Array());
    for (let byte = 0; byte < 16; byte++) this.code.byte(byte < 4 ? byte * 4 : 0);
    return this;
  }

  /**
   * Instructions as text: names of instructions without immediates, whole numbers for `i32.const`, and in
   * between locals (which are read, or set after `=`, or set and kept after `:=`), constant vectors, and code.
   */
  run(text: TemplateStringsArray, ...values: readonly (number | Constant | (() => void))[]): this {
    parse(text).forEach((tokens, index) => {
      for (const token of tokens) {
        if (typeof token === "number") this.i32(token);
        else if (token !== "=" && token !== ":=") this.op(token);
      }
      if (index >= values.length) return;
      const value = values[index];
      const last = tokens[tokens.length - 1];
      if (typeof value === "function") value();
      else if (typeof value === "object") this.constant(value.words);
      else if (last === "=") this.set(value);
      else if (last === ":=") this.tee(value);
      else this.get(value);
    });
    return this;
  }

  /** Code with a temporary vector that holds what is on the stack. */
  with(use: (local: number) => void): this {
    const local = this.local("v128");
    this.set(local);
    use(local);
    return this.release("v128", local);
  }

  /** Code with so many temporary vectors. */
  withLocals(count: number, use: (...locals: number[]) => void): this {
    const locals = Array.from({ length: count }, () => this.local("v128"));
    use(...locals);
    locals.forEach((local) => this.release("v128", local));
    return this;
  }

  // ---- structure --------------------------------------------------------------------------------------

  /** Code that `leave` jumps out of. */
  block(body: (leave: () => void) => void): this {
    return this.nest("block", body);
  }

  /** Code that `again` starts anew. */
  loop(body: (again: () => void) => void): this {
    return this.nest("loop", body);
  }

  /** Code that runs a number of times known beforehand. */
  repeat(count: number, body: () => void): this {
    if (count === 1) body();
    if (count <= 1) return this;
    const left = this.local("i32");
    this.i32(count).set(left);
    this.loop((again) => {
      body();
      this.get(left).i32(1).op("i32.sub").tee(left);
      again();
    });
    return this.release("i32", left);
  }

  private nest(kind: "block" | "loop", body: (jump: () => void) => void): this {
    this.op(kind);
    const target = ++this.depth;
    body(() => this.op("br_if", this.depth - target));
    this.depth--;
    return this.op("end");
  }

  /** Code that runs if the i32 on the stack is not zero, and what runs otherwise. */
  branch(onTrue: () => void, onFalse: (() => void) | null = null): this {
    this.op("if");
    this.depth++;
    onTrue();
    if (onFalse !== null) {
      this.op("else");
      onFalse();
    }
    this.depth--;
    return this.op("end");
  }

  /** The function's body as the code section has it: local declarations, code, end. */
  body(): Bytes {
    const bytes = new Bytes();
    const runs: { type: ValueType; count: number }[] = [];
    for (const type of this.locals) {
      const last = runs[runs.length - 1];
      if (last?.type === type) last.count++;
      else runs.push({ type, count: 1 });
    }
    bytes.unsigned(runs.length);
    for (const { type, count } of runs) bytes.unsigned(count).byte(typeCode[type]);
    return bytes.append(this.prologue).append(this.code).byte(0x0b);
  }
}

type Token = Opcode | number | "=" | ":=";
const parsed = new WeakMap<TemplateStringsArray, readonly (readonly Token[])[]>();

/** The words of each stretch of a template, split once. */
function parse(text: TemplateStringsArray): readonly (readonly Token[])[] {
  const known = parsed.get(text);
  if (known !== undefined) return known;
  const tokens = text.map((stretch) =>
    stretch
      .split(/\s+/)
      .filter((word) => word !== "")
      .map((word): Token => (/^-?\d+$/.test(word) ? Number(word) : (word as Opcode))),
  );
  parsed.set(text, tokens);
  return tokens;
}

/** Four 32-bit patterns. */
export type Words = readonly [number, number, number, number];

/** All ones in the first lanes, zeros in the others. */
export const laneMask = (lanes: number): Words =>
  [0, 1, 2, 3].map((lane) => (lane < lanes ? -1 : 0)) as never;

/** A constant vector for `run`. */
export interface Constant {
  readonly words: Words;
}

const splat = (word: number): Constant => ({ words: [word, word, word, word] });

/** One float in all lanes. */
export const f32 = (value: number): Constant => splat(floatBits(value));
/** One integer in all lanes. */
export const i32 = (value: number): Constant => splat(value | 0);
/** One double in both lanes. */
export function f64(value: number): Constant {
  bits.setFloat64(0, value, true);
  const [low, high] = [bits.getInt32(0, true), bits.getInt32(4, true)];
  return { words: [low, high, low, high] };
}
/** One 64-bit pattern, given as its low and high word, in both lanes. */
export const i64 = (low: number, high: number): Constant => ({
  words: [low | 0, high | 0, low | 0, high | 0],
});

const bits = new DataView(new ArrayBuffer(8));

/** The bit pattern of a float32. */
export function floatBits(value: number): number {
  bits.setFloat32(0, value, true);
  return bits.getInt32(0, true);
}

function writeVector(bytes: Bytes, words: Words): void {
  bytes.append(encodings.get("v128.const")?.bytes ?? new Uint8Array());
  for (const word of words) for (let shift = 0; shift < 32; shift += 8) bytes.byte((word >>> shift) & 0xff);
}
