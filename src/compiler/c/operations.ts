// Elementwise operations as C expressions, on one element or on several at once.
import type { DType } from "../../array/index.js";
import type { BasicOperation } from "../math/index.js";
import { letterOf, literal, splat, typeOf, type Width } from "./types.js";

/** A value as C, and its type. */
export interface Operand {
  readonly text: string;
  readonly dtype: DType;
  /** The number that it is, if that is known. */
  readonly constant: number | null;
}

/** What an operation needs to know of its place. */
interface Call {
  readonly dtype: DType;
  readonly inputs: readonly Operand[];
  readonly width: Width;
}

type Rule = (call: Call) => string;

const isFloat = (dtype: DType): boolean => dtype === "float32" || dtype === "float64";

/** Wraps an integer around to what its dtype holds. */
const wrap = (text: string, { dtype, width }: Call): string =>
  dtype === "uint8" ? `(${text} & ${splat("255u", "uint8", width)})` : text;

const infix =
  (sign: string): Rule =>
  (call) =>
    wrap(`(${call.inputs[0].text} ${sign} ${call.inputs[1].text})`, call);

/** Comparisons give masks; of masks, true is the larger. */
const comparison =
  (sign: string, ofMasks: string): Rule =>
  ({ inputs: [x, y], width }) => {
    const chosen = x.dtype === "bool" ? ofMasks : sign;
    const text = `(${x.text} ${chosen} ${y.text})`;
    return width === 1 ? `(-${text})` : `(vi${width})${text}`;
  };

const named =
  (name: string): Rule =>
  ({ inputs, width }) =>
    `${name}${width}(${inputs.map(({ text }) => text).join(", ")})`;

const extremum =
  (name: "max" | "min"): Rule =>
  ({ dtype, inputs, width }) => {
    const [x, y] = inputs;
    if (dtype === "bool") return `(${x.text} ${name === "max" ? "|" : "&"} ${y.text})`;
    if (dtype !== "float32") return `${name}${width}${letterOf(dtype)}(${x.text}, ${y.text})`;
    // With a number on one side the cheaper instruction keeps a NaN of the other.
    const [value, bound] = x.constant === null ? [x, y] : [y, x];
    return bound.constant !== null && !Number.isNaN(bound.constant)
      ? `${name}Number${width}(${value.text}, ${bound.text})`
      : `${name}${width}f(${x.text}, ${y.text})`;
  };

const integerFunction =
  (name: string): Rule =>
  (call) => {
    const { dtype, inputs, width } = call;
    const kind = dtype === "int32" ? "I" : "U";
    return wrap(`${name}${kind}${width}(${inputs.map(({ text }) => text).join(", ")})`, call);
  };

/** Counts beyond the width leave nothing, or the sign. */
const shift =
  (sign: "<<" | ">>", isArithmetic: boolean): Rule =>
  (call) => {
    const { dtype, inputs, width } = call;
    const [x, count] = inputs;
    const bits = dtype === "uint8" ? 8 : 32;
    // Shifting right takes the sign along where the type has one.
    const type = typeOf(isArithmetic ? "int32" : "uint32", width);
    const own = typeOf(dtype, width);
    const shifted = (by: string) => wrap(`(${own})((${type})${x.text} ${sign} ${by})`, call);
    const all = (value: number, of: DType) => splat(literal(value, of), of, width);
    if (count.constant !== null) {
      const isInside = count.constant >= 0 && count.constant < bits;
      if (isInside) return shifted(String(count.constant));
      return isArithmetic ? shifted("31") : all(0, dtype);
    }
    const unsigned = typeOf("uint32", width);
    const bounded = `min${width}u((${unsigned})${count.text}, ${all(31, "uint32")})`;
    if (isArithmetic) return shifted(`(${type})${bounded}`);
    const mask = comparison(
      "<",
      "<",
    )({
      dtype: "bool",
      inputs: [
        { text: `(${unsigned})${count.text}`, dtype: "uint32", constant: null },
        { text: all(bits, "uint32"), dtype: "uint32", constant: null },
      ],
      width,
    });
    return select(mask, shifted(bounded), all(0, dtype), dtype, width);
  };

