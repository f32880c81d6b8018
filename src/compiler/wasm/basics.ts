// The basic operations on four lanes. Floats are f32x4, integers i32x4 (uint8 as 0 to 255), bool is a mask of all ones
// or all zeros.
import type { DType } from "../../array/index.js";
import type { Assembler } from "./assembler.js";
import type { Opcode } from "./opcodes.js";

/** What operations work on: expressions of a kernel, or terms of a formula. */
export interface Value {
  readonly kind: string;
  readonly dtype: DType;
  /** Of constants. */
  readonly value?: number;
}

export interface OperationOn<V> {
  readonly name: string;
  readonly dtype: DType;
  readonly inputs: readonly V[];
}

export const isFloat = (dtype: DType): boolean => dtype === "float32";
export const isSigned = (dtype: DType): boolean => dtype === "int32";

/** Writes operations whose operands `push` puts on the stack. */
export class BasicOperations<V extends Value> {
  constructor(
    readonly asm: Assembler,
    readonly push: (value: V) => void,
  ) {}

  /** Pushes the value of an operation. */
  render(operation: OperationOn<V>): void {
    const rule = rules[operation.name];
    if (rule === undefined) throw new Error(`no WebAssembly for ${operation.name}`);
    rule(this, operation);
  }

  pushAll({ inputs }: OperationOn<V>): void {
    for (const input of inputs) this.push(input);
  }

  extremum({ dtype, inputs }: OperationOn<V>, largest: boolean): void {
    const [x, y] = inputs;
    const { asm } = this;
    if (isFloat(dtype)) {
      // With a number on one side the cheaper instruction keeps a NaN of the other.
      const [value, bound] = x.kind === "constant" ? [y, x] : [x, y];
      const isBound = bound.kind === "constant" && !Number.isNaN(bound.value);
      this.push(value);
      this.push(bound);
      asm.op(isBound ? (largest ? "f32x4.pmax" : "f32x4.pmin") : largest ? "f32x4.max" : "f32x4.min");
      return;
    }
    this.push(x);
    this.push(y);
    const sign = isSigned(dtype) ? "s" : "u";
    if (dtype === "bool") asm.op(largest ? "v128.or" : "v128.and");
    else asm.op(largest ? `i32x4.max_${sign}` : `i32x4.min_${sign}`);
  }

  /** By a constant; one beyond the width empties the value. */
  shift(opcode: ShiftOpcode, { dtype, inputs: [x, count] }: OperationOn<V>): void {
    const { asm } = this;
    const by = count.value;
    if (by === undefined) throw new Error("shifts by variable counts are no basic operations");
    this.push(x);
    if (by >= 0 && by < bitWidth(dtype)) asm.i32(by).op(opcode);
    else if (opcode === "i32x4.shr_s") asm.i32(31).op(opcode);
    else asm.op("drop").i32x4(0);
    wrap(asm, dtype);
  }

  convert({ dtype: to, inputs: [x] }: OperationOn<V>): void {
    const { asm } = this;
    const from = x.dtype;
    this.push(x);
    if (from === to) return;
    if (to === "bool") {
      if (isFloat(from)) asm.f32x4(0).op("f32x4.ne");
      else asm.i32x4(0).op("i32x4.ne");
    } else if (from === "bool") {
      if (isFloat(to)) asm.f32x4(1).op("v128.and");
      else asm.i32x4(1).op("v128.and");
    } else if (isFloat(to)) {
      asm.op(from === "uint32" ? "f32x4.convert_i32x4_u" : "f32x4.convert_i32x4_s");
    } else if (isFloat(from)) {
      asm.op(isSigned(to) ? "i32x4.trunc_sat_f32x4_s" : "i32x4.trunc_sat_f32x4_u");
      if (to === "uint8") asm.i32x4(255).op("i32x4.min_u");
    } else wrap(asm, to);
  }
}

export type ShiftOpcode = "i32x4.shl" | "i32x4.shr_u" | "i32x4.shr_s";
export const shiftOpcodes: Readonly<Record<string, ShiftOpcode>> = {
  shiftLeft: "i32x4.shl",
  shiftRightLogical: "i32x4.shr_u",
  shiftRightArithmetic: "i32x4.shr_s",
};

export const bitWidth = (dtype: DType): number => (dtype === "uint8" ? 8 : 32);

/** What is on the stack, wrapped to eight bits for uint8. */
export function wrap(asm: Assembler, dtype: DType): void {
  if (dtype === "uint8") asm.i32x4(0xff).op("v128.and");
}

/** Pushes a constant as all lanes have it. */
export function pushConstant(asm: Assembler, dtype: DType, value: number): void {
  if (isFloat(dtype)) asm.f32x4(value);
  else asm.i32x4(dtype === "bool" ? -value : value);
}

