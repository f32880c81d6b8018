// What single instructions give for given operands, by NVIDIA's description of them: `d` is the result, `a`, `b`, `c` and
// `e` the operands.

export type Type = "pred" | "u16" | "u32" | "s32" | "u64" | "s64" | "f32" | "f64";
export type Value = number | bigint | boolean;

export interface Case {
  readonly code: string;
  readonly result: Type;
  readonly operands: readonly (readonly [Type, Value])[];
  readonly expected: Value;
}

/** Operands of one type and a result of it, if no other is named. */
const all =
  (type: Type, result: Type = type) =>
  (code: string, operands: readonly Value[], expected: Value): Case => ({
    ...{ code, result, expected },
    operands: operands.map((value) => [type, value]),
  });

const [f, i, u, w] = [all("f32"), all("s32"), all("u32"), all("u64")];
const [fromFloat, fromDouble, toPredicate] = [all("f32", "s32"), all("f64", "f32"), all("f32", "pred")];
const nan = Number.NaN;
const tiny = 2 ** -149;

export const floatCases: readonly Case[] = [
  f("add.f32 d, a, b", [1.5, 2.25], 3.75),
  f("add.rn.f32 d, a, b", [1, 2 ** -24], 1),
  f("sub.f32 d, a, b", [1.5, 2.25], -0.75),
  f("mul.f32 d, a, b", [1.5, -2.5], -3.75),
  f("mul.f32 d, a, b", [tiny, 1], tiny),
  f("mul.ftz.f32 d, a, b", [-tiny, 1], -0),
  f("add.sat.f32 d, a, b", [1, 2], 1),
  f("add.sat.f32 d, a, b", [nan, 2], 0),
  // One rounding, not two.
  f("fma.rn.f32 d, a, b, c", [1 + 2 ** -12, 1 + 2 ** -12, -(1 + 2 ** -11)], 2 ** -24),
  f("fma.rn.ftz.f32 d, a, b, c", [2, 3, tiny], 6),
  f("mad.rn.f32 d, a, b, c", [2, 3, 4], 10),
  f("div.rn.f32 d, a, b", [1, 3], Math.fround(1 / 3)),
  f("div.full.f32 d, a, b", [6, 3], 2),
  f("div.approx.f32 d, a, b", [6, -3], -2),
  f("neg.f32 d, a", [0], -0),
  f("abs.f32 d, a", [-0], 0),
  f("min.f32 d, a, b", [nan, 1], 1),
  f("min.f32 d, a, b", [0, -0], -0),
  f("max.f32 d, a, b", [-0, 0], 0),
  f("max.f32 d, a, b", [2, nan], 2),
  f("max.NaN.f32 d, a, b", [2, nan], nan),
  f("min.NaN.f32 d, a, b", [2, 1], 1),
  f("copysign.f32 d, a, b", [-0, 3], -3),
  f("sqrt.rn.f32 d, a", [2], Math.fround(Math.SQRT2)),
  f("sqrt.approx.f32 d, a", [9], 3),
  f("rcp.rn.f32 d, a", [3], Math.fround(1 / 3)),
  f("rcp.approx.ftz.f32 d, a", [4], 0.25),
  f("rsqrt.approx.f32 d, a", [16], 0.25),
  f("ex2.approx.f32 d, a", [-3], 0.125),
  f("lg2.approx.f32 d, a", [8], 3),
  f("sin.approx.f32 d, a", [0], 0),
  f("cos.approx.f32 d, a", [0], 1),
  f("tanh.approx.f32 d, a", [30], 1),
  all("f64")("fma.rn.f64 d, a, b, c", [0.1, 0.2, 0.3], 0.32),
  all("f64")("div.rn.f64 d, a, b", [1, 3], 1 / 3),
  toPredicate("testp.subnormal.f32 d, a", [tiny], true),
  toPredicate("testp.notanumber.f32 d, a", [1], false),
  f("cvt.rni.f32.f32 d, a", [2.5], 2),
  f("cvt.rpi.f32.f32 d, a", [2.5], 3),
  f("cvt.sat.f32.f32 d, a", [-2], 0),
];