const select = (mask: string, x: string, y: string, dtype: DType, width: Width): string =>
  `SELECT${letterOf(dtype).toUpperCase()}${width}(${mask}, ${x}, ${y})`;

const convert: Rule = (call) => {
  const { dtype, inputs, width } = call;
  const [{ text, dtype: from }] = inputs;
  if (from === dtype) return text;
  const type = typeOf(dtype, width);
  if (dtype === "bool") {
    const zero = splat(literal(0, from), from, width);
    return width === 1 ? `(-(${text} != ${zero}))` : `(vi${width})(${text} != ${zero})`;
  }
  const numeric = (value: string) =>
    width === 1 ? `(${type})${value}` : `__builtin_convertvector(${value}, ${type})`;
  if (from === "bool")
    return numeric(width === 1 ? `(${text} & 1)` : `(${text} & ${splat("1", "int32", width)})`);
  if (isFloat(dtype)) return numeric(text);
  if (from === "float64") return numeric(text);
  if (from === "float32") {
    if (dtype === "int32") return `toInt${width}(${text})`;
    const whole = `toUnsigned${width}(${text})`;
    return dtype === "uint8" ? `min${width}u(${whole}, ${splat("255u", "uint32", width)})` : whole;
  }
  return wrap(`(${type})${text}`, call);
};

const bitcast: Rule = ({ dtype, inputs, width }) => {
  const [{ text, dtype: from }] = inputs;
  if (width > 1) return `(${typeOf(dtype, width)})${text}`;
  if (dtype === "float32") return `bitsToFloat((unsigned)${text})`;
  return from === "float32" ? `(${typeOf(dtype, 1)})floatToBits(${text})` : `(${typeOf(dtype, 1)})${text}`;
};

const round: Rule = (call) => named(call.dtype === "float64" ? "roundD" : "round")(call);

const rules: Readonly<Record<BasicOperation, Rule>> & Readonly<Partial<Record<string, Rule>>> = {
  add: infix("+"),
  sub: infix("-"),
  mul: infix("*"),
  neg: (call) => wrap(`(-${call.inputs[0].text})`, call),
  abs: ({ dtype, inputs: [{ text }], width }) => {
    if (dtype === "float32" && width === 1) return `__builtin_fabsf(${text})`;
    if (dtype === "float32") return `(vf${width})((vi${width})${text} & 0x7fffffff)`;
    if (dtype !== "int32") return text;
    return `max${width}i(${text}, -${text})`;
  },
  madd: ({ inputs: [x, y, z] }) => `(${x.text} * ${y.text} + ${z.text})`,
  fma: named("fma"),
  div: (call) => (isFloat(call.dtype) ? infix("/") : integerFunction("div"))(call),
  rem: (call) => (call.dtype === "float32" ? named("rem") : integerFunction("rem"))(call),
  max: extremum("max"),
  min: extremum("min"),
  maxNumber: named("maxNumber"),
  minNumber: named("minNumber"),
  floor: named("floor"),
  ceil: named("ceil"),
  trunc: named("trunc"),
  round,
  sqrt: named("sqrt"),
  pow: integerFunction("pow"),
  equal: comparison("==", "=="),
  notEqual: comparison("!=", "!="),
  less: comparison("<", ">"),
  lessEqual: comparison("<=", ">="),
  and: infix("&"),
  or: infix("|"),
  xor: infix("^"),
  not: (call) => wrap(`(~${call.inputs[0].text})`, call),
  shiftLeft: shift("<<", false),
  shiftRightLogical: shift(">>", false),
  shiftRightArithmetic: shift(">>", true),
  select: ({ dtype, inputs: [mask, x, y], width }) => select(mask.text, x.text, y.text, dtype, width),
  convert,
  bitcast,
};

/** An operation on operands of its own width; null where C has no rule for it. */
export const operationText = (name: string, call: Call): string | null => rules[name]?.(call) ?? null;
