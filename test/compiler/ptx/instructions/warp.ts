// Instructions that the threads of a warp execute together.
import { f32, predicate, u32, type Kind } from "../kinds.js";
import type { Operands } from "../operands.js";
import type { Family, Translation } from "./family.js";

/** Lanes hand in numbers, meet, and take what is theirs. */
function together(o: Operands, what: string, mask: string, give: string, handed: readonly string[]): string {
  const sets = handed.map((c, at) => `F->in[${at}] = ${c};`);
  return `${sets.join(" ")} meetWarp(F, ${mask}, ${give}, "${what}", ${o.line});`;
}

const shuffle: Translation = (o, q) => {
  q.need("sync");
  const mode = q.need("idx", "up", "down", "bfly");
  const kind = q.kind();
  q.end();
  const [first, second] = o.pair(0);
  const give = { idx: "giveIndexed", up: "giveUp", down: "giveDown", bfly: "giveButterfly" }[mode];
  const handed = [o.value(1, u32), o.value(2, u32), o.value(3, u32)];
  const meet = together(o, "shfl.sync", o.value(4, u32), give, handed);
  const sets = [
    o.setOf(first, u32, "F->out[0]"),
    second === null ? "" : o.setOf(second, predicate, "F->out[1]"),
  ];
  if (kind.bits !== 32) q.fail("it moves 32 bits");
  return `{ ${meet} ${sets.join(" ")} }`;
};

const vote: Translation = (o, q) => {
  q.need("sync");
  const mode = q.need("all", "any", "uni", "ballot");
  q.kind();
  q.end();
  const meet = together(o, "vote.sync", o.value(2, u32), "giveVotes", [`${o.value(1, predicate)} != 0`]);
  const votes = "F->out[0]";
  const mask = "F->out[1]";
  if (mode === "ballot") return `{ ${meet} ${o.set(0, u32, votes)} }`;
  const holds = {
    all: `${votes} == ${mask}`,
    any: `${votes} != 0`,
    uni: `(${votes} == 0 || ${votes} == ${mask})`,
  }[mode];
  return `{ ${meet} ${o.set(0, predicate, holds)} }`;
};

const reductions: Readonly<Record<string, string>> = {
  ...{ add: "giveSum", and: "giveAnd", or: "giveOr", xor: "giveXor" },
  ...{ minu: "giveLeastU", maxu: "giveMostU", mins: "giveLeastS", maxs: "giveMostS" },
};

const reduce: Translation = (o, q) => {
  q.need("sync");
  const name = q.need("add", "and", "or", "xor", "min", "max");
  const kind = q.kind();
  q.end();
  if (kind.sort === "f" || kind.bits !== 32) q.fail("it is for integers of 32 bits");
  const give = reductions[name === "min" || name === "max" ? name + kind.sort : name];
  const meet = together(o, "redux.sync", o.value(2, u32), give, [o.value(1, u32)]);
  return `{ ${meet} ${o.set(0, u32, "F->out[0]")} }`;
};

/** A product of tiles whose elements are spread over the registers of all lanes. */
const multiply: Translation = (o, q) => {
  q.need("sync");
  q.need("aligned");
  const shape = q.need("m16n8k8", "m16n8k4");
  q.need("row");
  q.need("col");
  const types: Kind[] = [q.kind(), q.kind(), q.kind(), q.kind()];
  q.end();
  if (types[0].sort !== "f" || types[1].sort !== "u" || types[2].sort !== "u" || types[3].sort !== "f")
    q.fail("it is emulated for .f32.tf32.tf32.f32");
  const depth = shape === "m16n8k8" ? 8 : 4;
  const handed = [
    ...o.elements(1, depth / 2).map((one) => o.valueOf(one, u32)),
    ...o.elements(2, depth / 4).map((one) => o.valueOf(one, u32)),
    ...o.elements(3, 4).map((one) => `bits32(${o.valueOf(one, f32)})`),
  ];
  const meet = together(o, "mma.sync", "~0u", `giveProduct${depth}`, handed);
  const sets = o.elements(0, 4).map((one, at) => o.setOf(one, f32, `toF32(F->out[${at}])`));
  return `{ ${meet} ${sets.join(" ")} }`;
};

export const warp: Family = {
  shfl: shuffle,
  vote,
  redux: reduce,
  mma: multiply,
  activemask: (o, q) => {
    q.kind();
    q.end();
    return o.set(0, u32, "livingLanes(F)");
  },
};
