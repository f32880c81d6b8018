// The array language: JAX's vocabulary in TypeScript. Functions written in it can be recorded as Programs,
// differentiated, vectorised and compiled.
import "./np/methods.js";

import * as debug from "./debug.js";
import * as lax from "./lax/index.js";
import * as nn from "./nn.js";
import * as np from "./np/index.js";
import * as random from "./random.js";
import * as tree from "./tree/index.js";

export { debug, lax, nn, np, random, tree };

export { Array, type ArrayLike, type Nested } from "./core/array.js";
export { dtypes, type DType, type TypedArray } from "./core/dtype.js";
export { ArrayError } from "./core/errors.js";
export type { Atom, Equation, Literal, Program, Variable } from "./core/program.js";
export type { Axes, Shape } from "./core/shape.js";
export type { ArrayType } from "./core/type.js";
export type { Index, Range } from "./np/indexing.js";
export { registerBackend, type Backend, type Executable } from "./transforms/backend.js";
export { checkGrads, type CheckGradsOptions } from "./transforms/checkGrads.js";
export { grad, jvp, valueAndGrad, vjp, type Argnums, type GradOptions } from "./transforms/derivatives.js";
export { evalShape, makeProgram, type ClosedProgram, type ShapeDtype } from "./transforms/inspect.js";
export { hessian, jacfwd, jacrev, type Jacobian, type JacobianOptions } from "./transforms/jacobian.js";
export { jit, type JitOptions } from "./transforms/jit.js";
export { vmap, type AxisTree } from "./transforms/vmap.js";
