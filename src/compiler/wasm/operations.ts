// Elementwise operations on four lanes. Floats are f32x4, integers i32x4 (uint8 as 0 to 255), bool is a mask of
// all ones or all zeros.
import type { DType } from "../../array/index.js";
import type { Expression, Operation } from "../kernel.js";
import type { Assembler } from "./assembler.js";
import { IntegerMath } from "./integers.js";
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

type Render = (operation: Operation) => void;

const isFloat = (dtype: DType): boolean => dtype === "float32";
const isSigned = (dtype: DType): boolean => dtype === "int32";

export class Operations {
  private readonly math: VectorMath;
  private readonly integers: IntegerMath;

  constructor(
    private readonly asm: Assembler,
    features: Features,
    private readonly operands: Operands,
  ) {
    this.math = new VectorMath(asm, features);
    this.integers = new IntegerMath(asm);
  }

  /** Pushes the value of an operation. */
  render(operation: Operation): void {
    const rule = this.rules[operation.name];
    if (rule === undefined) throw new Error(`no WebAssembly for ${operation.name}`);
    rule(operation);
  }

  private pushAll({ inputs }: Operation): void {
    inputs.forEach(this.operands.push);
  }

  /** One instruction for floats and one for integers, wrapped to eight bits for uint8. */
  private byKind(float: Opcode, integer: Opcode): Render {
    return (operation) => {
      this.pushAll(operation);
      this.asm.op(isFloat(operation.dtype) ? float : integer);
      this.wrap(operation.dtype);
    };
  }

  private wrap(dtype: DType): void {
    if (dtype === "uint8") this.asm.i32x4(0xff).op("v128.and");
  }

  /** Comparisons: for floats, int32, and unsigned integers. */
  private comparison(
    float: Opcode,
    signed: Opcode,
    unsigned: Opcode,
    bool: (x: Expression, y: Expression) => void,
  ): Render {
    return (operation) => {
      const [x, y] = operation.inputs;
      if (x.dtype === "bool") bool(x, y);
      else {
        this.pushAll(operation);
        this.asm.op(isFloat(x.dtype) ? float : isSigned(x.dtype) ? signed : unsigned);
      }
    };
  }

  private real(render: (x: number) => void): Render {
    return ({ inputs: [x] }) => render(this.operands.local(x));
  }

  private realPair(render: (x: number, y: number) => void): Render {
    return ({ inputs: [x, y] }) => render(this.operands.local(x), this.operands.local(y));
  }

  private float(opcode: Opcode): Render {
    return (operation) => {
      this.pushAll(operation);
      this.asm.op(opcode);
    };
  }

  private extremum(largest: boolean): Render {
    return (operation) => {
      const { dtype, inputs } = operation;
      const [x, y] = inputs;
      const { asm } = this;
      if (dtype === "bool") {
        this.pushAll(operation);
        asm.op(largest ? "v128.or" : "v128.and");
      } else if (isFloat(dtype)) {
        // With a number on one side the cheaper instruction keeps a NaN of the other.
        const [value, bound] = x.kind === "constant" ? [y, x] : [x, y];
        const isBound = bound.kind === "constant" && !Number.isNaN(bound.value);
        this.operands.push(value);
        this.operands.push(bound);
        asm.op(isBound ? (largest ? "f32x4.pmax" : "f32x4.pmin") : largest ? "f32x4.max" : "f32x4.min");
      } else {
        this.pushAll(operation);
        const sign = isSigned(dtype) ? "s" : "u";
        asm.op(largest ? `i32x4.max_${sign}` : `i32x4.min_${sign}`);
      }
    };
  }

