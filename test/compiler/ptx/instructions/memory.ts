// Loads, stores and atomic operations.
import { bytesOf, cType, isFloat, u64, type Kind } from "../kinds.js";
import type { Operands } from "../operands.js";
import type { Qualifiers } from "../qualifiers.js";
import type { Family, Translation } from "./family.js";

/** What makes no difference where one thread runs at a time and there are no caches. */
const indifferent = /^(weak|cta|gpu|sys|cluster|ca|cg|cs|lu|cv|wb|wt|nc|L1::\w+|L2::\w+)$/;

type Memory = "global" | "shared" | "local" | "generic" | "param";

function spaceOf(q: Qualifiers): Memory {
  const space = q.oneOf(
    "global",
    "shared::cta",
    "shared",
    "local",
    "const",
    "param::entry",
    "param::func",
    "param",
  );
  if (space === null) return "generic";
  if (space === "const") return "global";
  if (space.startsWith("param")) return "param";
  return space.startsWith("shared") ? "shared" : (space as Memory);
}

/** The place in C of a parameter. */
function paramAt(o: Operands, index: number, bytes: number): string {
  const operand = o.at(index);
  if (operand.kind !== "address" || operand.base === null) return o.fail("a parameter is named in brackets");
  const named = o.scope.need(operand.base, o.line);
  if (named.is !== "param") return o.fail(`${operand.base} is no parameter`);
  if (operand.offset < 0n || operand.offset + BigInt(bytes) > BigInt(named.bytes))
    return o.fail(`${operand.base} has only ${named.bytes} bytes`);
  return `${named.c} + ${operand.offset}`;
}

/** How memory is touched: races are looked for between reads and writes. */
type Touch = "READ" | "WRITE" | "ATOMIC" | "WATCH";

const place = (o: Operands, index: number, space: Memory, bytes: number, touch: Touch): string =>
  space === "param"
    ? paramAt(o, index, bytes)
    : `at_${space}(F, ${o.address(index)}, ${bytes}, ${touch}, ${o.line})`;

interface Access {
  readonly space: Memory;
  readonly kind: Kind;
  readonly length: number;
  /** Whether other threads may be waited for by it. */
  readonly isStrong: boolean;
}

function accessOf(q: Qualifiers): Access {
  const strength = q.oneOf("volatile", "relaxed", "acquire", "release", "mmio");
  q.ignore(indifferent);
  const space = spaceOf(q);
  const vector = q.oneOf("v2", "v4", "v8");
  const kind = q.kind();
  q.end();
  return { space, kind, length: Number(vector?.slice(1) ?? 1), isStrong: strength !== null };
}

const load: Translation = (o, q) => {
  const { space, kind, length, isStrong } = accessOf(q);
  const bytes = bytesOf(kind) * length;
  const type = cType(kind);
  const from = place(o, 1, space, bytes, isStrong ? "WATCH" : "READ");
  const sets = o
    .elements(0, length)
    .map((element, at) => o.setOf(element, kind, `LOAD(${type}, from + ${at * bytesOf(kind)})`));
  const before = isStrong ? `spin(F, ${o.line}); ` : "";
  const after = isStrong ? ` seen(F, from, ${Math.min(bytes, 8)}); heed(F, from, 1);` : "";
  return `{ ${before}const uint8_t *const from = ${from};${after} ${sets.join(" ")} }`;
};

const store: Translation = (o, q) => {
  const { space, kind, length, isStrong } = accessOf(q);
  const type = cType(kind);
  const to = place(o, 0, space, bytesOf(kind) * length, isStrong ? "ATOMIC" : "WRITE");
  const sets = o
    .elements(1, length)
    .map((element, at) => `STORE(${type}, to + ${at * bytesOf(kind)}, ${o.valueOf(element, kind)});`);
  const before = isStrong ? "announce(F, to, 1); " : "";
  return `{ uint8_t *const to = ${to}; ${before}${sets.join(" ")} }`;
};

const updates: Readonly<Record<string, (old: string, b: string) => string>> = {
  add: (old, b) => `${old} + ${b}`,
  min: (old, b) => `(${old} < ${b} ? ${old} : ${b})`,
  max: (old, b) => `(${old} > ${b} ? ${old} : ${b})`,
  and: (old, b) => `${old} & ${b}`,
  or: (old, b) => `${old} | ${b}`,
  xor: (old, b) => `${old} ^ ${b}`,
  exch: (_, b) => b,
  inc: (old, b) => `(${old} >= ${b} ? 0 : ${old} + 1)`,
  dec: (old, b) => `(${old} == 0 || ${old} > ${b} ? ${b} : ${old} - 1)`,
};

/** An atomic operation; `first` is the operand that has the address. */
const atomic =
  (first: number): Translation =>
  (o, q) => {
    const isStrong = q.oneOf("acquire", "release", "acq_rel") === null ? 0 : 1;
    q.has("relaxed");
    q.ignore(indifferent);
    const space = spaceOf(q);
    const name = q.need(...Object.keys(updates), "cas");
    q.has("noftz");
    const kind = q.kind();
    q.end();
    if (isFloat(kind) && !["add", "exch"].includes(name)) q.fail("floats are added or exchanged");
    const type = cType(kind);
    const b = o.value(first + 1, kind);
    const now =
      name === "cas" ? `(old == ${b} ? ${o.value(first + 2, kind)} : old)` : updates[name]("old", "by");
    const to = place(o, first, space, bytesOf(kind), "ATOMIC");
    const result = first === 0 ? "" : o.set(0, kind, "old");
    return (
      `{ spin(F, ${o.line}); uint8_t *const to = ${to}; announce(F, to, ${isStrong}); heed(F, to, ${isStrong}); const ${type} old = LOAD(${type}, to), by = ${b}; ` +
      `STORE(${type}, to, (${type})(${now})); seen(F, to, ${bytesOf(kind)}); ${result} }`
    );
  };

/** Copies that end at once: a program that does not wait for them is not found out. */
const copyAside: Translation = (o, q) => {
  const what = q.need("ca", "cg", "commit_group", "wait_group", "wait_all");
  if (what !== "ca" && what !== "cg") {
    q.end();
    return ";";
  }
  q.need("shared::cta", "shared", "shared::cluster");
  q.need("global");
  q.ignore(indifferent);
  q.end();
  const size = o.at(2);
  if (size.kind !== "number") return o.fail("the number of bytes must be written out");
  const bytes = Number(size.text);
  if (![4, 8, 16].includes(bytes)) return o.fail("it copies 4, 8 or 16 bytes");
  const read = o.count > 3 ? o.value(3, u64) : `${bytes}`;
  return (
    `{ uint8_t *const to = at_shared(F, ${o.address(0)}, ${bytes}, WRITE, ${o.line}); const uint64_t count = ${read}; ` +
    `if (count) memcpy(to, at_global(F, ${o.address(1)}, count, READ, ${o.line}), count); ` +
    `memset(to + count, 0, ${bytes} - count); }`
  );
};

export const memory: Family = {
  ld: load,
  ldu: load,
  st: store,
  atom: atomic(1),
  red: atomic(0),
  prefetch: () => ";",
  prefetchu: () => ";",
  cp: (o, q) => {
    q.need("async");
    return copyAside(o, q);
  },
};
