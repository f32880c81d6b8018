// Threads of emulated programs run in no order that a program could rely on, and what goes wrong between them is told.
import { afterEach, describe, expect, it, vi } from "vitest";
import { isWithoutNative } from "../../device/native.js";
import { moduleOf, wordsOf } from "./snippets.js";

afterEach(() => void vi.unstubAllEnvs());

const numbers = (length: number, of: (index: number) => number): number[] =>
  Array.from({ length }, (_, index) => of(index));
const empty = new Uint32Array(64);

/** Every thread writes its number, and reads that of the one opposite. */
const mirrored = (between: string): string =>
  moduleOf(`
  .shared .align 16 .b8 box[256];
  mov.u32 %r1, box;
  shl.b32 %r2, %t, 2;
  add.u32 %r3, %r1, %r2;
  st.shared.u32 [%r3], %t;
  ${between}
  xor.b32 %r4, %r2, 252;
  add.u32 %r4, %r4, %r1;
  ld.shared.u32 %r5, [%r4];
  st.global.u32 [%own], %r5;`);

/** Blocks wait for each other; then the first one prints a message. */
const grid = (blocks: number): string =>
  moduleOf(`
  bar.sync 0;
  setp.ne.u32 %p1, %t, 0;
  @%p1 bra TOGETHER;
  atom.release.gpu.global.add.u32 %r1, [%control], 1;
ARRIVE:
  ld.acquire.gpu.global.u32 %r2, [%control];
  setp.lt.u32 %p2, %r2, ${blocks};
  @%p2 bra ARRIVE;
  mov.u32 %r3, %ctaid.x;
  setp.ne.u32 %p2, %r3, 0;
  @%p2 bra TOGETHER;
  st.global.u32 [%memory], 42;
  st.volatile.global.u32 [%host], 6;
PRINT:
  ld.volatile.global.u32 %r2, [%host];
  setp.ne.u32 %p2, %r2, 0;
  @%p2 bra PRINT;
TOGETHER:
  bar.sync 0;
  mov.u32 %r4, %nctaid.x;
  mov.u32 %r3, %ctaid.x;
  setp.eq.and.u32 %p3, %r3, 0, !%p1;
  @%p3 st.global.u32 [%memory+4], %r4;`);

