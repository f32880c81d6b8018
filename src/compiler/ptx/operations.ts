// Elementwise operations as PTX instructions.
import type { DType } from "../../array/index.js";
import { formulaOf, type BasicOperation, type Term } from "../math/index.js";
import { approximations } from "./approximations.js";
import { quickQuotient } from "./quotients.js";
import { rotationsIn } from "./rotations.js";
import { kindOf, literal, type PtxText } from "./text.js";

/** A value: a register, or a number. */
export interface Operand {
  readonly text: string;
  readonly dtype: DType;
}

/** What an operation needs to know of its place. */
interface Call {
  readonly out: PtxText;
  readonly dtype: DType;
  readonly inputs: readonly Operand[];
}

type Rule = (call: Call) => string;

const isFloat = (dtype: DType): boolean => dtype === "float32" || dtype === "float64";

/** The type by which instructions know a dtype. */
const typeOf = (dtype: DType): string =>
  dtype === "float32" ? "f32" : dtype === "float64" ? "f64" : dtype === "int32" ? "s32" : "u32";

const texts = (inputs: readonly Operand[]): string[] => inputs.map(({ text }) => text);

/** Wraps an integer around to what its dtype holds. */
const wrap = ({ out, dtype }: Call, value: string): string =>
  dtype === "uint8" ? out.pure("and.b32", "b32", value, "255") : value;

/** An instruction of the dtype's own type. */
const typed =
  (ofFloats: string, ofIntegers: string = ofFloats): Rule =>
  (call) => {
    const { out, dtype, inputs } = call;
    const name = isFloat(dtype) ? ofFloats : ofIntegers;
    return wrap(call, out.pure(`${name}.${typeOf(dtype)}`, kindOf(dtype), ...texts(inputs)));
  };

/** An instruction of the bits. */
const bitwise =
  (name: string): Rule =>
  (call) => {
    const { out, dtype, inputs } = call;
    if (dtype === "bool") return out.pure(`${name}.pred`, "pred", ...texts(inputs));
    return wrap(call, out.pure(`${name}.b32`, "b32", ...texts(inputs)));
  };

const logical = (out: PtxText, name: string, ...inputs: readonly string[]): string =>
  out.pure(`${name}.pred`, "pred", ...inputs);

/** Comparisons of numbers; of conditions, true is the larger. */
const comparison =
  (
    ofFloats: string,
    ofIntegers: string,
    ofConditions: (out: PtxText, x: string, y: string) => string,
  ): Rule =>
  ({ out, inputs: [x, y] }) => {
    if (x.dtype === "bool") return ofConditions(out, x.text, y.text);
    const name = isFloat(x.dtype) ? ofFloats : ofIntegers;
    return out.pure(`setp.${name}.${typeOf(x.dtype)}`, "pred", x.text, y.text);
  };

/**
 * The larger or the smaller of two. Of integers it is chosen, not computed: of three numbers whose extremum the assembler of
 * CUDA 13.0 takes at once, it loses the sign of the middle one.
 */
const extremum =
  (name: "max" | "min"): Rule =>
  ({ out, dtype, inputs }) => {
    const [x, y] = texts(inputs);
    if (dtype === "bool") return logical(out, name === "max" ? "or" : "and", x, y);
    if (dtype === "float32") return out.pure(`${name}.NaN.f32`, "f32", x, y);
    const isLess = out.pure(`setp.lt.${typeOf(dtype)}`, "pred", x, y);
    return name === "max"
      ? out.pure("selp.b32", "b32", y, x, isLess)
      : out.pure("selp.b32", "b32", x, y, isLess);
  };

/** The second where it is better, else the first: which is what stays where one is NaN. */
const preferred =
  (name: "max" | "min"): Rule =>
  ({ out, inputs: [x, y] }) => {
    const [low, high] = name === "max" ? [x, y] : [y, x];
    const isBetter = out.pure("setp.lt.f32", "pred", low.text, high.text);
    return out.pure("selp.f32", "f32", y.text, x.text, isBetter);
  };

const rounding =
  (mode: string): Rule =>
  ({ out, dtype, inputs: [x] }) =>
    isFloat(dtype)
      ? out.pure(`cvt.${mode}.${typeOf(dtype)}.${typeOf(dtype)}`, kindOf(dtype), x.text)
      : x.text;

export function selectText(out: PtxText, condition: string, x: string, y: string, dtype: DType): string {
  if (dtype !== "bool") {
    const type = kindOf(dtype) === "b32" ? "b32" : typeOf(dtype);
    return out.pure(`selp.${type}`, kindOf(dtype), x, y, condition);
  }
  const isNot = logical(out, "not", condition);
  return logical(out, "or", logical(out, "and", condition, x), logical(out, "and", isNot, y));
}

