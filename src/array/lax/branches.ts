// Branches over trees: cond and switch.
import { markEntry } from "../core/userCode.js";
import type { Array } from "../core/array.js";
import { type ArrayLike } from "../core/array.js";
import { asOperand } from "../core/coerce.js";
import { isFloat, promoteDTypes } from "../core/dtype.js";
import { fail } from "../core/errors.js";
import { newVariable, typesOf, type Program } from "../core/program.js";
import { checkFunction } from "../core/rules.js";
import { sameShape } from "../core/shape.js";
import { bind, traceProgram, type TracedProgram } from "../core/trace.js";
import { arrayType, showType, type ArrayType } from "../core/type.js";
import { cond as condPrimitive } from "../control/cond.js";
import { checkSameStructure, isFlagOrName, leafPaths, type Structure } from "../tree/structure.js";
import { convertAll, flattenArrays, rebuild } from "./leaves.js";

/** `onTrue(...operands)` if the predicate holds, else `onFalse(...operands)`; only one of them runs. */
export const cond = markEntry(
  <A extends readonly unknown[], R>(
    predicate: ArrayLike,
    onTrue: (...operands: A) => R,
    onFalse: (...operands: A) => R,
    ...operands: A
  ): R => {
    const given = asOperand("lax.cond", predicate);
    checkScalar("lax.cond", "predicate", given);
    const holds = given.dtype === "bool" ? given : given.notEqual(0);
    return branch("lax.cond", holds.astype("int32"), [onFalse, onTrue], operands);
  },
  "lax.cond",
);

function checkScalar(operation: string, what: string, { type }: Array): void {
  if (type.shape.length > 0) {
    fail(
      operation,
      `the ${what} must be a scalar, got ${showType(type)}; choose element by element with np.where`,
    );
  }
}

/** `branches[index](...operands)`, the nearest branch where the index is out of range; only one of them runs. */
const switchBranch = markEntry(
  <A extends readonly unknown[], R>(
    index: ArrayLike,
    branches: readonly ((...operands: A) => R)[],
    ...operands: A
  ): R => {
    const given = asOperand("lax.switch", index);
    checkScalar("lax.switch", "index", given);
    if (isFloat(given.dtype)) fail("lax.switch", `the index must be an integer, got ${showType(given.type)}`);
    if (branches.length === 0) fail("lax.switch", "needs at least one branch");
    return branch("lax.switch", given.astype("int32"), branches, operands);
  },
  "lax.switch",
);
export { switchBranch as switch };

function branch<A extends readonly unknown[], R>(
  operation: string,
  index: Array,
  branches: readonly ((...operands: A) => R)[],
  operands: A,
): R {
  const flat = flattenArrays(operation, operands, "the operands", isFlagOrName);
  const types = flat.arrays.map((array) => array.type);
  for (const f of branches) checkFunction(operation, "every branch", f);
  const structures: Structure[] = [];
  const trace = (f: (...args: A) => R, target: readonly ArrayType[] | null): TracedProgram =>
    traceProgram(`a branch of ${operation}`, types, (arrays) => {
      const result = flattenArrays(
        operation,
        f(...rebuild<A>(flat.structure, arrays)),
        "what a branch returns",
      );
      structures.push(result.structure);
      checkSameStructure(operation, structures[0], result.structure, "what the branches return differs");
      return target === null ? result.arrays : convertAll(operation, result.arrays, target);
    });
  let traced = branches.map((f) => trace(f, null));
  const common = commonTypes(operation, traced, structures[0]);
  const agree = traced.every(({ program }) =>
    program.outputs.every((output, at) => output.type.dtype === common[at]?.dtype),
  );
  if (!agree) traced = branches.map((f) => trace(f, common));
  const { programs, captures } = shareCaptures(traced, types.length);
  const outputs = bind(condPrimitive, [index, ...captures, ...flat.arrays], { branches: programs });
  return rebuild<R>(structures[0], outputs);
}

/** The types that the branches' results meet in; only weak ones may give way. */
function commonTypes(operation: string, traced: readonly TracedProgram[], structure: Structure): ArrayType[] {
  const results = traced.map(({ program }) => typesOf(program.outputs));
  return results[0].map((first, at) => {
    const all = results.map((types) => types[at]);
    const { dtype, weak } = promoteDTypes(all);
    const odd = all.find(
      (type) => !sameShape(type.shape, first.shape) || (type.dtype !== dtype && !type.weak),
    );
    if (odd !== undefined) {
      const path = leafPaths(structure)[at];
      const other = odd === first ? all[1] : odd;
      fail(
        operation,
        `the branches return ${showType(first)} and ${showType(other)}${path === "" ? "" : ` at ${path}`}; ` +
          `they must return equal shapes and dtypes`,
      );
    }
    return arrayType(first.shape, dtype, weak);
  });
}

/** Branches that all take what any of them captured, once each, before the operands. */
function shareCaptures(
  traced: readonly TracedProgram[],
  operands: number,
): { readonly programs: Program[]; readonly captures: Array[] } {
  const identity = (array: Array) => array.tracer?.variable ?? array;
  const captures = new Map(
    traced.flatMap(({ captures: own }) => own.map((array) => [identity(array), array] as const)),
  );
  const programs = traced.map(({ program, captures: own }) => {
    const inputs = new Map(own.map((array, at) => [identity(array), program.inputs[at]] as const));
    return {
      ...program,
      inputs: [
        ...[...captures].map(([key, array]) => inputs.get(key) ?? newVariable(array.type)),
        ...program.inputs.slice(program.inputs.length - operands),
      ],
    };
  });
  return { programs, captures: [...captures.values()] };
}
