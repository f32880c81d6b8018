// Functions that are shorter by what the machine has instructions for than by their formulas.
import { literal, type PtxText } from "./text.js";

const float = (value: number): string => literal(value, "float32");

/** tanh x = x + x³ · (a polynomial of x²) near 0, from the highest power on: 2 units off at most. */
const nearZero = [
  0.01561303436756134, -0.05221204459667206, 0.133131206035614, -0.33332598209381104,
] as const;
const isNear = 0.6;

/** Elsewhere 1 - 2 / (exp 2|x| + 1), by instructions that are each a unit or two off: 3 or 4 in all. */
function tanh(out: PtxText, x: string): string {
  const size = out.pure("abs.f32", "f32", x);
  const power = out.pure("ex2.approx.ftz.f32", "f32", out.pure("mul.f32", "f32", size, float(2 / Math.LN2)));
  const inverse = out.pure("rcp.approx.ftz.f32", "f32", out.pure("add.f32", "f32", power, float(1)));
  const far = out.pure("fma.rn.f32", "f32", inverse, float(-2), float(1));
  const square = out.pure("mul.f32", "f32", size, size);
  const [first, ...others] = nearZero.map(float);
  const series = others.reduce((sum, term) => out.pure("fma.rn.f32", "f32", sum, square, term), first);
  const near = out.pure("fma.rn.f32", "f32", out.pure("mul.f32", "f32", series, square), size, size);
  const condition = out.pure("setp.lt.f32", "pred", size, float(isNear));
  const result = out.pure("selp.f32", "f32", near, far, condition);
  return out.pure("copysign.f32", "f32", x, result);
}

/** Functions of one float by their names. */
export const approximations: Readonly<Partial<Record<string, (out: PtxText, x: string) => string>>> = {
  tanh,
};
