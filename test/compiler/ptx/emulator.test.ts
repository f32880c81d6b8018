// The emulator of PTX does what NVIDIA's description of each instruction says.
import { describe, expect, it } from "vitest";
import { emulate } from "./emulate.js";

const module = (body: string, before = "") => `.version 7.8
.target sm_80
.address_size 64
${before}
.visible .entry vibe_rl_run(.param .u64 memory, .param .u64 control, .param .u64 host)
{
  .reg .b64 %memory;
  .reg .b32 %t, %r<20>;
  .reg .f32 %f<20>;
  .reg .b64 %a, %rd<20>;
  .reg .pred %p<10>;
  ld.param.u64 %memory, [memory];
  mov.u32 %t, %tid.x;
  mul.wide.u32 %a, %t, 4;
  add.s64 %a, %memory, %a;
${body}
  ret;
}`;
const launch = { blocks: 1, threads: 64, sharedBytes: 0, memoryBytes: 256 };

describe("emulator", () => {
  it("adds", () => {
    const run = emulate(module("add.u32 %r1, %t, 7;\n st.global.u32 [%a], %r1;"), launch);
    const memory = new Uint8Array(256);
    run(memory);
    expect([...new Uint32Array(memory.buffer)]).toEqual(Array.from({ length: 64 }, (_, i) => i + 7));
  });
  it("barriers", () => {
    const text = (bar: string) =>
      module(`
  .shared .align 16 .b8 box[256];
  mov.u32 %r1, box;
  shl.b32 %r2, %t, 2;
  add.u32 %r3, %r1, %r2;
  st.shared.u32 [%r3], %t;
  ${bar}
  xor.b32 %r4, %r2, 252;
  add.u32 %r4, %r4, %r1;
  ld.shared.u32 %r5, [%r4];
  shfl.sync.bfly.b32 %r6|%p1, %r5, 1, 0x1f, -1;
  st.global.u32 [%a], %r6;`);
    const memory = new Uint8Array(256);
    emulate(text("bar.sync 0;"), launch)(memory);
    expect([...new Uint32Array(memory.buffer)]).toEqual(Array.from({ length: 64 }, (_, i) => (63 - i) ^ 1));
    emulate(text(""), launch)(memory);
    expect([...new Uint32Array(memory.buffer)]).not.toEqual(
      Array.from({ length: 64 }, (_, i) => (63 - i) ^ 1),
    );
    expect(() => emulate(text("setp.lt.u32 %p2, %t, 32;\n@%p2 bar.sync 0;"), launch)(memory)).toThrow(
      "line 23 (@%p2 bar.sync 0;): 32 threads wait at barrier 0 (block 0, thread 0 is the first); 32 threads have ended",
    );
  });
  it("grid and print", () => {
    const text = module(`
  .reg .b64 %control, %host;
  ld.param.u64 %control, [control];
  ld.param.u64 %host, [host];
  bar.sync 0;
  setp.ne.u32 %p1, %t, 0;
  @%p1 bra WAIT;
  atom.release.gpu.global.add.u32 %r1, [%control], 1;
  SPIN:
  ld.acquire.gpu.global.u32 %r2, [%control];
  setp.lt.u32 %p2, %r2, 4;
  @%p2 bra SPIN;
  mov.u32 %r8, %ctaid.x;
  setp.ne.u32 %p2, %r8, 0;
  @%p2 bra WAIT;
  st.global.u32 [%host], 6;
  WP:
  ld.volatile.global.u32 %r2, [%host];
  setp.ne.u32 %p2, %r2, 0;
  @%p2 bra WP;
  WAIT:
  bar.sync 0;
  st.global.u32 [%a], %r1;
`);
    const memory = new Uint8Array(256);
    const seen: number[] = [];
    emulate(text, { ...launch, blocks: 4 })(memory, (m) => seen.push(m));
    expect(seen).toEqual([5]);
    expect(() => emulate(text, { ...launch, blocks: 3 })(memory)).toThrow(
      /all threads that run look for what does not change: line 25 \(ld.acquire.*\): 3 threads spin/,
    );
  });
  it("outside", () => {
    const memory = new Uint8Array(256);
    expect(() => emulate(module("st.global.u32 [%a+4], %t;"), launch)(memory)).toThrow(
      /line 16: st.global.u32 .*: block 0, thread 63: 4 bytes at memory \+ 256 are outside of the program's memory of 256 bytes/,
    );
  });
});
