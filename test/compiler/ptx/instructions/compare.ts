// Comparing and choosing.
import { cType, isFloat, predicate, s32, type Kind } from "../kinds.js";
import { plainKind, type Operands } from "../operands.js";
import type { Qualifiers } from "../qualifiers.js";
import type { Family } from "./family.js";

type Comparison = (a: string, b: string) => string;

const ofWhole: Readonly<Record<string, Comparison>> = {
  eq: (a, b) => `${a} == ${b}`,
  ne: (a, b) => `${a} != ${b}`,
  lt: (a, b) => `${a} < ${b}`,
  le: (a, b) => `${a} <= ${b}`,
  gt: (a, b) => `${a} > ${b}`,
  ge: (a, b) => `${a} >= ${b}`,
};
const ofUnsigned: Readonly<Record<string, Comparison>> = {
  ...{ lo: ofWhole.lt, ls: ofWhole.le, hi: ofWhole.gt, hs: ofWhole.ge },
};
/** With NaN nothing holds, not even `ne`; those with a u behind it all hold. */
const ofFloats: Readonly<Record<string, Comparison>> = {
  ...ofWhole,
  ne: (a, b) => `(${a} < ${b} || ${a} > ${b})`,
  equ: (a, b) => `!(${a} < ${b} || ${a} > ${b})`,
  neu: (a, b) => `${a} != ${b}`,
  ltu: (a, b) => `!(${a} >= ${b})`,
  leu: (a, b) => `!(${a} > ${b})`,
  gtu: (a, b) => `!(${a} <= ${b})`,
  geu: (a, b) => `!(${a} < ${b})`,
  num: (a, b) => `(!isnan(${a}) && !isnan(${b}))`,
  nan: (a, b) => `(isnan(${a}) || isnan(${b}))`,
};

const combined = { and: "&", or: "|", xor: "^" };

interface Compared {
  readonly c: string;
  /** How it is put together with another predicate; null for not at all. */
  readonly combine: ((c: string) => string) | null;
}

function compared(o: Operands, q: Qualifiers, kind: Kind): Compared {
  const comparisons = isFloat(kind) ? ofFloats : { ...ofWhole, ...(kind.sort === "u" ? ofUnsigned : {}) };
  const comparison = q.need(...Object.keys(comparisons));
  const name = q.oneOf("and", "or", "xor");
  const isFlushing = q.has("ftz");
  const flushed = (index: number) => (isFlushing ? `flush(${o.value(index, kind)})` : o.value(index, kind));
  const c = `(${comparisons[comparison](flushed(1), flushed(2))})`;
  if (name === null) return { c, combine: null };
  const other = o.value(3, predicate);
  return { c, combine: (one) => `((${one}) ${combined[name]} (${other}))` };
}

export const compare: Family = {
  setp: (o, q) => {
    const kind = q.kind();
    const { c, combine } = compared(o, q, kind);
    q.end();
    const [first, second] = o.pair(0);
    const whole = combine ?? ((one: string) => one);
    const statements = [
      "const int holds = " + c + ";",
      // Both before either is set: the other predicate may be one of them.
      `const int yes = ${whole("holds")}, no = ${whole("!holds")};`,
      o.setOf(first, predicate, "yes"),
      second === null ? "" : o.setOf(second, predicate, "no"),
    ];
    return `{ ${statements.join(" ")} }`;
  },
  set: (o, q) => {
    const to = q.kind();
    const kind = q.kind();
    const { c, combine } = compared(o, q, kind);
    q.end();
    const holds = combine === null ? c : combine(c);
    const result = isFloat(to) ? `${holds} ? 1.0f : 0.0f` : `(${cType(to)})(${holds} ? ~0u : 0u)`;
    return o.set(0, to, result);
  },
  selp: (o, q) => {
    const kind = plainKind(q.kind());
    q.end();
    return o.set(0, kind, `(${o.value(3, predicate)} ? ${o.value(1, kind)} : ${o.value(2, kind)})`);
  },
  slct: (o, q) => {
    const kind = plainKind(q.kind());
    const by = q.kind();
    const isFlushing = q.has("ftz");
    q.end();
    if (!isFloat(by) && by.sort !== s32.sort) q.fail("it chooses by s32 or f32");
    const c = o.value(3, by);
    const zero = isFlushing ? `flush(${c})` : c;
    return o.set(0, kind, `(${zero} >= 0 ? ${o.value(1, kind)} : ${o.value(2, kind)})`);
  },
};