const convert: Rule = (call) => {
  const { out, dtype, inputs } = call;
  const [{ text, dtype: from }] = inputs;
  if (from === dtype) return text;
  const to = kindOf(dtype);
  if (dtype === "bool") {
    const type = typeOf(from);
    return out.pure(`setp.${isFloat(from) ? "neu" : "ne"}.${type}`, "pred", text, literal(0, from));
  }
  if (from === "bool")
    return out.pure(
      `selp.${to === "b32" ? "b32" : typeOf(dtype)}`,
      to,
      literal(1, dtype),
      literal(0, dtype),
      text,
    );
  if (from === "float32" && dtype === "float64") return out.pure("cvt.f64.f32", to, text);
  if (isFloat(dtype)) return out.pure(`cvt.rn.${typeOf(dtype)}.${typeOf(from)}`, to, text);
  if (!isFloat(from)) return wrap(call, text);
  // What lies beyond is the largest number, NaN is 0: as the instruction has it.
  const whole = out.pure(`cvt.rzi.${typeOf(dtype)}.${typeOf(from)}`, to, text);
  return dtype === "uint8" ? out.pure("min.u32", "b32", whole, "255") : whole;
};

const bitcast: Rule = ({ out, dtype, inputs: [{ text, dtype: from }] }) =>
  kindOf(from) === kindOf(dtype) ? text : out.pure("mov.b32", kindOf(dtype), text);

/** Division of integers: by 0 it gives -1, and what remains is all. */
const integerDivision =
  (name: "div" | "rem"): Rule =>
  (call) => {
    const { out, dtype, inputs } = call;
    const [x, y] = texts(inputs);
    const type = typeOf(dtype);
    const isZero = out.pure(`setp.eq.${type}`, "pred", y, "0");
    const choose = (a: string, b: string, condition: string) => out.pure("selp.b32", "b32", a, b, condition);
    const ofNothing = name === "div" ? "-1" : x;
    if (dtype !== "int32") {
      const divided = out.pure(`${name}.u32`, "b32", x, choose("1", y, isZero));
      return wrap(call, choose(ofNothing, divided, isZero));
    }
    // The lowest number divided by -1 has no result of its own.
    const isMinusOne = out.pure("setp.eq.s32", "pred", y, "-1");
    const isSpecial = logical(out, "or", isZero, isMinusOne);
    const divided = out.pure(`${name}.s32`, "b32", x, choose("1", y, isSpecial));
    const negative = name === "div" ? out.pure("neg.s32", "b32", x) : "0";
    return choose(ofNothing, choose(negative, divided, isMinusOne), isZero);
  };

/** A call of a function of two operands, which `functions.ts` has. */
const called =
  (name: string): Rule =>
  ({ out, dtype, inputs }) => {
    const kind = kindOf(dtype);
    const type = kind === "f32" ? "f32" : "b32";
    const key = [name, dtype, ...texts(inputs)].join(" ");
    const known = out.recall(key);
    if (known !== undefined) return known;
    const result = out.register(kind);
    const [x, y] = texts(inputs);
    out.line(
      `{ .param .${type} x, y, z; st.param.${type} [x], ${x}; st.param.${type} [y], ${y}; ` +
        `call.uni (z), ${name}, (x, y); ld.param.${type} ${result}, [z]; }`,
    );
    out.remember(key, result);
    return result;
  };

/** Powers of integers. To a negative power only 1 and -1 are more than 0. */
const integerPower: Rule = (call) => {
  const { out, dtype, inputs } = call;
  const power = wrap(call, called("power_of_integer")(call));
  if (dtype !== "int32") return power;
  const [x, y] = texts(inputs);
  const test = (name: string, value: string, number: string) =>
    out.pure(`setp.${name}.s32`, "pred", value, number);
  const choose = (a: string, b: string, condition: string) => out.pure("selp.b32", "b32", a, b, condition);
  const isOdd = test("ne", out.pure("and.b32", "b32", y, "1"), "0");
  const ofMinusOne = choose(choose("-1", "1", isOdd), "0", test("eq", x, "-1"));
  return choose(choose("1", ofMinusOne, test("eq", x, "1")), power, test("lt", y, "0"));
};

const shift =
  (name: "shl" | "shr", type: string): Rule =>
  (call) =>
    wrap(call, call.out.pure(`${name}.${type}`, "b32", ...texts(call.inputs)));