describe.skipIf(isWithoutNative("test/compiler/ptx/threads.test.ts"))("threads of emulated PTX", () => {
  it("wait for each other at barriers, and find nothing where they do not", () => {
    const expected = numbers(64, (t) => 63 - t);
    expect([...wordsOf(mirrored("bar.sync 0;"), {}, empty)]).toEqual(expected);
    expect([...wordsOf(mirrored("barrier.sync 1, 64;"), {}, empty)]).toEqual(expected);
    vi.stubEnv("VIBE_RL_PTX_RACES", "off");
    const without = wordsOf(mirrored(""), {}, empty);
    expect([...without]).not.toEqual(expected);
    vi.stubEnv("VIBE_RL_PTX_SEED", "2");
    expect([...wordsOf(mirrored(""), {}, empty)]).not.toEqual([...without]);
  });

  it("are told of when some lanes of a warp take a jump that all of them should", () => {
    const jump = (first: number) =>
      moduleOf(`
  setp.ge.u32 %p1, %t, ${first};
  @%p1 bra.uni OVER;
  st.global.u32 [%own], 1;
OVER:`);
    expect([...wordsOf(jump(32), {}, empty)]).toEqual(numbers(64, (t) => (t < 32 ? 1 : 0)));
    expect(() => wordsOf(jump(40), {}, empty)).toThrow(
      /bra.uni OVER; *: block 0, thread \d+: a lane of the warp (jumps|goes on), and another one (goes on|jumps)/,
    );
  });

  it("are told of when one touches what another one writes without a barrier", () => {
    expect(() => wordsOf(mirrored(""), {}, empty)).toThrow(
      /a race: it (reads|writes) byte \d+ of shared memory, which block 0, thread \d+ has (read|written) at line \d+ \(/,
    );
    // A warp waits for its own lanes only.
    expect(() => wordsOf(mirrored("bar.warp.sync -1;"), {}, empty)).toThrow("a race");
    const neighbours = mirrored("bar.warp.sync -1;").replace("252", "124");
    expect([...wordsOf(neighbours, {}, empty)]).toEqual(numbers(64, (t) => t ^ 31));
    const same = moduleOf("st.global.u32 [%memory+4], %t;");
    expect(() => wordsOf(same, {}, empty)).toThrow("writes byte 4 of the program's memory");
    // Bytes of one word may be written by several, but not while another one reads the word.
    const bytes = moduleOf("cvt.u64.u32 %rd1, %t;\nadd.u64 %rd1, %rd1, %memory;\nst.global.u8 [%rd1], %t;");
    expect(wordsOf(bytes, {}, empty)[0]).toBe(0x03020100);
    const mixed = bytes.replace("  ret;", "  ld.global.u32 %r1, [%memory];\n  ret;");
    expect(() => wordsOf(mixed, {}, empty)).toThrow("a race");
    expect(() =>
      wordsOf(mixed.replace("  ld.global", "  bar.sync 0;\n  ld.global"), {}, empty),
    ).not.toThrow();
  });

  it("of several blocks must wait for each other, too", () => {
    const both = (before: string, arrive: string) => `
  mov.u32 %r9, %ctaid.x;
  shl.b32 %r10, %r9, 5;
  add.u32 %r10, %r10, %t;
  mul.wide.u32 %rd1, %r10, 4;
  add.u64 %rd1, %rd1, %memory;
  st.global.u32 [%rd1], %r10;
  ${before}
  setp.ne.u32 %p1, %t, 0;
  @%p1 bra TOGETHER;
  ${arrive}
TOGETHER:
  bar.sync 0;
  xor.b32 %r10, %r10, 63;
  mul.wide.u32 %rd2, %r10, 4;
  add.u64 %rd2, %rd2, %memory;
  ld.global.u32 %r11, [%rd2];
  st.global.u32 [%rd1+256], %r11;`;
    const arrive = `membar.gl;
  atom.global.add.u32 %r1, [%control], 1;
ARRIVE:
  ld.volatile.global.u32 %r2, [%control];
  setp.lt.u32 %p2, %r2, 2;
  @%p2 bra ARRIVE;
  membar.gl;`;
    const run = (before: string, how: string) =>
      wordsOf(moduleOf(both(before, how)), { blocks: 2, threads: 32 }, new Uint32Array(128));
    expect([...run("bar.sync 0;", arrive).slice(64)]).toEqual(numbers(64, (t) => 63 - t));
    expect(() => run("bar.sync 0;", "")).toThrow("a race");
    // The thread that announces its block must have waited for it.
    expect(() => run("", arrive)).toThrow("a race");
  });

  it("are told of when they wait for ever", () => {
    const half = moduleOf("setp.lt.u32 %p2, %t, 32;\n@%p2 bar.sync 0;");
    expect(() => wordsOf(half, {}, empty)).toThrow(
      "PTX: all threads wait for others: line 18 (@%p2 bar.sync 0;): 32 threads wait at barrier 0 (block 0, thread 0 " +
        "is the first); 32 threads have ended",
    );
    const lanes = moduleOf(`
  setp.lt.u32 %p1, %t, 5;
  @%p1 ret;
  shfl.sync.idx.b32 %r1, %t, 0, 0x1f, -1;`);
    expect(() => wordsOf(lanes, { threads: 32 }, empty)).toThrow(
      /27 threads wait for their warp in shfl.sync \(block 0, thread 5 is the first\); 5 threads have ended/,
    );
  });

  it("of a warp come to barriers and exchanges together", () => {
    const apart = moduleOf(`
  setp.eq.u32 %p1, %t, 3;
  @%p1 bra OTHER;
  bar.sync 0;
  ret;
OTHER:
  bar.sync 0;`);
    expect(() => wordsOf(apart, {}, empty)).toThrow("threads of a warp come to different barriers");
    const masks = moduleOf(`
  setp.lt.u32 %p1, %t, 16;
  selp.u32 %r1, 0xffffffff, 0xffff0000, %p1;
  shfl.sync.idx.b32 %r2, %t, 0, 0x1f, %r1;`);
    expect(() => wordsOf(masks, { threads: 32 }, empty)).toThrow(
      /shfl.sync with mask 0x\w+ meets thread \d+/,
    );
  });

  it("of several blocks meet by spinning, and have messages printed while they wait", () => {
    const printed: number[] = [];
    const after = wordsOf(grid(4), { blocks: 4, threads: 32 }, empty, (message) => printed.push(message));
    expect([...after.slice(0, 2)]).toEqual([42, 4]);
    expect(printed).toEqual([5]);
    expect(() => wordsOf(grid(4), { blocks: 3, threads: 32 }, empty)).toThrow(
      /all threads that run look for what does not change: line \d+ \(ld.acquire[^)]*\): 3 threads spin/,
    );
  });

  it("stay inside of their memory, and on multiples of what they access", () => {
    const problem =
      (body: string, sharedBytes = 0) =>
      () =>
        wordsOf(moduleOf(body, ".extern .shared .align 16 .b8 box[];"), { threads: 1, sharedBytes }, empty);
    expect(problem("st.global.u32 [%memory+256], %t;")).toThrow(
      "PTX, line 17: st.global.u32 [%memory+256], %t;: block 0, thread 0: 4 bytes at memory + 256 are outside of the " +
        "program's memory of 256 bytes",
    );
    expect(problem("ld.global.v4.f32 {%f1, %f2, %f3, %f4}, [%memory+8];")).toThrow(
      "address memory + 0x8 is not a multiple of the 16 bytes that are accessed",
    );
    expect(problem("st.shared.u32 [box+8], %t;", 8)).toThrow("shared memory has 8 bytes from 0x400 on");
    expect(problem("mov.u32 %r1, 0;\nld.shared.u32 %r2, [%r1];", 8)).toThrow("4 bytes at 0x0 are outside");
  });
});
