// Elementwise functions of a real variable. The interpreter computes them in double precision and rounds.
import { erf as erfNumber, erfInv as erfInvNumber } from "../core/specialFunctions.js";
import type { Array } from "../core/array.js";
import { constant } from "../core/interpret.js";
import { bindOne } from "../core/trace.js";
import { choose } from "./select.js";
import { elementwise, floats, type Derivative, type Formula } from "./elementwise.js";

const realFunction = (name: string, formula: Formula, derivative: Derivative) =>
  elementwise({ name, arity: 1, accepts: floats, formula: () => formula, derivatives: [derivative] });

export const exp = realFunction("exp", Math.exp, (t, y) => t.mul(y));
export const expm1 = realFunction("expm1", Math.expm1, (t, y) => t.mul(y.add(1)));
export const log = realFunction("log", Math.log, (t, _, x) => t.div(x));
export const log1p = realFunction("log1p", Math.log1p, (t, _, x) => t.div(x.add(1)));
export const sqrt = realFunction("sqrt", Math.sqrt, (t, y) => t.mul(0.5).div(y));
export const sin = realFunction("sin", Math.sin, (t, _, x) => t.mul(bindOne(cos, [x], {})));
export const cos = realFunction("cos", Math.cos, (t, _, x) => t.mul(bindOne(sin, [x], {})).neg());
export const tanh = realFunction("tanh", Math.tanh, (t, y) => t.mul(y.mul(y).neg().add(1)));

/** 1 / (1 + exp(-x)). */
export const logistic = realFunction(
  "logistic",
  (x) => (x >= 0 ? 1 / (1 + Math.exp(-x)) : Math.exp(x) / (1 + Math.exp(x))),
  (t, y) => t.mul(y.mul(y.neg().add(1))),
);

export const erf = realFunction("erf", erfNumber, (t, _, x) =>
  t.mul(bindOne(exp, [x.mul(x).neg()], {})).mul(2 / Math.sqrt(Math.PI)),
);

/** The inverse of erf on (-1, 1). */
export const erfInv = realFunction("erfInv", erfInvNumber, (t, y) =>
  t.mul(bindOne(exp, [y.mul(y)], {})).mul(Math.sqrt(Math.PI) / 2),
);

/** log(exp(x) + exp(y)) without overflow. */
export const logaddexp = elementwise({
  name: "logaddexp",
  arity: 2,
  accepts: floats,
  formula: () => (x, y) => (x === y ? x + Math.LN2 : Math.max(x, y) + Math.log1p(Math.exp(-Math.abs(x - y)))),
  derivatives: [(t, _, x, y) => t.mul(share(x, y)), (t, _, x, y) => t.mul(share(y, x))],
});

/** exp(x) / (exp(x) + exp(y)); one half for equal infinities. */
const share = (x: Array, y: Array): Array => {
  const areBothInfinite = x.equal(y).and(x.abs().equal(Infinity));
  return bindOne(logistic, [choose(areBothInfinite, constant(0, x.dtype), x.sub(y))], {});
};

/** The angle of the point (x, y), given as atan2(y, x). */
export const atan2 = elementwise({
  name: "atan2",
  arity: 2,
  accepts: floats,
  formula: () => Math.atan2,
  derivatives: [
    (t, _, y, x) => t.mul(x.div(x.mul(x).add(y.mul(y)))),
    (t, _, y, x) => t.mul(y.div(x.mul(x).add(y.mul(y)))).neg(),
  ],
});