  private readonly rules: Record<string, Render> = {
    add: this.byKind("f32x4.add", "i32x4.add"),
    sub: this.byKind("f32x4.sub", "i32x4.sub"),
    mul: this.byKind("f32x4.mul", "i32x4.mul"),
    neg: (operation) => {
      this.pushAll(operation);
      if (isFloat(operation.dtype)) this.asm.i32x4(0x80000000).op("v128.xor");
      else this.asm.op("i32x4.neg");
      this.wrap(operation.dtype);
    },
    fma: ({ inputs }) => {
      const [x, y, z] = inputs.map(this.operands.local);
      this.math.fma(x, y, z);
    },
    div: (operation) => this.quotient(operation),
    rem: (operation) => this.remainder(operation),
    pow: ({ dtype, inputs: [x, y] }) => {
      const [base, power] = [x, y].map(this.operands.local);
      if (isFloat(dtype)) this.math.pow(base, power);
      else {
        this.integers.power(base, power, isSigned(dtype));
        this.wrap(dtype);
      }
    },
    max: this.extremum(true),
    min: this.extremum(false),
    // Of floats, the first where one of them is NaN.
    maxNumber: this.float("f32x4.pmax"),
    minNumber: this.float("f32x4.pmin"),
    relu: ({ dtype, inputs: [x] }) => {
      this.operands.push(x);
      if (isFloat(dtype)) this.asm.f32x4(0).op("f32x4.pmax");
      else if (isSigned(dtype)) this.asm.i32x4(0).op("i32x4.max_s");
    },
    abs: ({ dtype, inputs: [x] }) => {
      this.operands.push(x);
      if (isFloat(dtype)) this.asm.i32x4(0x7fffffff).op("v128.and");
      else if (isSigned(dtype)) this.asm.op("i32x4.abs");
    },
    sign: (operation) => this.sign(operation),
    floor: this.float("f32x4.floor"),
    ceil: this.float("f32x4.ceil"),
    trunc: this.float("f32x4.trunc"),
    round: this.float("f32x4.nearest"),
    sqrt: this.float("f32x4.sqrt"),

    exp: this.real((x) => this.math.exp(x)),
    expm1: this.real((x) => this.math.expm1(x)),
    log: this.real((x) => this.math.log(x)),
    log1p: this.real((x) => this.math.log1p(x)),
    sin: this.real((x) => this.math.sin(x)),
    cos: this.real((x) => this.math.cos(x)),
    tanh: this.real((x) => this.math.tanh(x)),
    logistic: this.real((x) => this.math.logistic(x)),
    erf: this.real((x) => this.math.erf(x)),
    erfInv: this.real((x) => this.math.erfInv(x)),
    logaddexp: this.realPair((x, y) => this.math.logaddexp(x, y)),
    atan2: this.realPair((y, x) => this.math.atan2(y, x)),

    equal: this.comparison("f32x4.eq", "i32x4.eq", "i32x4.eq", (x, y) => {
      this.operands.push(x);
      this.operands.push(y);
      this.asm.op("i32x4.eq");
    }),
    notEqual: this.comparison("f32x4.ne", "i32x4.ne", "i32x4.ne", (x, y) => {
      this.operands.push(x);
      this.operands.push(y);
      this.asm.op("v128.xor");
    }),
    // False is less than true.
    less: this.comparison("f32x4.lt", "i32x4.lt_s", "i32x4.lt_u", (x, y) => {
      this.operands.push(y);
      this.operands.push(x);
      this.asm.op("v128.andnot");
    }),
    lessEqual: this.comparison("f32x4.le", "i32x4.le_s", "i32x4.le_u", (x, y) => {
      this.operands.push(x);
      this.asm.op("v128.not");
      this.operands.push(y);
      this.asm.op("v128.or");
    }),

    and: this.float("v128.and"),
    or: this.float("v128.or"),
    xor: this.float("v128.xor"),
    not: (operation) => {
      this.pushAll(operation);
      this.asm.op("v128.not");
      this.wrap(operation.dtype);
    },
    shiftLeft: (operation) => this.shift("i32x4.shl", operation),
    shiftRightLogical: (operation) => this.shift("i32x4.shr_u", operation),
    shiftRightArithmetic: (operation) => this.shift("i32x4.shr_s", operation),

    select: ({ inputs: [mask, x, y] }) => {
      this.operands.push(x);
      this.operands.push(y);
      this.operands.push(mask);
      this.asm.op("v128.bitselect");
    },
    convert: (operation) => this.convert(operation),
    bitcast: (operation) => this.pushAll(operation),
  };

  private quotient(operation: Operation): void {
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

  private remainder({ dtype, inputs }: Operation): void {
    const [x, y] = inputs.map(this.operands.local);
    if (isFloat(dtype)) this.math.remainder(x, y);
    else this.integers.remainder(x, y, isSigned(dtype));
  }

  private sign({ dtype, inputs: [x] }: Operation): void {
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

  private shift(
    opcode: "i32x4.shl" | "i32x4.shr_u" | "i32x4.shr_s",
    { dtype, inputs: [x, count] }: Operation,
  ): void {
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

  private convert(operation: Operation): void {
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
