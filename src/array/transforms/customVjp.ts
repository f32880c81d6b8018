// customVjp: a function whose way back is given by its user, for reverse mode.
import type { Array } from "../core/array.js";
import { isFloat } from "../core/dtype.js";
import { describe, fail } from "../core/errors.js";
import { checked } from "../core/checked.js";
import type { Program } from "../core/program.js";
import { checkFunction } from "../core/rules.js";
import { bind, inline, traceClosed } from "../core/trace.js";
import { markEntry } from "../core/userCode.js";
import { reverseOnly } from "../control/reverseOnly.js";
import { zeros } from "../primitives/linear.js";
import { flattenArrays, rebuild } from "../lax/leaves.js";
import { checkSameStructure, isFlagOrName, type Structure } from "../tree/structure.js";
import {
  checkActive,
  checkTypes,
  definedLater,
  isDiscrete,
  matchResult,
  type CallSite,
  type Positions,
} from "./customCall.js";
import type { CustomOptions } from "./customJvp.js";
import type { At, NotAt, OneOf } from "./customTypes.js";
import { nameOf, type AnyFunction } from "./functions.js";
import type { JvpProgram } from "./jvp.js";

/** One cotangent per argument; `null` for an argument without one. */
type Cotangents<A extends readonly unknown[]> = { readonly [K in keyof A]: A[K] | null };

export interface CustomVjp<A extends readonly unknown[], R, N = never> {
  (...args: A): R;
  /**
   * Sets the two halves of reverse mode. `forward(...args)` returns `[result, residuals]`; `backward(residuals,
   * cotangent)` a list with the cotangent of each argument, or null where it is zero. Arguments without a derivative
   * stand in their places in `forward` and come first in `backward`, whose list leaves them out. Returns the function.
   */
  defvjp<S>(
    forward: (...args: A) => readonly [value: R, residuals: S],
    backward: (...args: [...At<A, N>, residuals: S, cotangent: R]) => Cotangents<NotAt<A, N>>,
  ): CustomVjp<A, R, N>;
}

interface Definition {
  readonly forward: (...args: unknown[]) => unknown;
  readonly backward: (...args: unknown[]) => unknown;
}

/** A function whose gradient is what `defvjp` says. It has no derivative forwards: for that, use `customJvp`. */
export const customVjp = checked(
  "customVjp",
  2,
  ["nondiffArgnums"],
  <A extends readonly unknown[], R, const N extends Positions = readonly never[]>(
    f: (...args: A) => R,
    { nondiffArgnums }: CustomOptions<N> = {},
  ): CustomVjp<A, R, OneOf<N>> => {
    const name = nameOf("customVjp", f);
    const { custom, define } = definedLater<Definition>(
      name,
      f,
      nondiffArgnums ?? [],
      "it has no rule yet; give it one with defvjp before it is called",
      (site, definition) => {
        const halves = recordHalves(site, definition);
        return { derive: (active) => deriveBackwards(site, halves, active), axes: site.axes };
      },
    );
    const defvjp = markEntry((forward: AnyFunction, backward: AnyFunction): unknown => {
      checkFunction(name, "the first argument of defvjp, the forward rule,", forward);
      checkFunction(name, "the second argument of defvjp, the backward rule,", backward);
      return define({ forward, backward } as unknown as Definition);
    }, `${name}.defvjp`);
    return Object.assign(custom, { defvjp }) as unknown as CustomVjp<A, R, OneOf<N>>;
  },
);

/** The two rules as programs, recorded when they are first needed: a rule may call its own function. */
interface Halves {
  /** Takes all inputs; returns the results, then the residuals. */
  readonly forward: () => Program;
  /** Takes the residuals and the cotangents of float results; returns those of all float arguments. */
  readonly backward: () => Program;
}

