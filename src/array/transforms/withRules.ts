// Functions of the library with rules of their own: a derivative, and where they are linear, a transpose.
import type { Array } from "../core/array.js";
import type { Tangent } from "../core/primitive.js";
import { traceClosed } from "../core/trace.js";
import { rebuild } from "../lax/leaves.js";
import { callWithRules, takeCall, type CallSite } from "./customCall.js";
import { deriveWith } from "./customJvp.js";

export interface ArrayRules<A extends readonly Array[], R> {
  /** The result and its tangent; a tangent that is null is zero. */
  readonly jvp: (primals: A, tangents: { readonly [K in keyof A]: Tangent }) => readonly [R, R];
  /** For functions that are linear in their last argument: from the others and the result's cotangent, its own. */
  readonly transpose?: (known: readonly Array[], cotangent: R) => Array;
}

/** A function of arrays that transforms treat by its rules. */
export function withRules<A extends readonly Array[], R extends Array | readonly Array[]>(
  name: string,
  f: (...args: A) => R,
  { jvp, transpose }: ArrayRules<A, R>,
): (...args: A) => R {
  const rule = jvp as unknown as (...args: unknown[]) => unknown;
  return (...args) =>
    callWithRules(f, takeCall(name, args, []), (site) => ({
      derive: (active) => deriveWith(site, { rule, zeros: "null" }, active),
      ...(transpose && { transposed: () => recordTranspose(site, transpose) }),
    })) as R;
}

const recordTranspose = <R>(
  { types, outputs, structure }: CallSite,
  transpose: (known: readonly Array[], cotangent: R) => Array,
) =>
  traceClosed([...types.slice(0, -1), ...outputs], (all) => {
    const known = all.slice(0, types.length - 1);
    return [transpose(known, rebuild<R>(structure, all.slice(types.length - 1)))];
  });