const rules: Readonly<Record<BasicOperation, Rule>> & Readonly<Partial<Record<string, Rule>>> = {
  add: typed("add"),
  sub: typed("sub"),
  mul: typed("mul", "mul.lo"),
  neg: (call) => {
    const { out, dtype, inputs } = call;
    const type = isFloat(dtype) ? typeOf(dtype) : "s32";
    return wrap(call, out.pure(`neg.${type}`, kindOf(dtype), inputs[0].text));
  },
  abs: (call) => {
    const { out, dtype, inputs } = call;
    const [{ text }] = inputs;
    return isFloat(dtype) || dtype === "int32" ? out.pure(`abs.${typeOf(dtype)}`, kindOf(dtype), text) : text;
  },
  madd: typed("fma.rn"),
  fma: typed("fma.rn"),
  div: (call) => (isFloat(call.dtype) ? typed("div.rn")(call) : integerDivision("div")(call)),
  rem: (call) => (call.dtype === "float32" ? called("remainder")(call) : integerDivision("rem")(call)),
  max: extremum("max"),
  min: extremum("min"),
  maxNumber: preferred("max"),
  minNumber: preferred("min"),
  floor: rounding("rmi"),
  ceil: rounding("rpi"),
  trunc: rounding("rzi"),
  round: rounding("rni"),
  sqrt: typed("sqrt.rn"),
  pow: integerPower,
  equal: comparison("eq", "eq", (out, x, y) => logical(out, "not", logical(out, "xor", x, y))),
  notEqual: comparison("neu", "ne", (out, x, y) => logical(out, "xor", x, y)),
  less: comparison("lt", "lt", (out, x, y) => logical(out, "and", logical(out, "not", x), y)),
  lessEqual: comparison("le", "le", (out, x, y) => logical(out, "or", logical(out, "not", x), y)),
  and: bitwise("and"),
  or: bitwise("or"),
  xor: bitwise("xor"),
  not: bitwise("not"),
  shiftLeft: shift("shl", "b32"),
  shiftRightLogical: shift("shr", "u32"),
  shiftRightArithmetic: shift("shr", "s32"),
  select: ({ out, dtype, inputs: [condition, x, y] }) =>
    selectText(out, condition.text, x.text, y.text, dtype),
  convert,
  bitcast,
};

/** What the function takes that makes two words of random bits, in their order. */
export const randomBitsParams = ["key0", "key1", "counter0", "counter1"] as const;

/** A word of random bits by a call of the function that `functions.ts` has. */
export function callRandomBits(out: PtxText, inputs: readonly string[], result: 0 | 1): string {
  const keys = [0, 1].map((which) => `random_bits ${which} ${inputs.join(" ")}`);
  const known = out.recall(keys[result]);
  if (known !== undefined) return known;
  const both = out.register("b64");
  const names = randomBitsParams.join(", ");
  const given = randomBitsParams.map((name, at) => `st.param.b32 [${name}], ${inputs[at]};`).join(" ");
  out.line(
    `{ .param .b32 ${names}; .param .b64 bits; ${given} ` +
      `call.uni (bits), random_bits, (${names}); ld.param.b64 ${both}, [bits]; }`,
  );
  const words = keys.map((key) => {
    const word = out.register("b32");
    out.remember(key, word);
    return word;
  });
  out.line(`mov.b64 {${words.join(", ")}}, ${both};`);
  return words[result];
}

/** The result of an operation: by instructions, or by its formula. */
export function operate(
  out: PtxText,
  name: string,
  dtype: DType,
  inputs: readonly Operand[],
  result: 0 | 1 = 0,
): string {
  const own = inputs[0].dtype === "float32" ? approximations[name] : undefined;
  if (own !== undefined) return own(out, inputs[0].text);
  const formula = formulaOf(name, inputs[0].dtype);
  if (formula === null) {
    const rule = rules[name];
    if (rule === undefined)
      throw new Error(`the PTX renderer does not know the operation ${name} of ${dtype}`);
    return rule({ out, dtype, inputs });
  }
  const known = new Map<Term, Operand>();
  const { made, needless } = rotationsIn(formula);
  for (const term of formula.terms) {
    if (needless.has(term)) continue;
    const rotation = made.get(term);
    const text =
      rotation === undefined
        ? termText(out, term, known, inputs)
        : rotated(out, (known.get(rotation.word) as Operand).text, rotation.by);
    known.set(term, { text, dtype: term.dtype });
  }
  return (known.get(formula.results[result]) as Operand).text;
}

/** A word whose bits are turned to the left. */
const rotated = (out: PtxText, word: string, by: number): string =>
  out.pure("shf.l.wrap.b32", "b32", word, word, String(by));

function termText(
  out: PtxText,
  term: Term,
  known: ReadonlyMap<Term, Operand>,
  inputs: readonly Operand[],
): string {
  switch (term.kind) {
    case "operand":
      return inputs[term.operand].text;
    case "constant":
      return constantText(out, term.value, term.dtype);
    case "operation": {
      const operands = term.inputs.map((input) => known.get(input) as Operand);
      if (term.name === "div" && term.dtype === "float32")
        return quickQuotient(out, operands[0].text, operands[1].text);
      return rules[term.name]({ out, dtype: term.dtype, inputs: operands });
    }
  }
}

/** A number as an operand; conditions need a register. */
export const constantText = (out: PtxText, value: number, dtype: DType): string =>
  dtype === "bool" ? out.pure("setp.ne.s32", "pred", value === 0 ? "0" : "1", "0") : literal(value, dtype);
