// Functions that programs call: those that take a loop (what is left of a division of floats, powers of integers), and random bits,
// whose code is long. Where code comes from far, one function that stays near is faster than a copy wherever it is needed.
import { operate, randomBitsParams } from "./operations.js";
import { PtxText } from "./text.js";

/**
 * What is left of x when y is taken from it as often as possible, exactly: in doubles, 28 bits of the quotient at a time.
 * The sign is that of x.
 */
const remainder = `.func (.param .f32 z) remainder(.param .f32 x, .param .f32 y)
{
	.reg .f32 %f<8>;
	.reg .f64 %fd<10>;
	.reg .b32 %r<8>;
	.reg .pred %p<8>;
	ld.param.f32 %f1, [x];
	ld.param.f32 %f2, [y];
	abs.f32 %f3, %f1;
	abs.f32 %f4, %f2;
	// Of infinity, by 0 and of NaN there is none.
	setp.geu.f32 %p1, %f3, 0f7F800000;
	setp.equ.f32 %p2, %f4, 0f00000000;
	or.pred %p3, %p1, %p2;
	mov.f32 %f5, 0f7FC00000;
	@%p3 bra DONE;
	mov.f32 %f5, %f1;
	setp.lt.f32 %p4, %f3, %f4;
	@%p4 bra DONE;
	cvt.f64.f32 %fd1, %f3;
	cvt.f64.f32 %fd2, %f4;
AGAIN:
	// A multiple of the divisor by a power of two that is at most 2^28 times smaller.
	{ .reg .b32 low; mov.b64 {low, %r1}, %fd1; mov.b64 {low, %r2}, %fd2; }
	shr.u32 %r1, %r1, 20;
	shr.u32 %r2, %r2, 20;
	sub.s32 %r3, %r1, %r2;
	sub.s32 %r3, %r3, 27;
	max.s32 %r3, %r3, 0;
	add.s32 %r4, %r3, 1023;
	shl.b32 %r4, %r4, 20;
	mov.b64 %fd3, {0, %r4};
	mul.f64 %fd4, %fd2, %fd3;
	div.rn.f64 %fd5, %fd1, %fd4;
	cvt.rzi.f64.f64 %fd5, %fd5;
	neg.f64 %fd6, %fd5;
	fma.rn.f64 %fd1, %fd6, %fd4, %fd1;
	// The quotient may have been rounded up.
	setp.lt.f64 %p5, %fd1, 0d0000000000000000;
	add.f64 %fd7, %fd1, %fd4;
	selp.f64 %fd1, %fd7, %fd1, %p5;
	setp.ge.f64 %p6, %fd1, %fd2;
	@%p6 bra AGAIN;
	cvt.rn.f32.f64 %f6, %fd1;
	copysign.f32 %f5, %f1, %f6;
DONE:
	st.param.f32 [z], %f5;
	ret;
}`;

const powerOfInteger = `.func (.param .b32 z) power_of_integer(.param .b32 x, .param .b32 y)
{
	.reg .b32 %r<8>;
	.reg .pred %p<4>;
	ld.param.b32 %r1, [x];
	ld.param.b32 %r2, [y];
	mov.u32 %r3, 1;
AGAIN:
	setp.eq.u32 %p1, %r2, 0;
	@%p1 bra DONE;
	and.b32 %r4, %r2, 1;
	setp.ne.u32 %p2, %r4, 0;
	@%p2 mul.lo.u32 %r3, %r3, %r1;
	mul.lo.u32 %r1, %r1, %r1;
	shr.u32 %r2, %r2, 1;
	bra AGAIN;
DONE:
	st.param.b32 [z], %r3;
	ret;
}`;

/** Two words of random bits, in one of 64. */
function randomBits(): string {
  const out = new PtxText();
  const inputs = randomBitsParams.map((name) => ({
    text: out.effect("ld.param.b32", "b32", `[${name}]`),
    dtype: "uint32" as const,
  }));
  const [low, high] = ([0, 1] as const).map((which) => operate(out, "threefry2x32", "uint32", inputs, which));
  out.line(`st.param.b64 [bits], ${out.effect("mov.b64", "b64", `{${low}, ${high}}`)};`);
  out.line("ret;");
  const params = randomBitsParams.map((name) => `.param .b32 ${name}`).join(", ");
  return `.func (.param .b64 bits) random_bits(${params})\n{\n${out.toString()}\n}`;
}

const functions: Readonly<Record<string, () => string>> = {
  remainder: () => remainder,
  power_of_integer: () => powerOfInteger,
  random_bits: randomBits,
};

/** Those of the functions that some code calls. */
export const functionsIn = (code: string): string[] =>
  Object.entries(functions)
    .filter(([name]) => code.includes(` ${name},`))
    .map(([, text]) => text());
