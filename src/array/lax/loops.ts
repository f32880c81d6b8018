// Loops over trees: scan, whileLoop, foriLoop, map.
import { checked } from "../core/checked.js";
import { Array, type ArrayLike } from "../core/array.js";
import { asOperand } from "../core/coerce.js";
import { fail } from "../core/errors.js";
import { checkFunction, checkWhole } from "../core/rules.js";
import { bind, traceProgram, type TracedProgram } from "../core/trace.js";
import { arrayType, showType, type ArrayType } from "../core/type.js";
import { scan as scanPrimitive } from "../control/scan.js";
import { whileLoop as whilePrimitive } from "../control/while.js";
import { arange } from "../np/creation.js";
import { checkSameStructure, leafPaths } from "../tree/structure.js";
import { convertAll, flattenArrays, rebuild, carryTypes, type FlatTree } from "./leaves.js";

export interface ScanOptions {
  /** Number of iterations; needed when there are no stacked inputs. */
  readonly length?: number;
  /** Whether to go from the last slice to the first. Default false. */
  readonly reverse?: boolean;
  /** Iterations that one loop of the compiled program makes, a hint. Default 1. */
  readonly unroll?: number;
}

/**
 * Carries a state through a loop over the first axis of `xs`: `f(carry, x)` returns `[carry, y]`, and the
 * result is the last carry and all the y stacked. With `xs` null, `length` says how often.
 */
export const scan = checked(
  "lax.scan",
  4,
  ["length", "reverse", "unroll"],
  <C, X, Y>(f: (carry: C, x: X) => readonly [C, Y], init: C, xs: X, options: ScanOptions = {}): [C, Y] =>
    scanAs("lax.scan", f, init, xs, options),
);

/** `scan` under the name that errors should speak of. */
function scanAs<C, X, Y>(
  operation: string,
  f: (carry: C, x: X) => readonly [C, Y],
  init: C,
  xs: X,
  { length, reverse = false, unroll = 1 }: ScanOptions = {},
): [C, Y] {
  checkFunction(operation, "the body", f);
  const stacked = flattenArrays(operation, xs, "xs");
  const iterations = countIterations(operation, stacked, length);
  const slices = stacked.arrays.map(({ shape, dtype }) => arrayType(shape.slice(1), dtype));
  let results: FlatTree = stacked;
  const { carry, traced } = traceLoop(operation, init, slices, (state, inputs) => {
    const result: unknown = f(rebuild(state.structure, state.arrays), rebuild(stacked.structure, inputs));
    if (!globalThis.Array.isArray(result) || result.length !== 2) {
      fail(operation, `the body must return [carry, y], got ${describeResult(result)}`);
    }
    results = flattenArrays(operation, result[1], "the y returned by the body");
    return { carry: result[0] as unknown, extra: results.arrays };
  });
  const outputs = bind(scanPrimitive, [...traced.captures, ...carry.arrays, ...stacked.arrays], {
    body: traced.program,
    constants: traced.captures.length,
    carries: carry.arrays.length,
    length: iterations,
    reverse,
    unroll,
  });
  const count = carry.arrays.length;
  return [
    rebuild<C>(carry.structure, outputs.slice(0, count)),
    rebuild<Y>(results.structure, outputs.slice(count)),
  ];
}

const describeResult = (result: unknown): string =>
  globalThis.Array.isArray(result)
    ? `a list of ${result.length}`
    : result instanceof Array
      ? "one array"
      : typeof result;

function countIterations(
  operation: string,
  { arrays, structure }: FlatTree,
  length: number | undefined,
): number {
  if (length !== undefined) checkWhole(operation, "length", length, 0);
  const paths = leafPaths(structure);
  const extents = arrays.map((array, index) => {
    if (array.ndim > 0) return array.shape[0];
    fail(operation, `xs${at(paths[index])} is a scalar; scan needs a first axis to go along`);
  });
  const iterations = length ?? extents[0];
  if (iterations === undefined)
    fail(operation, "xs has no arrays, so the option length must say how many iterations to make");
  const odd = extents.findIndex((extent) => extent !== iterations);
  if (odd >= 0) {
    const against = length === undefined ? `xs${at(paths[0])} has ${iterations}` : `length is ${length}`;
    fail(operation, `xs${at(paths[odd])} has ${extents[odd]} slices, but ${against}`);
  }
  return iterations;
}

