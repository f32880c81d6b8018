// Elementwise operations on four lanes. Floats are f32x4, integers i32x4 (uint8 as 0 to 255), bool is a mask of
// all ones or all zeros.
import type { DType } from "../../array/index.js";
import type { Expression, Operation } from "../kernel.js";
import type { Assembler } from "./assembler.js";
import { IntegerMath } from "./integers.js";
import { fma, remainder } from "./doubles.js";
import { VectorMath, type Features } from "./math.js";
import type { Opcode } from "./opcodes.js";

/** Gives operations their operands. */
export interface Operands {
  /** Pushes a value. */
  readonly push: (expression: Expression) => void;
  /** A local that holds a value; it must not be changed. */
  readonly local: (expression: Expression) => number;
  /** Whether a value is the same in all lanes. */
  readonly isUniform: (expression: Expression) => boolean;
}

const isFloat = (dtype: DType): boolean => dtype === "float32";
const isSigned = (dtype: DType): boolean => dtype === "int32";

export class Operations {
  readonly math: VectorMath;
  readonly integers: IntegerMath;

  constructor(
    readonly asm: Assembler,
    features: Features,
    readonly operands: Operands,
  ) {
    this.math = new VectorMath(asm, features);
    this.integers = new IntegerMath(asm);
  }

  /** Pushes a constant as all lanes have it. */
  constant({ dtype, value }: { readonly dtype: DType; readonly value: number }): void {
    if (isFloat(dtype)) this.asm.f32x4(value);
    else this.asm.i32x4(dtype === "bool" ? -value : value);
  }

  /** Pushes the value of an operation. */
  render(operation: Operation): void {
    const rule = rules[operation.name];
    if (rule === undefined) throw new Error(`no WebAssembly for ${operation.name}`);
    rule(this, operation);
  }

  pushAll({ inputs }: Operation): void {
    inputs.forEach(this.operands.push);
  }

  wrap(dtype: DType): void {
    if (dtype === "uint8") this.asm.i32x4(0xff).op("v128.and");
  }

  extremum({ dtype, inputs }: Operation, largest: boolean): void {
    const [x, y] = inputs;
    const { asm } = this;
    if (isFloat(dtype)) {
      // With a number on one side the cheaper instruction keeps a NaN of the other.
      const [value, bound] = x.kind === "constant" ? [y, x] : [x, y];
      const isBound = bound.kind === "constant" && !Number.isNaN(bound.value);
      this.operands.push(value);
      this.operands.push(bound);
      asm.op(isBound ? (largest ? "f32x4.pmax" : "f32x4.pmin") : largest ? "f32x4.max" : "f32x4.min");
      return;
    }
    this.operands.push(x);
    this.operands.push(y);
    const sign = isSigned(dtype) ? "s" : "u";
    if (dtype === "bool") asm.op(largest ? "v128.or" : "v128.and");
    else asm.op(largest ? `i32x4.max_${sign}` : `i32x4.min_${sign}`);
  }

  quotient(operation: Operation): void {
    const { dtype, inputs } = operation;
    if (isFloat(dtype)) {
      this.pushAll(operation);
      this.asm.op("f32x4.div");
      return;
    }
    const [x, y] = inputs.map(this.operands.local);
    this.integers.quotient(x, y, isSigned(dtype));
    this.wrap(dtype);
  }

  remainder({ dtype, inputs }: Operation): void {
    const [x, y] = inputs.map(this.operands.local);
    if (isFloat(dtype)) remainder(this.asm, x, y);
    else this.integers.remainder(x, y, isSigned(dtype));
  }

  sign({ dtype, inputs: [x] }: Operation): void {
    const { asm } = this;
    const value = this.operands.local(x);
    if (isFloat(dtype)) {
      // Zeros and NaN are their own signs.
      asm.f32x4(1).get(value).i32x4(0x80000000).op("v128.and").op("v128.or").get(value);
      asm.get(value).i32x4(0x7fffffff).op("v128.and").f32x4(0).op("f32x4.gt").op("v128.bitselect");
    } else if (isSigned(dtype)) {
      asm.get(value).i32x4(-1).op("i32x4.max_s").i32x4(1).op("i32x4.min_s");
    } else asm.get(value).i32x4(1).op("i32x4.min_u");
  }

  shift(opcode: "i32x4.shl" | "i32x4.shr_u" | "i32x4.shr_s", { dtype, inputs: [x, count] }: Operation): void {
    const width = dtype === "uint8" ? 8 : 32;
    const { asm } = this;
    if (count.kind === "constant") {
      this.operands.push(x);
      const isEmptied = count.value < 0 || count.value >= width;
      if (!isEmptied) asm.i32(count.value).op(opcode);
      else if (opcode === "i32x4.shr_s") asm.i32(31).op(opcode);
      else asm.op("drop").i32x4(0);
    } else this.integers.shift(opcode, this.operands.local(x), this.operands.local(count), width);
    this.wrap(dtype);
  }

  convert(operation: Operation): void {
    const { asm } = this;
    const [x] = operation.inputs;
    const [from, to] = [x.dtype, operation.dtype];
    this.operands.push(x);
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
    } else this.wrap(to);
  }
}

type Rule = (self: Operations, operation: Operation) => void;

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
    self.wrap(operation.dtype);
  };

