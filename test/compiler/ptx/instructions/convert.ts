// Conversions between types, and moves of bits.
import { bytesOf, cType, isFloat, predicate, u32, unsigned, type Kind } from "../kinds.js";
import type { Operands } from "../operands.js";
import type { Qualifiers } from "../qualifiers.js";
import type { Family, Translation } from "./family.js";

/** The least and the largest number of an integer kind. */
function bounds({ sort, bits }: Kind): readonly [string, string] {
  if (sort === "u") return ["0", bits === 64 ? "UINT64_MAX" : `${2n ** BigInt(bits) - 1n}u`];
  return [`INT${bits}_MIN`, `INT${bits}_MAX`];
}

/** Rounds a float to a whole number. */
const rounded = { rni: "rint", rzi: "trunc", rmi: "floor", rpi: "ceil" };

function floatToWhole(q: Qualifiers, c: string, from: Kind, to: Kind): string {
  const rounding = q.need("rni", "rzi", "rmi", "rpi");
  q.has("sat");
  const [least, largest] = bounds(to);
  // Numbers behind the bounds stop at them; NaN is 0 where neither type has 64 bits.
  const nan = from.bits === 64 || to.bits === 64 ? `((${cType(to)})1 << ${to.bits - 1})` : "0";
  const limit = `0x1p${to.sort === "s" ? to.bits - 1 : to.bits}`;
  const isBelow = to.sort === "s" ? `whole < -${limit}` : "whole < 0";
  return (
    `({ const double whole = ${rounded[rounding]}((double)${c}); isnan(whole) ? (${cType(to)})${nan} : ${isBelow} ? ` +
    `(${cType(to)})${least} : whole >= ${limit} ? (${cType(to)})${largest} : (${cType(to)})whole; })`
  );
}

function toFloat(q: Qualifiers, c: string, from: Kind, to: Kind): string {
  const whole = isFloat(from) ? q.oneOf("rni", "rzi", "rmi", "rpi") : null;
  const rounding = whole === null ? (q.oneOf("rn", "rz", "rm", "rp") ?? "rn") : "rn";
  const isSaturating = q.has("sat");
  const value = whole === null ? c : `${rounded[whole]}(${c})`;
  const isExact = isFloat(from) && from.bits <= to.bits;
  const result =
    isExact || rounding === "rn"
      ? `(${cType(to)})${value}`
      : to.bits === 32
        ? `rounded32((long double)${value}, ${{ rz: 0, rm: -1, rp: 1 }[rounding]})`
        : q.fail("doubles are rounded to nearest only");
  return isSaturating ? `saturate${to.bits}(${result})` : result;
}

function wholeToWhole(q: Qualifiers, c: string, to: Kind): string {
  if (!q.has("sat")) return `(${cType(to)})${c}`;
  const [least, largest] = bounds(to);
  return `({ const __int128 wide = ${c}; (${cType(to)})(wide < ${least} ? ${least} : wide > ${largest} ? ${largest} : wide); })`;
}

const convert: Translation = (o, q) => {
  const isFlushing = q.has("ftz");
  const tensor = q.oneOf("tf32");
  if (tensor !== null) {
    const rounding = q.need("rna", "rn", "rz");
    const from = q.kind();
    q.end();
    return o.set(0, u32, `tensorFloat_${rounding}(${o.value(1, from)})`);
  }
  const [to, from] = [q.kind(), q.kind()];
  const flushed = (c: string, kind: Kind) =>
    isFlushing && isFloat(kind) && kind.bits === 32 ? `flush(${c})` : c;
  const a = flushed(o.value(1, from), from);
  const c = isFloat(to)
    ? flushed(toFloat(q, a, from, to), to)
    : isFloat(from)
      ? floatToWhole(q, a, from, to)
      : wholeToWhole(q, a, to);
  q.end();
  return o.set(0, to, c);
};

/** Several registers as one, or one as several: the first has the lowest bits. */
function pack(o: Operands, kind: Kind): string | null {
  const [to, from] = [o.at(0), o.at(1)];
  const vector = to.kind === "vector" ? to : from.kind === "vector" ? from : null;
  if (vector === null) return null;
  const part: Kind = { sort: "u", bits: kind.bits / vector.elements.length };
  const whole = unsigned(kind);
  if (to.kind === "vector") {
    const sets = to.elements.map((element, at) =>
      o.setOf(element, part, `(${cType(part)})(whole >> ${at * part.bits})`),
    );
    return `{ const ${cType(whole)} whole = ${o.valueOf(from, whole)}; ${sets.join(" ")} }`;
  }
  const parts = vector.elements.map(
    (element, at) => `(${cType(whole)})${o.valueOf(element, part)} << ${at * 8 * bytesOf(part)}`,
  );
  return o.setOf(to, whole, `(${parts.join(" | ")})`);
}

export const conversion: Family = {
  cvt: convert,
  mov: (o, q) => {
    const kind = q.kind();
    q.end();
    return pack(o, kind) ?? o.set(0, kind, o.value(1, kind));
  },
  cvta: (o, q) => {
    const isTo = q.has("to");
    const space = q.need("global", "shared::cta", "shared", "local", "const", "param");
    const kind = q.kind();
    q.end();
    const a = o.value(1, kind);
    if (space === "global" || space === "const") return o.set(0, kind, a);
    if (space === "param") return q.fail("parameters have no addresses in the emulator");
    const name = space === "local" ? "local" : "shared";
    return o.set(0, kind, `${isTo ? "inside" : "generic"}_${name}(F, ${a}, ${o.line})`);
  },
  isspacep: (o, q) => {
    const space = q.need("global", "shared::cta", "shared", "local");
    q.end();
    const name = space === "shared::cta" ? "shared" : space;
    return o.set(0, predicate, `is_${name}(F, ${o.value(1, { sort: "u", bits: 64 })})`);
  },
};