type Rule = <V extends Value>(self: BasicOperations<V>, operation: OperationOn<V>) => void;

/** An instruction that takes the operands as they are. */
const instruction =
  (opcode: Opcode): Rule =>
  (self, operation) => {
    self.pushAll(operation);
    self.asm.op(opcode);
  };

/** One instruction for floats and one for integers, wrapped to eight bits for uint8. */
const byKind =
  (float: Opcode, integer: Opcode): Rule =>
  (self, operation) => {
    self.pushAll(operation);
    self.asm.op(isFloat(operation.dtype) ? float : integer);
    wrap(self.asm, operation.dtype);
  };

/** Comparisons: for floats, int32, and unsigned integers. */
const comparison =
  (
    float: Opcode,
    signed: Opcode,
    unsigned: Opcode,
    bool: <V extends Value>(self: BasicOperations<V>, x: V, y: V) => void,
  ): Rule =>
  (self, operation) => {
    const [x, y] = operation.inputs;
    if (x.dtype === "bool") bool(self, x, y);
    else {
      self.pushAll(operation);
      self.asm.op(isFloat(x.dtype) ? float : isSigned(x.dtype) ? signed : unsigned);
    }
  };

const shiftBy =
  (name: string): Rule =>
  (self, operation) =>
    self.shift(shiftOpcodes[name], operation);

const rules: Readonly<Record<string, Rule | undefined>> = {
  add: byKind("f32x4.add", "i32x4.add"),
  sub: byKind("f32x4.sub", "i32x4.sub"),
  mul: byKind("f32x4.mul", "i32x4.mul"),
  div: instruction("f32x4.div"),
  // V8 makes abs and neg of floats of three instructions each; with the mask in a register it is one.
  neg: (self, operation) => {
    self.pushAll(operation);
    if (isFloat(operation.dtype)) self.asm.i32x4(0x80000000).op("v128.xor");
    else self.asm.op("i32x4.neg");
    wrap(self.asm, operation.dtype);
  },
  abs: (self, { dtype, inputs: [x] }) => {
    self.push(x);
    if (isFloat(dtype)) self.asm.i32x4(0x7fffffff).op("v128.and");
    else if (isSigned(dtype)) self.asm.op("i32x4.abs");
  },
  max: (self, operation) => self.extremum(operation, true),
  min: (self, operation) => self.extremum(operation, false),
  maxNumber: instruction("f32x4.pmax"),
  minNumber: instruction("f32x4.pmin"),
  floor: instruction("f32x4.floor"),
  ceil: instruction("f32x4.ceil"),
  trunc: instruction("f32x4.trunc"),
  round: instruction("f32x4.nearest"),
  sqrt: instruction("f32x4.sqrt"),

  equal: comparison("f32x4.eq", "i32x4.eq", "i32x4.eq", (self, x, y) => {
    self.push(x);
    self.push(y);
    self.asm.op("i32x4.eq");
  }),
  notEqual: comparison("f32x4.ne", "i32x4.ne", "i32x4.ne", (self, x, y) => {
    self.push(x);
    self.push(y);
    self.asm.op("v128.xor");
  }),
  // False is less than true.
  less: comparison("f32x4.lt", "i32x4.lt_s", "i32x4.lt_u", (self, x, y) => {
    self.push(y);
    self.push(x);
    self.asm.op("v128.andnot");
  }),
  lessEqual: comparison("f32x4.le", "i32x4.le_s", "i32x4.le_u", (self, x, y) => {
    self.push(x);
    self.asm.op("v128.not");
    self.push(y);
    self.asm.op("v128.or");
  }),

  and: instruction("v128.and"),
  or: instruction("v128.or"),
  xor: instruction("v128.xor"),
  not: (self, operation) => {
    self.pushAll(operation);
    self.asm.op("v128.not");
    wrap(self.asm, operation.dtype);
  },
  shiftLeft: shiftBy("shiftLeft"),
  shiftRightLogical: shiftBy("shiftRightLogical"),
  shiftRightArithmetic: shiftBy("shiftRightArithmetic"),

  select: (self, { inputs: [condition, x, y] }) => {
    const isZero = (value: Value): boolean => value.kind === "constant" && Object.is(value.value, 0);
    self.push(isZero(x) ? y : x);
    if (!isZero(x) && !isZero(y)) self.push(y);
    self.push(condition);
    self.asm.op(isZero(x) ? "v128.andnot" : isZero(y) ? "v128.and" : "v128.bitselect");
  },
  convert: (self, operation) => self.convert(operation),
  bitcast: (self, operation) => self.pushAll(operation),
};
