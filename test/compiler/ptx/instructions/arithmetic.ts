// Arithmetic of integers and floats.
import { cType, isFloat, predicate, wider, type Kind } from "../kinds.js";
import type { Operands } from "../operands.js";
import type { Qualifiers } from "../qualifiers.js";
import type { Family, Translation } from "./family.js";

/** How a float instruction treats its operands and what it gives. */
interface FloatMode {
  readonly value: (index: number) => string;
  readonly result: (c: string) => string;
}

function floatMode(o: Operands, q: Qualifiers, kind: Kind): FloatMode {
  const [isFlushing, isSaturating] = [q.has("ftz"), q.has("sat")];
  const flushed = (c: string) => (isFlushing && kind.bits === 32 ? `flush(${c})` : c);
  return {
    value: (index) => flushed(o.value(index, kind)),
    result: (c) => (isSaturating ? `saturate${kind.bits}(${flushed(c)})` : flushed(c)),
  };
}

/** Rounds to nearest, as C does; other modes are not emulated. */
const nearest = (q: Qualifiers): void => void q.oneOf("rn");

/** An instruction of floats: how many operands, and its result of them. */
const ofFloats =
  (
    arity: number,
    result: (a: string, b: string, c: string) => string,
    modes: readonly string[],
  ): Translation =>
  (o, q) => {
    const kind = q.kind();
    if (!isFloat(kind)) q.fail("it is for floats");
    q.oneOf(...modes);
    const mode = floatMode(o, q, kind);
    q.end();
    const values = Array.from({ length: arity }, (_, index) => mode.value(index + 1));
    const c = result(values[0], values.at(1) ?? "", values.at(2) ?? "");
    return o.set(0, kind, mode.result(kind.bits === 32 ? `(float)(${c})` : c));
  };

/** The function of <tgmath.h> for the type at hand. */
const unary = (name: string, modes: readonly string[]): Translation =>
  ofFloats(1, (a) => `${name}(${a})`, modes);

function plain(operator: string): Translation {
  return (o, q) => {
    const kind = q.kind();
    if (isFloat(kind)) {
      nearest(q);
      const mode = floatMode(o, q, kind);
      q.end();
      return o.set(0, kind, mode.result(`(${mode.value(1)} ${operator} ${mode.value(2)})`));
    }
    const isSaturating = q.has("sat");
    q.end();
    const c = `(${cType(kind)})(${o.value(1, kind)} ${operator} ${o.value(2, kind)})`;
    if (!isSaturating) return o.set(0, kind, c);
    if (kind.sort !== "s" || kind.bits !== 32) q.fail(".sat is for s32 and floats");
    return o.set(
      0,
      kind,
      `saturateS32((int64_t)${o.value(1, kind)} ${operator} (int64_t)${o.value(2, kind)})`,
    );
  };
}

/** A product of integers: its lower or upper half, or all of it. */
function product(o: Operands, kind: Kind, part: "lo" | "hi" | "wide"): { kind: Kind; c: string } {
  const [a, b] = [o.value(1, kind), o.value(2, kind)];
  if (part === "lo") return { kind, c: `(${cType(kind)})(${a} * ${b})` };
  const double = kind.bits === 64 ? `${kind.sort === "u" ? "unsigned " : ""}__int128` : cType(wider(kind));
  const whole = `((${double})${a} * (${double})${b})`;
  if (part === "hi") return { kind, c: `(${cType(kind)})(${whole} >> ${kind.bits})` };
  if (kind.bits === 64) return o.fail("a wide product has no more than 64 bits");
  return { kind: wider(kind), c: whole };
}

const multiply: Translation = (o, q) => {
  const kind = q.kind();
  if (isFloat(kind)) {
    nearest(q);
    const mode = floatMode(o, q, kind);
    q.end();
    return o.set(0, kind, mode.result(`(${mode.value(1)} * ${mode.value(2)})`));
  }
  const part = q.need("lo", "hi", "wide");
  q.end();
  const { kind: to, c } = product(o, kind, part);
  return o.set(0, to, c);
};

const fused = ofFloats(3, (a, b, c) => `fma(${a}, ${b}, ${c})`, ["rn"]);

const multiplyAdd: Translation = (o, q) => {
  const part = q.oneOf("lo", "hi", "wide");
  if (part === null) return fused(o, q);
  const kind = q.kind();
  q.end();
  const { kind: to, c } = product(o, kind, part);
  return o.set(0, to, `(${cType(to)})(${c} + ${o.value(3, to)})`);
};