/** Comparisons: for floats, int32, and unsigned integers. */
const comparison =
  (
    float: Opcode,
    signed: Opcode,
    unsigned: Opcode,
    bool: (self: Operations, x: Expression, y: Expression) => void,
  ): Rule =>
  (self, operation) => {
    const [x, y] = operation.inputs;
    if (x.dtype === "bool") bool(self, x, y);
    else {
      self.pushAll(operation);
      self.asm.op(isFloat(x.dtype) ? float : isSigned(x.dtype) ? signed : unsigned);
    }
  };

/** A function of a real number. */
const real =
  (name: "exp" | "expm1" | "log" | "log1p" | "sin" | "cos" | "tanh" | "logistic" | "erf" | "erfInv"): Rule =>
  (self, { inputs: [x] }) =>
    self.math[name](self.operands.local(x));

/** A function of two real numbers. */
const realPair =
  (name: "logaddexp" | "atan2"): Rule =>
  (self, { inputs: [x, y] }) =>
    self.math[name](self.operands.local(x), self.operands.local(y));

const rules: Record<string, Rule> = {
  add: byKind("f32x4.add", "i32x4.add"),
  sub: byKind("f32x4.sub", "i32x4.sub"),
  mul: byKind("f32x4.mul", "i32x4.mul"),
  neg: (self, operation) => {
    self.pushAll(operation);
    if (isFloat(operation.dtype)) self.asm.i32x4(0x80000000).op("v128.xor");
    else self.asm.op("i32x4.neg");
    self.wrap(operation.dtype);
  },
  fma: (self, { inputs }) => {
    const [x, y, z] = inputs.map(self.operands.local);
    fma(self.asm, x, y, z);
  },
  div: (self, operation) => self.quotient(operation),
  rem: (self, operation) => self.remainder(operation),
  pow: (self, { dtype, inputs: [x, y] }) => {
    const [base, power] = [x, y].map(self.operands.local);
    if (isFloat(dtype)) self.math.pow(base, power);
    else {
      self.integers.power(base, power, isSigned(dtype));
      self.wrap(dtype);
    }
  },
  max: (self, operation) => self.extremum(operation, true),
  min: (self, operation) => self.extremum(operation, false),
  // Of floats, the first where one of them is NaN.
  maxNumber: instruction("f32x4.pmax"),
  minNumber: instruction("f32x4.pmin"),
  relu: (self, { dtype, inputs: [x] }) => {
    self.operands.push(x);
    if (isFloat(dtype)) self.asm.f32x4(0).op("f32x4.pmax");
    else if (isSigned(dtype)) self.asm.i32x4(0).op("i32x4.max_s");
  },
  abs: (self, { dtype, inputs: [x] }) => {
    self.operands.push(x);
    if (isFloat(dtype)) self.asm.i32x4(0x7fffffff).op("v128.and");
    else if (isSigned(dtype)) self.asm.op("i32x4.abs");
  },
  sign: (self, operation) => self.sign(operation),
  floor: instruction("f32x4.floor"),
  ceil: instruction("f32x4.ceil"),
  trunc: instruction("f32x4.trunc"),
  round: instruction("f32x4.nearest"),
  sqrt: instruction("f32x4.sqrt"),

  exp: real("exp"),
  expm1: real("expm1"),
  log: real("log"),
  log1p: real("log1p"),
  sin: real("sin"),
  cos: real("cos"),
  tanh: real("tanh"),
  logistic: real("logistic"),
  erf: real("erf"),
  erfInv: real("erfInv"),
  logaddexp: realPair("logaddexp"),
  atan2: realPair("atan2"),

  equal: comparison("f32x4.eq", "i32x4.eq", "i32x4.eq", (self, x, y) => {
    self.operands.push(x);
    self.operands.push(y);
    self.asm.op("i32x4.eq");
  }),
  notEqual: comparison("f32x4.ne", "i32x4.ne", "i32x4.ne", (self, x, y) => {
    self.operands.push(x);
    self.operands.push(y);
    self.asm.op("v128.xor");
  }),
  // False is less than true.
  less: comparison("f32x4.lt", "i32x4.lt_s", "i32x4.lt_u", (self, x, y) => {
    self.operands.push(y);
    self.operands.push(x);
    self.asm.op("v128.andnot");
  }),
  lessEqual: comparison("f32x4.le", "i32x4.le_s", "i32x4.le_u", (self, x, y) => {
    self.operands.push(x);
    self.asm.op("v128.not");
    self.operands.push(y);
    self.asm.op("v128.or");
  }),

  and: instruction("v128.and"),
  or: instruction("v128.or"),
  xor: instruction("v128.xor"),
  not: (self, operation) => {
    self.pushAll(operation);
    self.asm.op("v128.not");
    self.wrap(operation.dtype);
  },
  shiftLeft: (self, operation) => self.shift("i32x4.shl", operation),
  shiftRightLogical: (self, operation) => self.shift("i32x4.shr_u", operation),
  shiftRightArithmetic: (self, operation) => self.shift("i32x4.shr_s", operation),

  select: (self, { inputs: [mask, x, y] }) => {
    self.operands.push(x);
    self.operands.push(y);
    self.operands.push(mask);
    self.asm.op("v128.bitselect");
  },
  convert: (self, operation) => self.convert(operation),
  bitcast: (self, operation) => self.pushAll(operation),
};
