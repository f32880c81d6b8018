// What a loop does with several arrays alike, element by element, and with nothing that belongs to another of them: as an optimiser does
// with the parameters of a network.
import type { ScanParams } from "../control/scanParams.js";
import type { Atom, Equation, Program, Variable } from "../core/program.js";
import { sizeOf, type Shape } from "../core/shape.js";
import { isElementwise } from "./elementwise.js";

/** What is done with the arrays of one shape that are computed with each other. */
export interface Member {
  readonly shape: Shape;
  /** In an order that is the same for all members of a family. */
  readonly equations: readonly Equation[];
}

/** Members that do the same. */
export interface Family {
  readonly members: readonly Member[];
  /** What members compute with and do not compute: for each role, the value of each member. */
  readonly roles: readonly (readonly Variable[])[];
}

/** The families of at least two members in the body of a loop that have something to do with what it carries. */
export function familiesIn(body: Program, { constants, carries }: ScanParams): Family[] {
  const carried = new Set<Atom>(body.inputs.slice(constants, constants + carries));
  const byKey = new Map<string, Described[]>();
  const numbers = new Map<string, number>();
  for (const equations of componentsIn(body.equations)) {
    const one = describe(equations, carried, numbers);
    if (one === null || !one.roles.some(({ value }) => carried.has(value))) continue;
    byKey.set(one.key, [...(byKey.get(one.key) ?? []), one]);
  }
  return (
    [...byKey.values()]
      .filter(({ length }) => length > 1)
      // What is not whole quads comes last, so that all else begins where quads begin.
      .map((all) => all.toSorted((a, b) => Number(isOdd(a)) - Number(isOdd(b))))
      .map((all) => ({
        members: all.map(({ equations }) => ({ shape: equations[0].outputs[0].type.shape, equations })),
        roles: all[0].roles.map((_, at) => all.map(({ roles }) => roles[at].value)),
      }))
  );
}

const isOdd = ({ equations }: Described): boolean => sizeOf(equations[0].outputs[0].type.shape) % 4 !== 0;

const isArray = ({ type }: Atom): boolean => type.shape.length > 0;

/** Elementwise equations in groups that have no arrays in common. */
function componentsIn(equations: readonly Equation[]): Equation[][] {
  const parents = new Map<Atom, Atom>();
  const rootOf = (atom: Atom): Atom => {
    let root = atom;
    for (let next = parents.get(root); next !== undefined; next = parents.get(root)) root = next;
    if (root !== atom) parents.set(atom, root);
    return root;
  };
  const elementwise = equations.filter(
    (one) => one.outputs.length === 1 && isArray(one.outputs[0]) && isElementwise(one),
  );
  for (const { inputs, outputs } of elementwise) {
    for (const input of inputs.filter(isArray)) {
      const [a, b] = [rootOf(input), rootOf(outputs[0])];
      if (a !== b) parents.set(a, b);
    }
  }
  const groups = new Map<Atom, Equation[]>();
  for (const one of elementwise) {
    const root = rootOf(one.outputs[0]);
    groups.set(root, [...(groups.get(root) ?? []), one]);
  }
  return [...groups.values()];
}

/** A member with what it has in common with others like it. */
interface Described {
  readonly key: string;
  readonly equations: readonly Equation[];
  readonly roles: readonly { readonly name: string; readonly value: Variable }[];
}

/** Null for what does the same thing twice: nobody could tell which is which. */
function describe(
  equations: readonly Equation[],
  carried: ReadonlySet<Atom>,
  numbers: Map<string, number>,
): Described | null {
  const numberOf = (text: string): number => {
    const number = numbers.get(text) ?? numbers.size;
    numbers.set(text, number);
    return number;
  };
  const made = new Map<Atom, number>();
  const named = new Map<number, Equation>();
  const uses = new Map<Variable, string[]>();
  for (const one of equations) {
    const { primitive, params, inputs, outputs } = one;
    const operands = inputs.map((input) => {
      if (input.kind === "literal") return `= ${input.value} ${input.type.dtype}`;
      if (!isArray(input)) return `scalar ${input.id}`;
      return made.has(input) ? `made ${made.get(input)}` : carried.has(input) ? "carried" : "given";
    });
    const number = numberOf(
      [primitive.name, JSON.stringify(params), outputs[0].type.dtype, ...operands].join(" | "),
    );
    if (named.has(number)) return null;
    named.set(number, one);
    made.set(outputs[0], number);
    inputs.forEach((input, at) => {
      if (input.kind === "literal" || !isArray(input) || made.has(input)) return;
      uses.set(input, [...(uses.get(input) ?? []), `${number}.${at}`]);
    });
  }
  const roles = [...uses]
    .map(([value, list]) => ({ name: `${value.type.dtype} ${list.join()}`, value }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  if (new Set(roles.map(({ name }) => name)).size < roles.length) return null;
  const ordered = [...named].sort(([a], [b]) => a - b);
  const key = [...ordered.map(([number]) => number), ...roles.map(({ name }) => name)].join(" ");
  return { key, equations: ordered.map(([, one]) => one), roles };
}
