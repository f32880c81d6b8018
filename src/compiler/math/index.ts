// What primitives mean in terms of simple operations.
import type { DType } from "../../array/index.js";
import { erf, erfInv } from "./errorFunction.js";
import { exp, expm1, logistic, tanh } from "./exponentials.js";
import type { Formula, Term } from "./formula.js";
import { log, log1p, logaddexp } from "./logarithms.js";
import { pow } from "./powers.js";
import { threefry2x32 } from "./randomBits.js";
import { relu, sign } from "./signs.js";
import { formula, operand } from "./terms.js";
import { atan2, cos, sin } from "./trigonometry.js";

export type { BasicOperation, Formula, Term } from "./formula.js";

type Definition = (...operands: Term[]) => Term | readonly Term[];

const ofFloats: Record<string, Definition> = {
  exp,
  expm1,
  log,
  log1p,
  logistic,
  logaddexp,
  tanh,
  sin,
  cos,
  atan2,
  erf,
  erfInv,
  pow,
};
const ofAll: Record<string, Definition> = { sign, relu };
const ofWords: Record<string, Definition> = { threefry2x32 };

const definitions: Partial<Record<DType, Record<string, Definition>>> = {
  float32: { ...ofFloats, ...ofAll },
  int32: ofAll,
  uint32: { ...ofAll, ...ofWords },
  uint8: ofAll,
};

const known = new Map<string, Formula | null>();

/**
 * The formula of an elementwise primitive on operands of a dtype; null for what renderers do themselves: the basic
 * operations, and those that are one instruction here and a loop there (`fma`, `rem`, division, powers and shifts by
 * variable counts of integers).
 */
export function formulaOf(name: string, dtype: DType): Formula | null {
  const key = `${name} ${dtype}`;
  const before = known.get(key);
  if (before !== undefined) return before;
  const definition = Object.entries(definitions[dtype] ?? {}).find(([own]) => own === name)?.[1];
  const found = definition === undefined ? null : write(definition, dtype);
  known.set(key, found);
  return found;
}

function write(definition: Definition, dtype: DType): Formula {
  const operands = Array.from({ length: definition.length }, (_, index) => operand(index, dtype));
  return formula(...[definition(...operands)].flat());
}