export const integerCases: readonly Case[] = [
  i("add.s32 d, a, b", [2 ** 31 - 1, 1], -(2 ** 31)),
  i("add.sat.s32 d, a, b", [2 ** 31 - 1, 1], 2 ** 31 - 1),
  u("sub.u32 d, a, b", [1, 2], 2 ** 32 - 1),
  w("add.u64 d, a, b", [2n ** 63n, 2n ** 63n], 0n),
  i("mul.lo.s32 d, a, b", [-3, 5], -15),
  i("mul.hi.s32 d, a, b", [-1, 2], -1),
  u("mul.hi.u32 d, a, b", [2 ** 32 - 1, 2], 1),
  w("mul.hi.u64 d, a, b", [2n ** 63n, 6n], 3n),
  all("u32", "u64")("mul.wide.u32 d, a, b", [2 ** 32 - 1, 2 ** 32 - 1], 0xfffffffe00000001n),
  all("s32", "s64")("mul.wide.s32 d, a, b", [-2, 3], -6n),
  u("mad.lo.u32 d, a, b, c", [3, 4, 5], 17),
  {
    ...all("u32", "u64")("mad.wide.u32 d, a, b, c", [], 2n ** 33n + 1n),
    operands: [
      ["u32", 2 ** 31],
      ["u32", 4],
      ["u64", 1n],
    ],
  },
  i("div.s32 d, a, b", [-7, 2], -3),
  i("div.s32 d, a, b", [-(2 ** 31), -1], -(2 ** 31)),
  u("div.u32 d, a, b", [7, 2], 3),
  u("div.u32 d, a, b", [7, 0], 2 ** 32 - 1),
  i("rem.s32 d, a, b", [-7, 2], -1),
  u("rem.u32 d, a, b", [7, 4], 3),
  i("neg.s32 d, a", [5], -5),
  i("abs.s32 d, a", [-5], 5),
  i("min.s32 d, a, b", [-1, 1], -1),
  u("min.u32 d, a, b", [2 ** 32 - 1, 1], 1),
  u("and.b32 d, a, b", [12, 10], 8),
  u("or.b32 d, a, b", [12, 10], 14),
  u("xor.b32 d, a, b", [12, 10], 6),
  u("not.b32 d, a", [0], 2 ** 32 - 1),
  u("cnot.b32 d, a", [0], 1),
  u("shl.b32 d, a, b", [1, 31], 2 ** 31),
  u("shl.b32 d, a, b", [1, 32], 0),
  u("shr.u32 d, a, b", [2 ** 31, 200], 0),
  {
    ...i("shr.s32 d, a, b", [], -1),
    operands: [
      ["s32", -8],
      ["u32", 99],
    ],
  },
  {
    ...w("shl.b64 d, a, b", [], 2n ** 40n),
    operands: [
      ["u64", 1n],
      ["u32", 40],
    ],
  },
  u("shf.l.wrap.b32 d, a, b, c", [0x80000001, 0x80000001, 33], 3),
  u("shf.r.clamp.b32 d, a, b, c", [1, 2, 32], 2),
  u("lop3.b32 d, a, b, c, 0x96", [12, 10, 7], 12 ^ 10 ^ 7),
  u("lop3.b32 d, a, b, c, 0xCA", [12, 10, 7], (12 & 10) | (~12 & 7)),
  u("prmt.b32 d, a, b, 0x0456", [0x33221100, 0x77665544], 0x00445566),
  u("prmt.b32 d, a, b, 0x8FFF", [0x00000080, 0x10000000], 0xff000000),
  u("popc.b32 d, a", [0xf0f], 8),
  u("clz.b32 d, a", [0], 32),
  all("u64", "u32")("clz.b64 d, a", [1n], 63),
  u("brev.b32 d, a", [1], 2 ** 31),
  u("bfind.u32 d, a", [0], 2 ** 32 - 1),
  u("bfind.u32 d, a", [9], 3),
  all("s32", "u32")("bfind.s32 d, a", [-1], 2 ** 32 - 1),
  all("s32", "u32")("bfind.s32 d, a", [-9], 3),
  u("bfind.shiftamt.u32 d, a", [9], 28),
  u("bfe.u32 d, a, 4, 8", [0xabcd], 0xbc),
  i("bfe.s32 d, a, 4, 8", [0xabcd], 0xbc - 256),
  i("bfe.s32 d, a, 28, 8", [-(2 ** 31)], -8),
  u("bfi.b32 d, a, b, 8, 4", [0xf, 0], 0xf00),
];

