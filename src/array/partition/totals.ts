// Sums over all that several arrays hold, which can be one sum where the arrays are one vector.
import type { Atom, Equation, Program, Variable } from "../core/program.js";
import type { ReduceParams } from "../primitives/reduce.js";
import type { Family } from "./families.js";

/** Sums over all elements of something that each member of a family has, of which only their sum is used. */
export interface Total {
  readonly of: Variable;
  readonly sums: readonly Equation[];
  /** The sum of all. */
  readonly root: Variable;
}

export function totalsOf({ members }: Family, { equations, outputs }: Program): Total[] {
  const users = new Map<Atom, Equation[]>();
  for (const one of equations)
    for (const input of new Set(one.inputs)) users.set(input, [...(users.get(input) ?? []), one]);
  const results = new Set(outputs);
  const onlyUser = (value: Variable): Equation | null => {
    const [user = null, ...others] = users.get(value) ?? [];
    return others.length > 0 || results.has(value) ? null : user;
  };
  const makers = new Map<Atom, Equation>(
    equations.flatMap((one) => one.outputs.map((output) => [output, one])),
  );
  const isAdding = (one: Equation | null | undefined): one is Equation =>
    one?.primitive.name === "add" && one.outputs[0].type.shape.length === 0;
  const rootOf = (sum: Equation): Equation => {
    const user = onlyUser(sum.outputs[0]);
    return isAdding(user) ? rootOf(user) : sum;
  };
  /** What is added up, null for what is used elsewhere, too, or comes from outside. */
  const termsOf = (sum: Equation): (Equation | null)[] => {
    if (!isAdding(sum)) return [sum];
    return sum.inputs.flatMap((input) => {
      const maker = makers.get(input);
      return maker !== undefined && onlyUser(input as Variable) === sum ? termsOf(maker) : [null];
    });
  };
  return members[0].equations.flatMap(({ outputs: [value] }, which): Total[] => {
    const sums = members.map((member) =>
      (users.get(member.equations[which].outputs[0]) ?? []).filter(
        ({ primitive, params, inputs }) =>
          primitive.name === "reduceSum" &&
          (params as ReduceParams).axes.length === inputs[0].type.shape.length,
      ),
    );
    if (!sums.every(({ length }) => length === 1)) return [];
    const all = sums.flat();
    const root = rootOf(all[0]);
    const terms = termsOf(root);
    const isAll = terms.length === all.length && all.every((sum) => terms.includes(sum));
    return isAll ? [{ of: value, sums: all, root: root.outputs[0] }] : [];
  });
}