/** Division by zero gives all ones, or for a remainder the dividend, as GPUs do. */
function quotient(ofWhole: (kind: Kind, a: string, b: string) => string, ofFloat: Translation): Translation {
  return (o, q) => {
    if (q.oneOf("rn", "full", "approx") !== null) return ofFloat(o, q);
    const kind = q.kind();
    if (isFloat(kind)) q.fail("it needs one of .rn .full .approx");
    q.end();
    return o.set(0, kind, `(${cType(kind)})(${ofWhole(kind, o.value(1, kind), o.value(2, kind))})`);
  };
}

const divide = quotient(
  ({ sort }, a, b) =>
    sort === "s"
      ? `${b} == 0 ? -1 : ${b} == -1 ? -${a} : ${a} / ${b}`
      : `${b} == 0 ? ~UINT64_C(0) : ${a} / ${b}`,
  ofFloats(2, (a, b) => `${a} / ${b}`, []),
);

const remainder = quotient(
  ({ sort }, a, b) =>
    sort === "s" ? `${b} == 0 ? ${a} : ${b} == -1 ? 0 : ${a} % ${b}` : `${b} == 0 ? ${a} : ${a} % ${b}`,
  (_, q) => q.fail("it is for integers"),
);

/** The smaller or larger one. */
function extreme(name: "min" | "max"): Translation {
  return (o, q) => {
    const kind = q.kind();
    if (!isFloat(kind)) {
      q.end();
      const [a, b] = [o.value(1, kind), o.value(2, kind)];
      return o.set(0, kind, `${a} ${name === "min" ? "<" : ">"} ${b} ? ${a} : ${b}`);
    }
    const isSpreading = q.has("NaN");
    const mode = floatMode(o, q, kind);
    q.end();
    const f = `${name}${isSpreading ? "NaN" : "Number"}${kind.bits}`;
    return o.set(0, kind, mode.result(`${f}(${mode.value(1)}, ${mode.value(2)})`));
  };
}

/** Changes the sign: of floats by their bits, so that zeros and NaN have one, too. */
function sign(ofWhole: (a: string) => string, operator: string): Translation {
  return (o, q) => {
    const kind = q.kind();
    if (!isFloat(kind)) {
      q.end();
      return o.set(0, kind, `(${cType(kind)})(${ofWhole(o.value(1, kind))})`);
    }
    const mode = floatMode(o, q, kind);
    q.end();
    const top = kind.bits === 32 ? "0x80000000u" : "UINT64_C(0x8000000000000000)";
    const mask = operator === "&" ? `~${top}` : top;
    return o.set(0, kind, `toF${kind.bits}(bits${kind.bits}(${mode.value(1)}) ${operator} ${mask})`);
  };
}

const classes: Readonly<Record<string, (a: string) => string>> = {
  finite: (a) => `isfinite(${a})`,
  infinite: (a) => `isinf(${a})`,
  number: (a) => `!isnan(${a})`,
  notanumber: (a) => `isnan(${a})`,
  normal: (a) => `isnormal(${a})`,
  subnormal: (a) => `fpclassify(${a}) == FP_SUBNORMAL`,
};

export const arithmetic: Family = {
  add: plain("+"),
  sub: plain("-"),
  mul: multiply,
  mad: multiplyAdd,
  fma: fused,
  div: divide,
  rem: remainder,
  min: extreme("min"),
  max: extreme("max"),
  neg: sign((a) => `-${a}`, "^"),
  abs: sign((a) => `${a} < 0 ? -${a} : ${a}`, "&"),
  copysign: ofFloats(2, (a, b) => `copysign(${b}, ${a})`, []),
  sqrt: unary("sqrt", ["rn", "approx"]),
  rcp: ofFloats(1, (a) => `1 / ${a}`, ["rn", "approx"]),
  rsqrt: ofFloats(1, (a) => `1 / sqrt((double)${a})`, ["approx"]),
  ex2: unary("exp2", ["approx"]),
  lg2: unary("log2", ["approx"]),
  sin: unary("sin", ["approx"]),
  cos: unary("cos", ["approx"]),
  tanh: unary("tanh", ["approx"]),
  testp: (o, q) => {
    const kind = q.kind();
    const name = q.need(...Object.keys(classes));
    q.end();
    return o.set(0, predicate, `(${classes[name](o.value(1, kind))}) != 0`);
  },
};
