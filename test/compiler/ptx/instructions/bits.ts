// Instructions that work on bits: logic, shifts, counting, fields.
import { cType, u32, unsigned, type Kind } from "../kinds.js";
import type { Operands } from "../operands.js";
import type { Family, Translation } from "./family.js";

const logic =
  (operator: string): Translation =>
  (o, q) => {
    const kind = q.kind();
    q.end();
    return o.set(0, kind, `(${cType(kind)})(${o.value(1, kind)} ${operator} ${o.value(2, kind)})`);
  };

/** Shifts by the width and more leave nothing but the sign. */
const shift =
  (direction: "<<" | ">>"): Translation =>
  (o, q) => {
    const kind = q.kind();
    q.end();
    const [a, count] = [o.value(1, kind), o.value(2, u32)];
    const c = cType(kind);
    const rest = direction === ">>" && kind.sort === "s" ? `${a} >> ${kind.bits - 1}` : "0";
    return o.set(0, kind, `(${c})(${count} >= ${kind.bits}u ? ${rest} : ${a} ${direction} ${count})`);
  };

/** A function of the runtime on numbers of 32 bits, or of 64 with another name. */
const counted =
  (name: string): Translation =>
  (o, q) => {
    const kind = q.kind();
    q.end();
    return o.set(0, u32, `${name}${kind.bits}(${o.value(1, unsigned(kind))})`);
  };

/** The bytes of an operand of a function with several operands of one kind. */
const values = (o: Operands, kinds: readonly Kind[]): string =>
  kinds.map((kind, index) => o.value(index + 1, kind)).join(", ");

const field: Translation = (o, q) => {
  const kind = q.kind();
  q.end();
  return o.set(0, kind, `extract${kind.sort.toUpperCase()}${kind.bits}(${values(o, [kind, u32, u32])})`);
};

export const bits: Family = {
  and: logic("&"),
  or: logic("|"),
  xor: logic("^"),
  not: (o, q) => {
    const kind = q.kind();
    q.end();
    const a = o.value(1, kind);
    return o.set(0, kind, kind.sort === "p" ? `!(${a})` : `(${cType(kind)})~${a}`);
  },
  cnot: (o, q) => {
    const kind = q.kind();
    q.end();
    return o.set(0, kind, `(${cType(kind)})(${o.value(1, kind)} == 0)`);
  },
  shl: shift("<<"),
  shr: shift(">>"),
  shf: (o, q) => {
    const [direction, mode] = [q.need("l", "r"), q.need("wrap", "clamp")];
    const kind = q.kind();
    q.end();
    const count = o.value(3, u32);
    const bounded = mode === "wrap" ? `(${count} & 31u)` : `(${count} > 32u ? 32u : ${count})`;
    const both = `((uint64_t)${o.value(2, kind)} << 32 | ${o.value(1, kind)})`;
    const c = direction === "l" ? `(${both} << ${bounded}) >> 32` : `${both} >> ${bounded}`;
    return o.set(0, kind, `(uint32_t)(${c})`);
  },
  lop3: (o, q) => {
    const kind = q.kind();
    q.end();
    return o.set(0, kind, `lop3(${values(o, [kind, kind, kind, u32])})`);
  },
  prmt: (o, q) => {
    const kind = q.kind();
    q.end();
    return o.set(0, kind, `permute(${values(o, [kind, kind, u32])})`);
  },
  popc: counted("population"),
  clz: counted("leadingZeros"),
  brev: (o, q) => {
    const kind = q.kind();
    q.end();
    return o.set(0, kind, `reversed${kind.bits}(${o.value(1, kind)})`);
  },
  bfind: (o, q) => {
    const isShift = q.has("shiftamt");
    const kind = q.kind();
    q.end();
    const a = o.value(1, kind);
    const found = `highest((uint64_t)${kind.sort === "s" ? `(${a} < 0 ? ~${a} : ${a})` : a})`;
    return o.set(0, u32, isShift ? `(${found} == ~0u ? ~0u : ${kind.bits - 1}u - ${found})` : found);
  },
  bfe: field,
  bfi: (o, q) => {
    const kind = q.kind();
    q.end();
    return o.set(0, kind, `insert${kind.bits}(${values(o, [kind, kind, u32, u32])})`);
  },
};
