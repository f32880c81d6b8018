// customJvp: a function whose derivative is given by its user, for both modes.
import type { Array } from "../core/array.js";
import { isFloat } from "../core/dtype.js";
import { describe, fail } from "../core/errors.js";
import { isPlainObject } from "../core/plainObject.js";
import { checked } from "../core/checked.js";
import { checkFunction } from "../core/rules.js";
import { traceClosed } from "../core/trace.js";
import { markEntry } from "../core/userCode.js";
import { zeros } from "../primitives/linear.js";
import { flattenArrays } from "../lax/leaves.js";
import { unflatten } from "../tree/structure.js";
import {
  checkActive,
  definedLater,
  isDiscrete,
  matchResult,
  type CallSite,
  type Positions,
} from "./customCall.js";
import type { At, NotAt, OneOf } from "./customTypes.js";
import { nameOf, type AnyFunction } from "./functions.js";
import type { JvpProgram } from "./jvp.js";

export interface CustomOptions<N extends Positions = Positions> {
  /** Positions of arguments without a derivative, plain JavaScript values among them. Default none. */
  readonly nondiffArgnums?: N;
}

export interface DefjvpOptions {
  /** Whether tangents that are zero reach the rule as `null`, so that it can leave out their part. Default false. */
  readonly symbolicZeros?: boolean;
}

/** The derivative in one argument: from its tangent, the result and the arguments, the tangent of the result. */
type ArgumentRule<A extends readonly unknown[], R, K extends keyof A> =
  | ((tangent: A[K], value: R, ...primals: A) => R)
  | null;

export interface CustomJvp<A extends readonly unknown[], R, N = never> {
  (...args: A): R;
  /**
   * Sets the derivative: from the arguments and their tangents the result and its tangent, linear in the tangents.
   * Arguments without a derivative come first, one by one. Returns the function.
   */
  defjvp(
    rule: (
      ...args: [...At<A, N>, primals: NotAt<A, N>, tangents: NotAt<A, N>]
    ) => readonly [value: R, tangent: R],
    options?: DefjvpOptions,
  ): CustomJvp<A, R, N>;
  /** Sets the derivative as a sum of one rule per argument; `null` where it has no part. Returns the function. */
  defjvps(...rules: { [K in keyof A]: ArgumentRule<A, R, K> }): CustomJvp<A, R, N>;
}

/** From arguments without derivative, primals and tangents (null for zero) the result and its tangent. */
type Rule = (...args: unknown[]) => unknown;

export interface Definition {
  readonly rule: Rule;
  /** What the rule gets for tangents that are zero: arrays, null for each, or null for arguments without others. */
  readonly zeros: "arrays" | "null" | "null arguments";
}

/**
 * A function whose derivative is what `defjvp` or `defjvps` say instead of what its operations do. Works in both
 * modes and under every transform.
 */
export const customJvp = checked(
  "customJvp",
  2,
  ["nondiffArgnums"],
  <A extends readonly unknown[], R, const N extends Positions = readonly never[]>(
    f: (...args: A) => R,
    { nondiffArgnums }: CustomOptions<N> = {},
  ): CustomJvp<A, R, OneOf<N>> => {
    const name = nameOf("customJvp", f);
    const { custom, define } = definedLater<Definition>(
      name,
      f,
      nondiffArgnums ?? [],
      "it has no derivative rule yet; give it one with defjvp before it is called",
      (site, definition) => ({
        derive: (active) => site.later(() => deriveWith(site, definition, active)),
        axes: site.axes,
      }),
    );
    const methods = {
      defjvp: markEntry((rule: AnyFunction, options: DefjvpOptions = {}): unknown => {
        checkFunction(name, "the rule of defjvp", rule);
        if (!isPlainObject(options) || Object.keys(options).some((key) => key !== "symbolicZeros")) {
          fail(name, `the options of defjvp are { symbolicZeros }, got ${describe(options)}`);
        }
        return define({ rule: rule as Rule, zeros: options.symbolicZeros === true ? "null" : "arrays" });
      }, `${name}.defjvp`),
      defjvps: markEntry((...rules: readonly (AnyFunction | null)[]): unknown => {
        if ([nondiffArgnums ?? []].flat().length > 0) {
          fail(
            name,
            "defjvps gives a rule for every argument and so needs no nondiffArgnums; use null, or defjvp",
          );
        }
        const rule = sumOfRules(name, custom, rules as readonly (Rule | null)[]);
        return define({ rule, zeros: "null arguments" });
      }, `${name}.defjvps`),
    };
    return Object.assign(custom, methods) as unknown as CustomJvp<A, R, OneOf<N>>;
  },
);

/** The derivative of one call as a program. */
export function deriveWith(
  site: CallSite,
  { rule, zeros: form }: Definition,
  active: readonly boolean[],
): JvpProgram {
  checkActive(site, active);
  const { taken, types, captures } = site;
  const { name, differentiable } = taken;
  const own = active.slice(captures);
  const program = traceClosed(
    [...types, ...types.filter((_, index) => active[index])],
    (all) => {
      const inputs = all.slice(captures, types.length);
      let next = types.length;
      const tangents = inputs.map((input, index) =>
        own[index] ? all[next++] : form === "null" ? null : zeros(input.type),
      );
      const picked = <T>(list: readonly T[]): T[] => list.filter((_, index) => differentiable[index]);
      const directions = taken.moving(picked(tangents)).map((tangent, index) => {
        const isZero = !taken.owned[index].some((array) => own[array]);
        return isZero && form === "null arguments" ? null : tangent;
      });
      const result = rule(...taken.fixed(inputs), taken.moving(picked(inputs)), directions);
      if (!globalThis.Array.isArray(result) || result.length !== 2) {
        fail(name, `the derivative rule must return [value, tangent], got ${describe(result)}`);
      }
      const [value, tangent] = result as [unknown, unknown];
      const values = matchResult(site, value, "the values that the derivative rule returns");
      const moved = matchResult(site, tangent, "the tangents that the derivative rule returns", isDiscrete);
      return [...values, ...moved.filter((_, index) => isFloat(site.outputs[index].dtype))];
    },
    `the derivative rule of ${name}`,
  );
  return { program, moving: site.outputs.map(({ dtype }) => isFloat(dtype)) };
}

/** One rule from one per argument, each of which gets its tangent, the result and the arguments. */
function sumOfRules(
  name: string,
  custom: (...args: unknown[]) => unknown,
  rules: readonly (Rule | null)[],
): Rule {
  return (primals, tangents) => {
    const values = primals as readonly unknown[];
    if (rules.length !== values.length) {
      fail(
        name,
        `defjvps got ${rules.length} rules for ${values.length} arguments; give one for each, or null`,
      );
    }
    const value = custom(...values);
    const own = flattenArrays(name, value, "the result");
    let total: Array[] | null = null;
    (tangents as readonly unknown[]).forEach((tangent, index) => {
      const rule = rules[index] ?? null;
      if (rule === null || tangent === null) return;
      const part = flattenArrays(name, rule(tangent, value, ...values), `the tangent for argument ${index}`);
      const before = total;
      total = before === null ? part.arrays : part.arrays.map((array, at) => before[at].add(array));
    });
    return [value, unflatten(own.structure, total ?? own.arrays.map((array) => zeros(array.type)))];
  };
}
