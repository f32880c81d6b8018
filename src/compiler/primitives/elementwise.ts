// Primitives whose result is written out element by element from operands at the same indices, and what they cost.

/** The cost of one element, roughly, in simple instructions: enough to decide what is worth computing again. */
export const elementwiseCosts = {
  ...{ neg: 1, add: 1, sub: 1, mul: 1, fma: 8, div: 4, rem: 12, pow: 50 },
  ...{ max: 1, min: 1, relu: 1, abs: 1, sign: 1, floor: 1, ceil: 1, trunc: 1, round: 1 },
  ...{ sqrt: 4, exp: 14, expm1: 20, log: 14, log1p: 20, logaddexp: 30, logistic: 18, tanh: 16 },
  ...{ sin: 24, cos: 24, atan2: 30, erf: 24, erfInv: 30 },
  ...{ equal: 1, notEqual: 1, less: 1, lessEqual: 1 },
  ...{ and: 1, or: 1, xor: 1, not: 1, shiftLeft: 1, shiftRightLogical: 1, shiftRightArithmetic: 1 },
  ...{ select: 1, convert: 1, bitcast: 1, threefry2x32: 110 },
};

export type ElementwiseName = keyof typeof elementwiseCosts;

/** The cost of every operation of kernels. */
export const operationCosts = { ...elementwiseCosts, maxNumber: 1, minNumber: 1 };
