// What primitives mean in terms of simple operations.
import type { DType } from "../../array/index.js";
import { erf, erfFromExp, erfInv, erfInvFromLog } from "./errorFunction.js";
import { exp, expm1, logistic, tanh } from "./exponentials.js";
import type { Formula, Term } from "./formula.js";
import { log, log1p, logaddexp } from "./logarithms.js";
import { pow } from "./powers.js";
import { threefry2x32 } from "./randomBits.js";
import { relu, sign } from "./signs.js";
import { formula, operand } from "./terms.js";
import { atan2, cos, sin } from "./trigonometry.js";

export { largestErf } from "./errorFunction.js";
export type { BasicOperation, Formula, Term } from "./formula.js";

type Definition = (...operands: Term[]) => Term | readonly Term[];
type Definitions = Readonly<Record<string, Definition | undefined>>;

const ofNumbers: Definitions = { sign, relu };
const ofFloats: Definitions = {
  exp,
  expm1,
  logistic,
  tanh,
  log,
  log1p,
  logaddexp,
  sin,
  cos,
  atan2,
  erf,
  erfFromExp,
  erfInv,
  erfInvFromLog,
  pow,
};

const definitions: Partial<Record<DType, Definitions>> = {
  float32: { ...ofNumbers, ...ofFloats },
  int32: ofNumbers,
  uint32: { ...ofNumbers, threefry2x32 },
  uint8: ofNumbers,
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
  const definition = definitions[dtype]?.[name];
  const found = definition === undefined ? null : write(definition, dtype);
  known.set(key, found);
  return found;
}

function write(definition: Definition, dtype: DType): Formula {
  const operands = Array.from({ length: definition.length }, (_, index) => operand(index, dtype));
  return formula(...[definition(...operands)].flat());
}
