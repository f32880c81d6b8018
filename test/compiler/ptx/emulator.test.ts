// The emulator of PTX does what NVIDIA's description of each instruction says.
import { describe, expect, it } from "vitest";
import { isWithoutNative } from "../../device/native.js";
import { choiceCases, conversionCases, floatCases, integerCases } from "./cases.js";
import { assemble, expectCases, moduleOf, wordsOf } from "./snippets.js";
import { ptxToC } from "./translate.js";

const numbers = (length: number, of: (index: number) => number): number[] =>
  Array.from({ length }, (_, index) => of(index));
const floats = (words: Uint32Array): number[] => [...new Float32Array(words.buffer)];

describe.skipIf(isWithoutNative("test/compiler/ptx/emulator.test.ts"))("the emulator of PTX", () => {
  it("computes with floats and integers, converts and compares", () =>
    expectCases([...floatCases, ...integerCases, ...conversionCases, ...choiceCases]));

  it("loads and stores bytes, vectors and words in all spaces, by names and by generic addresses", () => {
    const text = moduleOf(
      `
  .local .align 8 .b8 own[16];
  .shared .align 16 .b8 box[64];
  ld.global.v4.f32 {%f1, %f2, %f3, %f4}, [%memory];
  st.shared.v2.f32 [box+8], {%f3, %f4};
  cvta.shared.u64 %rd1, %rd2;
  mov.u64 %rd2, box;
  cvta.shared.u64 %rd1, %rd2;
  ld.f32 %f5, [%rd1+12];
  st.local.f32 [own+4], %f5;
  mov.u64 %rd3, own;
  ld.local.b32 %r1, [%rd3+4];
  st.global.b32 [%memory], %r1;
  ld.global.s8 %r2, [%memory+19];
  st.global.u32 [%memory+4], %r2;
  ld.global.nc.u8 %r3, [%memory+19];
  st.global.u32 [%memory+8], %r3;
  st.volatile.global.u8 [%memory+16], %r3;
  mov.u64 %rd4, table;
  ld.const.u32 %r4, [table+4];
  ld.global.f32 %f6, [scale];
  st.global.v2.b32 [%memory+24], {%r4, %f6};
  mov.b32 %r5, {%h1, %h2};
  mov.u64 %rd5, box;
  cp.async.ca.shared.global [%rd5], [%memory+24], 8;
  cp.async.commit_group;
  cp.async.wait_group 0;
  ld.shared.u32 %r6, [box];
  st.global.u32 [%memory+12], %r6;`,
      `.const .align 4 .u32 table[3] = {5, 0x6, 7};
.global .align 4 .f32 scale = 0f3F000000;`,
    ).replace(".reg .pred", ".reg .b16 %h1, %h2;\n  .reg .pred");
    const begin = new Uint32Array(8);
    new Float32Array(begin.buffer).set([1, 2, 3, 4]);
    begin[4] = 0x80000000;
    const after = wordsOf(text, { threads: 1 }, begin);
    expect(floats(after)[0]).toBe(4);
    expect([...after.slice(1, 5)]).toEqual([0xffffff80, 0x80, 6, 0x80000080]);
    expect([after[6], floats(after)[7]]).toEqual([6, 0.5]);
  });

  it("calls functions, with parameters in memory and in registers, and jumps by tables", () => {
    const functions = `
.func (.param .b32 sum) add (.param .b32 x, .param .b32 y)
{
  .reg .b32 %x, %y;
  ld.param.b32 %x, [x];
  ld.param.b32 %y, [y];
  add.u32 %x, %x, %y;
  st.param.b32 [sum], %x;
  ret;
}
.func (.reg .b32 %twice) double (.reg .b32 %x)
{
  .reg .pred %p;
  setp.gt.u32 %p, %x, 100;
  mov.u32 %twice, 0;
  @%p ret;
  shl.b32 %twice, %x, 1;
  ret;
}`;
    const text = moduleOf(
      `
  {
    .param .b32 given0;
    .param .b32 given1;
    .param .b32 got;
    st.param.b32 [given0], %t;
    st.param.b32 [given1], 10;
    call.uni (got), add, (given0, given1);
    ld.param.b32 %r1, [got];
  }
  call (%r2), double, (%r1);
  and.b32 %r3, %t, 1;
  cases: .branchtargets EVEN, ODD;
  brx.idx %r3, cases;
ODD:
  add.u32 %r2, %r2, 1000;
EVEN:
  st.global.u32 [%own], %r2;`,
      functions,
    );
    const after = wordsOf(text, {}, new Uint32Array(64));
    expect([...after]).toEqual(numbers(64, (t) => (t + 10) * 2 + (t % 2) * 1000));
  });

  it("exchanges values within warps", () => {
    const lines = [
      "shfl.sync.idx.b32 %r2|%p1, %r1, 3, 0x1f, -1;",
      "shfl.sync.up.b32 %r3, %r1, 1, 0, -1;",
      "shfl.sync.down.b32 %r4|%p2, %r1, 2, 0x1f, -1;",
      "shfl.sync.bfly.b32 %r5, %r1, 16, 0x1f, 0xffffffff;",
      // Segments of eight lanes.
      "shfl.sync.idx.b32 %r6, %r1, 1, 0x1807, -1;",
      "setp.gt.u32 %p3, %t, 40;",
      "vote.sync.ballot.b32 %r7, %p3, -1;",
      "vote.sync.any.pred %p4, %p3, -1;",
      "vote.sync.all.pred %p5, %p3, -1;",
      "redux.sync.add.s32 %r8, %t, -1;",
      "redux.sync.max.u32 %r9, %t, -1;",
      "selp.u32 %r10, 1, 0, %p2;",
      "selp.u32 %r11, 1, 0, %p4;",
      "selp.u32 %r12, 1, 0, %p5;",
      "activemask.b32 %r13;",
      "bar.warp.sync 0xffffffff;",
    ];
    const stores = numbers(12, (at) => at + 2).map(
      (register) => `st.global.u32 [%own+${(register - 2) * 256}], %r${register};`,
    );
    const text = moduleOf(["add.u32 %r1, %t, 100;", ...lines, ...stores].join("\n"));
    const after = wordsOf(text, {}, new Uint32Array(64 * 12));
    const row = (register: number) => [...after.slice((register - 2) * 64, (register - 1) * 64)];
    const base = (t: number) => t & ~31;
    expect(row(2)).toEqual(numbers(64, (t) => base(t) + 103));
    expect(row(3)).toEqual(numbers(64, (t) => 100 + (t % 32 === 0 ? t : t - 1)));
    expect(row(4)).toEqual(numbers(64, (t) => 100 + (t % 32 > 29 ? t : t + 2)));
    expect(row(5)).toEqual(numbers(64, (t) => 100 + (t ^ 16)));
    expect(row(6)).toEqual(numbers(64, (t) => 100 + (t & ~7) + 1));
    expect(row(7)).toEqual(numbers(64, (t) => (t < 32 ? 0 : 0xfffffe00)));
    expect(row(8)).toEqual(numbers(64, (t) => (t < 32 ? 496 : 496 + 1024)));
    expect(row(9)).toEqual(numbers(64, (t) => base(t) + 31));
    expect(row(10)).toEqual(numbers(64, (t) => (t % 32 > 29 ? 0 : 1)));
    expect(row(11)).toEqual(numbers(64, (t) => (t < 32 ? 0 : 1)));
    expect(row(12)).toEqual(numbers(64, () => 0));
    expect(row(13)).toEqual(numbers(64, () => 0xffffffff));
  });

  it("multiplies tiles whose elements lie in the registers of a warp", () => {
    // a is 16 × 8 at word 0, b 8 × 8 at word 128, c 16 × 8 at word 192, all by rows.
    const place = (row: string, columns: number, column: string, start: number, to: string) => `
  mad.lo.u32 %r10, ${row}, ${columns}, ${column};
  mul.wide.u32 %rd1, %r10, 4;
  add.u64 %rd1, %rd1, %memory;
  add.u64 ${to}, %rd1, ${start * 4};`;
    const text = moduleOf(`
  .reg .b32 %a<4>, %b<2>;
  .reg .f32 %c<4>, %d<4>;
  shr.u32 %r1, %t, 2;
  and.b32 %r2, %t, 3;
  shl.b32 %r3, %r2, 1;
${place("%r1", 8, "%r2", 0, "%rd2")}
  ld.global.b32 %a0, [%rd2];
  ld.global.b32 %a1, [%rd2+256];
  ld.global.b32 %a2, [%rd2+16];
  ld.global.b32 %a3, [%rd2+272];
${place("%r2", 8, "%r1", 128, "%rd3")}
  ld.global.b32 %b0, [%rd3];
  ld.global.b32 %b1, [%rd3+128];
${place("%r1", 8, "%r3", 192, "%rd4")}
  ld.global.v2.f32 {%c0, %c1}, [%rd4];
  ld.global.v2.f32 {%c2, %c3}, [%rd4+256];
  mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%d0, %d1, %d2, %d3}, {%a0, %a1, %a2, %a3}, {%b0, %b1}, {%c0, %c1, %c2, %c3};
  st.global.v2.f32 [%rd4], {%d0, %d1};
  st.global.v2.f32 [%rd4+256], {%d2, %d3};`);
    const begin = new Uint32Array(320);
    const given = new Float32Array(begin.buffer).map((_, at) => ((at * 37) % 19) - 9);
    new Float32Array(begin.buffer).set(given);
    const after = floats(wordsOf(text, { threads: 32 }, begin));
    const expected = numbers(128, (at) => {
      const [row, column] = [Math.floor(at / 8), at % 8];
      return numbers(8, (k) => given[row * 8 + k] * given[128 + k * 8 + column]).reduce(
        (sum, one) => sum + one,
        given[192 + at],
      );
    });
    expect(after.slice(192)).toEqual(expected);
  });

  it("counts and exchanges atomically", () => {
    const text = moduleOf(`
  .shared .align 4 .b32 most;
  setp.eq.u32 %p1, %t, 0;
  @%p1 st.shared.u32 [most], 0;
  bar.sync 0;
  atom.global.add.u32 %r1, [%memory], 1;
  red.global.add.f32 [%memory+4], 0f3F000000;
  red.shared.max.u32 [most], %t;
  atom.global.cas.b32 %r2, [%memory+8], 0, 7;
  atom.global.or.b32 %r3, [%memory+12], %t;
  atom.global.exch.b32 %r4, [%memory+16], 9;
  bar.sync 0;
  ld.shared.u32 %r5, [most];
  @%p1 st.global.u32 [%memory+20], %r5;`);
    const after = wordsOf(text, {}, new Uint32Array(6));
    expect([...after]).toEqual([64, 0x42000000, 7, 63, 9, 63]);
  });

  it("says what is no PTX, or none that it knows, and where", () => {
    const launch = { blocks: 1, threads: 32, sharedBytes: 0, memoryBytes: 4 };
    const problem = (body: string) => () => ptxToC(moduleOf(body), launch);
    expect(problem("fadd.f32 %f1, %f2, %f3;")).toThrow(
      "PTX, line 17: the emulator has no instruction fadd.f32",
    );
    expect(problem("add.f32 %f1, %f2, %f99;")).toThrow("line 17: %f99 is not declared");
    expect(problem("add.f32 %f1, %f2, 1;")).toThrow("line 17: 1 is no float");
    expect(problem("add.quick.f32 %f1, %f2, %f3;")).toThrow("the emulator does not know .quick here");
    expect(problem("add.u64 %rd1, %rd2, %r1;")).toThrow("%r1 has 32 bits, not 64");
    expect(problem("add.u32 %r1, %r2 %r3;")).toThrow('line 17: expected ",", got "%r3"');
    expect(problem("bra NOWHERE;")).toThrow("line 17: bra: there is no label NOWHERE");
    assemble(moduleOf(""));
  });
});
