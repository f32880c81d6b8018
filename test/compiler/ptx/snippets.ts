// Small PTX modules for tests, and many cases of instructions in one of them.
import { execFileSync, spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import path from "node:path";
import { expect } from "vitest";
import { temporaryFolder } from "../../temporary.js";
import type { Case, Type, Value } from "./cases.js";
import { emulate } from "./emulate.js";
import type { Launch } from "./translate.js";

/** A program with its parameters in %memory, %control and %host, its thread in %t, and &memory[4 * %t] in %own. */
export const moduleOf = (body: string, before = ""): string => `.version 7.8
.target sm_80
.address_size 64
${before}
.visible .entry vibe_rl_run(.param .u64 memory, .param .u64 control, .param .u64 host)
{
  .reg .b64 %memory, %control, %host, %own, %rd<10>;
  .reg .b32 %t, %r<20>;
  .reg .f32 %f<20>;
  .reg .pred %p<10>;
  ld.param.u64 %memory, [memory];
  ld.param.u64 %control, [control];
  ld.param.u64 %host, [host];
  mov.u32 %t, %tid.x;
  mul.wide.u32 %own, %t, 4;
  add.s64 %own, %memory, %own;
${body}
  ret;
}
`;

const hasAssembler = spawnSync("ptxas", ["--version"]).status === 0;

/** Has NVIDIA's assembler read a module, where there is one: the emulator shall not accept what is no PTX. */
export function assemble(text: string): void {
  if (!hasAssembler) return;
  const file = path.join(temporaryFolder(), "module.ptx");
  writeFileSync(file, text);
  execFileSync("ptxas", ["-arch=sm_80", "-O0", "-o", "/dev/null", file], { stdio: "pipe" });
}

/** Runs a module, and returns the words of its memory; it is as long as the numbers that it begins with. */
export function wordsOf(
  text: string,
  launch: Partial<Launch>,
  begin: Uint32Array,
  print?: (message: number) => void,
): Uint32Array {
  assemble(text);
  const memory = begin.slice();
  const defaults = { blocks: 1, threads: 64, sharedBytes: 0, memoryBytes: memory.byteLength };
  emulate(text, { ...defaults, ...launch })(new Uint8Array(memory.buffer), print);
  return memory;
}

const register = (type: Type): string => (type === "pred" ? "pred" : type.replace(/^[us]/, "b"));

/** Loads an operand, or stores a result; predicates are words in memory. */
const load = (type: Type, name: string, at: number): string =>
  type === "pred"
    ? `ld.global.u32 %word, [%memory+${at}]; setp.ne.u32 ${name}, %word, 0;`
    : `ld.global.${type} ${name}, [%memory+${at}];`;
const store = (type: Type, name: string, at: number): string =>
  type === "pred"
    ? `selp.u32 %word, 1, 0, ${name}; st.global.u32 [%memory+${at}], %word;`
    : `st.global.${type} [%memory+${at}], ${name};`;

const views: Readonly<Record<Type, (view: DataView, at: number) => Value>> = {
  pred: (view, at) => view.getUint32(at, true) !== 0,
  u16: (view, at) => view.getUint16(at, true),
  u32: (view, at) => view.getUint32(at, true),
  s32: (view, at) => view.getInt32(at, true),
  u64: (view, at) => view.getBigUint64(at, true),
  s64: (view, at) => view.getBigInt64(at, true),
  f32: (view, at) => view.getFloat32(at, true),
  f64: (view, at) => view.getFloat64(at, true),
};

function write(view: DataView, at: number, type: Type, value: Value): void {
  if (typeof value === "bigint") view.setBigUint64(at, BigInt.asUintN(64, value), true);
  else if (type === "f32") view.setFloat32(at, Number(value), true);
  else if (type === "f64") view.setFloat64(at, Number(value), true);
  else view.setUint32(at, Number(value) >>> 0, true);
}

const names = ["a", "b", "c", "e"];

/** Runs many instructions in one program, each with its operands and result in eight bytes of memory. */
export function expectCases(cases: readonly Case[]): void {
  const slots = 5 * 8;
  const words = new Uint32Array((cases.length * slots) / 4);
  const view = new DataView(words.buffer);
  const bodies = cases.map(({ code, result, operands }, index) => {
    operands.forEach(([type, value], at) => write(view, index * slots + at * 8, type, value));
    const declared = [...operands.map(([type], at) => `.reg .${register(type)} %${names[at]};`)];
    const loads = operands.map(([type], at) => load(type, `%${names[at]}`, index * slots + at * 8));
    const named = code.replaceAll(/(?<![.\w%])[abcde](?!\w)/g, "%$&");
    const instruction = named.startsWith("{") ? named : `${named};`;
    const head = [`.reg .${register(result)} %d;`, ".reg .b32 %word;", ...declared, ...loads];
    return ["{", ...head, instruction, store(result, "%d", index * slots + 32), "}"].join("\n");
  });
  const after = new DataView(wordsOf(moduleOf(bodies.join("\n")), { threads: 1 }, words).buffer);
  const results = cases.map(({ code, operands, result }, index) => [
    [code, ...operands.map(([, value]) => String(value))].join("; "),
    views[result](after, index * slots + 32),
  ]);
  const expected = cases.map(({ expected: value }, index) => [results[index][0], value]);
  expect(results).toEqual(expected);
}
