// Jumps, calls, the end of a thread, and barriers.
import { cType, kindOf, predicate, u32 } from "../kinds.js";
import type { Operands } from "../operands.js";
import type { Qualifiers } from "../qualifiers.js";
import type { Operand, Variable } from "../syntax.js";
import type { Family, Translation } from "./family.js";

const nameOf = (o: Operands, index: number): string => {
  const operand = o.at(index);
  return operand.kind === "name" ? operand.name : o.fail(`operand ${index + 1} must be a name`);
};

function label(o: Operands, name: string): string {
  const named = o.scope.find(name);
  return named?.is === "label" ? named.c : o.fail(`there is no label ${name}`);
}

/** An argument for a parameter: in memory by its address, in a register by its value. */
function argument(o: Operands, formal: Variable, given: Operand): string {
  const kind = kindOf(formal.type, formal.line);
  if (formal.space === "reg") return o.valueOf(given, kind);
  const named = given.kind === "name" ? o.scope.find(given.name) : null;
  if (named?.is === "param") return named.c;
  return `(const uint8_t *)&(${cType(kind)}){${o.valueOf(given, kind)}}`;
}

const call: Translation = (o, q) => {
  q.has("uni");
  q.end();
  const listed = (index: number): readonly Operand[] => {
    const operand = index < o.count ? o.at(index) : null;
    if (operand === null) return [];
    return operand.kind === "list" ? operand.elements : o.fail("arguments are in parentheses");
  };
  const hasResults = o.at(0).kind === "list";
  const name = nameOf(o, hasResults ? 1 : 0);
  const named = o.scope.need(name, o.line);
  if (named.is !== "function") return o.fail(`${name} is no function`);
  const { params, results } = named.declared;
  const [gets, gives] = [hasResults ? listed(0) : [], listed(hasResults ? 2 : 1)];
  if (gets.length !== results.length || gives.length !== params.length)
    return o.fail(`${name} has ${params.length} parameters and ${results.length} results`);
  const [before, after]: [string[], string[]] = [[], []];
  const places = results.map((formal, at) => {
    const given = gets[at];
    const target = given.kind === "name" ? o.scope.find(given.name) : null;
    if (formal.space !== "reg" && target?.is === "param") return target.c;
    const kind = kindOf(formal.type, formal.line);
    before.push(`${cType(kind)} result${at};`);
    after.push(o.setOf(given, kind, `result${at}`));
    return formal.space === "reg" ? `&result${at}` : `(uint8_t *)&result${at}`;
  });
  const args = ["F", ...places, ...params.map((formal, at) => argument(o, formal, gives[at]))];
  return `{ ${before.join(" ")} ${named.c}(${args.join(", ")}); ${after.join(" ")} }`;
};

const barrier: Translation = (o, q) => {
  if (q.has("cluster")) {
    const action = q.need("arrive", "wait");
    q.has(action === "arrive" ? "release" : "acquire");
    q.need("aligned");
    q.end();
    return action === "arrive" ? ";" : `meetCluster(F, ${o.line});`;
  }
  if (q.has("warp")) {
    q.need("sync");
    q.end();
    return `meetWarp(F, ${o.value(0, u32)}, giveNothing, "bar.warp.sync", ${o.line});`;
  }
  q.has("cta");
  const action = q.need("sync", "arrive", "red");
  return action === "red" ? reducing(o, q) : waiting(o, q, action);
};

function waiting(o: Operands, q: Qualifiers, action: "sync" | "arrive"): string {
  q.has("aligned");
  q.end();
  const count = o.count > 1 ? o.value(1, u32) : "THREADS";
  return `meetBlock(F, ${o.value(0, u32)}, ${count}, ${action === "sync" ? 1 : 0}, 0, ${o.line});`;
}

function reducing(o: Operands, q: Qualifiers): string {
  q.has("aligned");
  const operation = q.need("popc", "and", "or");
  const kind = q.kind();
  q.end();
  const hasCount = o.count > 3;
  const count = hasCount ? o.value(2, u32) : "THREADS";
  const given = o.value(hasCount ? 3 : 2, predicate);
  const votes = `meetBlock(F, ${o.value(1, u32)}, ${count}, 1, ${given}, ${o.line})`;
  const result = { popc: votes, and: `(${votes} == ${count})`, or: `(${votes} != 0)` }[operation];
  return o.set(0, kind, result);
}

export const control: Family = {
  bra: (o, q) => {
    q.has("uni");
    q.end();
    return `goto ${label(o, nameOf(o, 0))};`;
  },
  brx: (o, q) => {
    q.need("idx");
    q.has("uni");
    q.end();
    const targets = o.scope.need(nameOf(o, 1), o.line);
    if (targets.is !== "targets") return o.fail("it needs .branchtargets");
    const cases = targets.labels.map((name, at) => `case ${at}: goto ${label(o, name)};`);
    const bad = `default: fail(F, ${o.line}, "brx.idx jumps to number %u of ${cases.length}", ${o.value(0, u32)});`;
    return `switch (${o.value(0, u32)}) { ${cases.join(" ")} ${bad} }`;
  },
  call,
  ret: (_, q) => {
    q.has("uni");
    q.end();
    return "goto the_end;";
  },
  exit: (_, q) => {
    q.end();
    return "leave(F);";
  },
  trap: (o) => `fail(F, ${o.line}, "trap");`,
  bar: barrier,
  barrier,
  membar: () => ";",
  fence: () => ";",
  nanosleep: (o) => `spin(F, ${o.line});`,
  discard: () => ";",
};