const at = (path: string | undefined): string => (path === undefined || path === "" ? "" : ` at ${path}`);

/** Records a loop body until the types of its carry no longer change. */
function traceLoop(
  operation: string,
  init: unknown,
  inputs: readonly ArrayType[],
  body: (state: FlatTree, inputs: Array[]) => { readonly carry: unknown; readonly extra: readonly Array[] },
): { readonly carry: FlatTree; readonly traced: TracedProgram } {
  const { arrays, structure } = flattenArrays(operation, init, "the initial carry");
  let types: readonly ArrayType[] = arrays.map((array) => array.type);
  for (;;) {
    const entering = types;
    const traced = traceProgram(`the body of ${operation}`, [...entering, ...inputs], (all) => {
      const state = { arrays: all.slice(0, entering.length), structure };
      const { carry, extra } = body(state, all.slice(entering.length));
      const next = flattenArrays(operation, carry, "the carry returned by the body");
      checkSameStructure(
        operation,
        structure,
        next.structure,
        "the initial carry and the one the body returns differ",
      );
      const agreed = carryTypes(
        operation,
        entering,
        next.arrays.map((array) => array.type),
        structure,
      );
      types = agreed;
      return [...convertAll(operation, next.arrays, agreed), ...extra];
    });
    if (types === entering)
      return { carry: { arrays: convertAll(operation, arrays, types), structure }, traced };
  }
}

/** Applies `body` to the carry for as long as `test` of it holds. Reverse mode cannot go through it. */
export const whileLoop = checked(
  "lax.whileLoop",
  3,
  <C>(test: (carry: C) => ArrayLike, body: (carry: C) => C, init: C): C => {
    const operation = "lax.whileLoop";
    checkFunction(operation, "the test", test);
    checkFunction(operation, "the body", body);
    const { carry, traced } = traceLoop(operation, init, [], (state) => ({
      carry: body(rebuild(state.structure, state.arrays)),
      extra: [],
    }));
    const types = carry.arrays.map((array) => array.type);
    const tested = traceProgram(`the test of ${operation}`, types, (arrays) => {
      const result = test(rebuild(carry.structure, arrays));
      const holds = flattenArrays(operation, result, "the result of the test").arrays[0];
      if (holds?.dtype !== "bool" || holds.ndim !== 0) {
        const given = holds === undefined ? "nothing" : showType(holds.type);
        fail(
          operation,
          `the test must return one bool, got ${given}; compare, and reduce with np.any or np.all`,
        );
      }
      return [holds];
    });
    const outputs = bind(whilePrimitive, [...tested.captures, ...traced.captures, ...carry.arrays], {
      test: tested.program,
      body: traced.program,
      testConstants: tested.captures.length,
      bodyConstants: traced.captures.length,
      tangents: 0,
    });
    return rebuild<C>(carry.structure, outputs);
  },
);

/** `body(i, carry)` for i from lower up to but not including upper. With plain numbers it can be differentiated. */
export const foriLoop = checked(
  "lax.foriLoop",
  4,
  <C>(lower: ArrayLike, upper: ArrayLike, body: (index: Array, carry: C) => C, init: C): C => {
    checkFunction("lax.foriLoop", "the body", body);
    for (const bound of [lower, upper])
      if (typeof bound === "number") checkWhole("lax.foriLoop", "a bound", bound);
    if (typeof lower === "number" && typeof upper === "number") {
      const indices = arange(lower, Math.max(lower, upper));
      return scanAs("lax.foriLoop", (carry: C, index: Array) => [body(index, carry), null], init, indices)[0];
    }
    const bound = (value: ArrayLike): Array => asOperand("lax.foriLoop", value).astype("int32");
    const last = bound(upper);
    return whileLoop(
      ({ index }) => index.less(last),
      ({ index, carry }) => ({ index: index.add(1), carry: body(index, carry) }),
      { index: bound(lower), carry: init },
    ).carry;
  },
);

/** `f` of each slice of `xs` along the first axis, one after the other; results are stacked. */
export const map = checked("lax.map", 2, <X, Y>(f: (x: X) => Y, xs: X): Y => {
  checkFunction("lax.map", "its first argument", f);
  return scanAs("lax.map", (_: null, x: X) => [null, f(x)], null, xs)[1];
});