export const conversionCases: readonly Case[] = [
  fromFloat("cvt.rzi.s32.f32 d, a", [-2.7], -2),
  fromFloat("cvt.rni.s32.f32 d, a", [2.5], 2),
  fromFloat("cvt.rmi.s32.f32 d, a", [-2.5], -3),
  fromFloat("cvt.rpi.s32.f32 d, a", [-2.5], -2),
  fromFloat("cvt.rzi.s32.f32 d, a", [3e9], 2 ** 31 - 1),
  fromFloat("cvt.rzi.s32.f32 d, a", [nan], 0),
  all("f32", "u32")("cvt.rzi.u32.f32 d, a", [-1], 0),
  all("f32", "u32")("cvt.rzi.u32.f32 d, a", [1e20], 2 ** 32 - 1),
  all("f32", "u32")("cvt.rzi.u8.f32 d, a", [300], 255),
  all("f32", "u64")("cvt.rzi.u64.f32 d, a", [2 ** 40], 2n ** 40n),
  fromDouble("cvt.rn.f32.f64 d, a", [0.1], Math.fround(0.1)),
  fromDouble("cvt.rz.f32.f64 d, a", [1 + 2 ** -24 + 2 ** -30], 1),
  fromDouble("cvt.rp.f32.f64 d, a", [1 + 2 ** -30], 1 + 2 ** -23),
  all("f32", "f64")("cvt.f64.f32 d, a", [Math.fround(0.1)], Math.fround(0.1)),
  all("s32", "f32")("cvt.rn.f32.s32 d, a", [2 ** 24 + 1], 2 ** 24),
  all("s32", "f32")("cvt.rz.f32.s32 d, a", [2 ** 24 + 3], 2 ** 24 + 2),
  all("u32", "f32")("cvt.rn.f32.u32 d, a", [2 ** 32 - 1], 2 ** 32),
  all("u64", "f32")("cvt.rz.f32.u64 d, a", [2n ** 64n - 1n], 2 ** 64 - 2 ** 40),
  u("cvt.u32.u8 d, a", [0x1ff], 0xff),
  all("u32", "s32")("cvt.s32.s8 d, a", [0x1ff], -1),
  i("cvt.u8.s32 d, a", [-1], 255),
  i("cvt.sat.u8.s32 d, a", [-1], 0),
  i("cvt.sat.s8.s32 d, a", [1000], 127),
  all("s32", "s64")("cvt.s64.s32 d, a", [-5], -5n),
  all("u32", "u64")("cvt.u64.u32 d, a", [2 ** 32 - 1], 2n ** 32n - 1n),
  all("s64", "s32")("cvt.s32.s64 d, a", [-5n], -5),
  all("u16", "u32")("cvt.u32.u16 d, a", [65535], 65535),
  all("f32", "u32")("cvt.rna.tf32.f32 d, a", [1 + 2 ** -11], 0x3f802000),
  all("f32", "u32")("mov.b32 d, a", [1], 0x3f800000),
  all("u32", "f32")("mov.b32 d, a", [0x40000000], 2),
  all("u32", "u64")("mov.b64 d, {a, b}", [1, 2], 2n ** 33n + 1n),
  all("u64", "u32")("{ .reg .b32 %low; mov.b64 {%low, d}, a; }", [2n ** 33n + 1n], 2),
  all("u32", "f32")("mov.f32 d, 0fC0000000", [], -2),
];

export const choiceCases: readonly Case[] = [
  toPredicate("setp.lt.f32 d, a, b", [1, 2], true),
  toPredicate("setp.ne.f32 d, a, b", [1, nan], false),
  toPredicate("setp.neu.f32 d, a, b", [1, nan], true),
  toPredicate("setp.equ.f32 d, a, b", [1, nan], true),
  toPredicate("setp.equ.f32 d, a, b", [1, 2], false),
  toPredicate("setp.ltu.f32 d, a, b", [2, 1], false),
  toPredicate("setp.geu.f32 d, a, b", [2, nan], true),
  toPredicate("setp.gt.f32 d, a, b", [2, nan], false),
  toPredicate("setp.num.f32 d, a, b", [2, nan], false),
  toPredicate("setp.nan.f32 d, a, b", [2, nan], true),
  toPredicate("setp.gt.f32 d, a, 0f00000000", [tiny], true),
  toPredicate("setp.gt.ftz.f32 d, a, 0f00000000", [tiny], false),
  all("s32", "pred")("setp.lt.s32 d, a, b", [-1, 0], true),
  all("u32", "pred")("setp.lt.u32 d, a, b", [2 ** 32 - 1, 0], false),
  all("u32", "pred")("setp.hi.u32 d, a, b", [2 ** 32 - 1, 0], true),
  {
    ...all("s32", "pred")("setp.lt.and.s32 d, a, b, c", [], false),
    operands: [
      ["s32", 1],
      ["s32", 2],
      ["pred", false],
    ],
  },
  {
    ...all("s32", "pred")("setp.lt.or.s32 d, a, b, !c", [], true),
    operands: [
      ["s32", 2],
      ["s32", 1],
      ["pred", false],
    ],
  },
  all("s32", "pred")("{ .reg .pred %yes; setp.lt.s32 %yes|d, a, b; }", [1, 2], false),
  all("pred")("and.pred d, a, b", [true, false], false),
  all("pred")("xor.pred d, a, b", [true, false], true),
  all("pred")("not.pred d, a", [false], true),
  all("f32", "u32")("set.lt.u32.f32 d, a, b", [1, 2], 2 ** 32 - 1),
  all("s32", "f32")("set.gt.f32.s32 d, a, b", [2, 1], 1),
  {
    ...f("selp.f32 d, a, b, c", [], -0),
    operands: [
      ["f32", 1],
      ["f32", -0],
      ["pred", false],
    ],
  },
  {
    ...f("slct.f32.s32 d, a, b, c", [], 2),
    operands: [
      ["f32", 1],
      ["f32", 2],
      ["s32", -1],
    ],
  },
  {
    ...u("slct.u32.f32 d, a, b, c", [], 1),
    operands: [
      ["u32", 1],
      ["u32", 2],
      ["f32", -0],
    ],
  },
];