function recordHalves(site: CallSite, rules: Definition): Halves {
  const { taken, types, captures, outputs } = site;
  const { name } = taken;
  let residuals: Structure = { kind: "nothing", value: null };
  const isFixed = taken.differentiable.map((flag) => !flag);
  const forward = once(() =>
    traceClosed(
      types,
      (all) => {
        const inputs = all.slice(captures);
        const result = rules.forward(...taken.args(inputs));
        if (!globalThis.Array.isArray(result) || result.length !== 2) {
          fail(name, `the forward rule must return [result, residuals], got ${describe(result)}`);
        }
        const [value, kept] = result as [unknown, unknown];
        const values = matchResult(site, value, "the values that the forward rule returns");
        // Functions and other plain values may be kept too, as part of the structure.
        const flat = flattenArrays(name, kept, "the residuals", (leaf) => typeof leaf !== "number");
        residuals = flat.structure;
        // Arrays among the arguments without derivative are kept for the backward rule, which gets those arguments.
        return [...values, ...flat.arrays, ...inputs.filter((_, index) => isFixed[index])];
      },
      `the forward rule of ${name}`,
    ),
  );
  const backward = once(() => {
    const kept = forward().outputs.slice(outputs.length);
    const moved = outputs.filter(({ dtype }) => isFloat(dtype));
    const fixedCount = isFixed.filter(Boolean).length;
    return traceClosed(
      [...kept.map(({ type }) => type), ...moved],
      (all) => {
        const own = all.slice(0, kept.length - fixedCount);
        let [fixed, ct] = [kept.length - fixedCount, kept.length];
        const inputs = taken.arrays.map((array, index) => (isFixed[index] ? all[fixed++] : array));
        const cotangents = outputs.map((type) => (isFloat(type.dtype) ? all[ct++] : zeros(type)));
        const result = rules.backward(
          ...taken.fixed(inputs),
          rebuild(residuals, own),
          rebuild(site.structure, cotangents),
        );
        return matchCotangents(site, result);
      },
      `the backward rule of ${name}`,
    );
  });
  return { forward: () => site.later(forward), backward: () => site.later(backward) };
}

/** What the backward rule returned, as one array per float argument. */
function matchCotangents({ taken, types, captures }: CallSite, result: unknown): Array[] {
  const { name, owned, structure } = taken;
  if (!globalThis.Array.isArray(result) || result.length !== owned.length) {
    fail(
      name,
      `the backward rule must return a list with one cotangent for each of the ${owned.length} arguments, null for ` +
        `those that have none; got ${describe(result)}`,
    );
  }
  const inputs = types.slice(captures);
  return owned.flatMap((own, index) => {
    const expected = own.map((array) => inputs[array]);
    const given = (result as unknown[])[index] ?? null;
    if (given === null) return expected.filter(({ dtype }) => isFloat(dtype)).map(zeros);
    const what = `the cotangents of argument ${index} that the backward rule returns`;
    const flat = flattenArrays(name, given, what, isFlagOrName);
    const child = structure.kind === "list" ? structure.children[index] : structure;
    checkSameStructure(name, child, flat.structure, `${what} and the argument differ`);
    checkTypes(name, what, flat, expected, isDiscrete);
    return flat.arrays.filter((_, at) => isFloat(expected[at].dtype));
  });
}

/** The derivative of one call: the forward rule, and tangents of which only the way back is known. */
function deriveBackwards(site: CallSite, halves: Halves, active: readonly boolean[]): JvpProgram {
  checkActive(site, active);
  const { taken, types, outputs, captures } = site;
  const moving = outputs.map(({ dtype }) => isFloat(dtype));
  // Tangents of all float arguments go in; those of arguments at rest are zero.
  const hasTangent = types.map(
    ({ dtype }, index) => index >= captures && taken.differentiable[index - captures] && isFloat(dtype),
  );
  const program = traceClosed([...types, ...types.filter((_, index) => active[index])], (all) => {
    const results = inline(halves.forward(), all.slice(0, types.length));
    const kept = results.slice(outputs.length);
    let next = types.length;
    const tangents = types.map((type, index) => (active[index] ? all[next++] : zeros(type)));
    const moved = bind(reverseOnly, [...kept, ...tangents.filter((_, index) => hasTangent[index])], {
      name: taken.name,
      residuals: kept.length,
      types: outputs.filter((_, index) => moving[index]),
      backward: halves.backward,
      axes: site.axes,
    });
    return [...results.slice(0, outputs.length), ...moved];
  });
  return { program, moving };
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | null = null;
  return () => (made ??= { value: make() }).value;
}
