// Loops that do the same with other arrays, and need nothing of each other, as one loop: what their iterations do alike can be
// done at once then, and blocks of a GPU meet for all of them together. Networks are initialised by such loops, say.
import {
  hasEffect,
  mapSubPrograms,
  newVariable,
  substitute,
  type Atom,
  type Equation,
  type Program,
  type ScanParams,
} from "../../array/index.js";
import { programKey } from "../key.js";

/** Loops of more equations than this keep a machine busy by themselves. */
const fewEquations = 100;

/** A program whose small loops of one form are one loop each, those in loops and branches, too. */
export function joinSiblings(program: Program): Program {
  let equations: readonly Equation[] = program.equations.map((equation) =>
    mapSubPrograms(equation, joinSiblings),
  );
  for (;;) {
    const siblings = findSiblings(equations);
    if (siblings === null) return { ...program, equations };
    equations = withJoined(equations, siblings);
  }
}

const forms = new WeakMap<Equation, string | null>();

/** What loops have in common that can be one; null for what cannot. */
function formOf(equation: Equation): string | null {
  const known = forms.get(equation);
  if (known !== undefined) return known;
  const form = equation.primitive.name === "scan" && !hasEffect(equation) ? writeForm(equation) : null;
  forms.set(equation, form);
  return form;
}

function writeForm({ params }: Equation): string | null {
  const { body, ...others } = params as ScanParams;
  return body.equations.length > fewEquations ? null : `${JSON.stringify(others)} ${programKey(body)}`;
}

/** The first loops of one form of which none needs another one. */
function findSiblings(equations: readonly Equation[]): readonly Equation[] | null {
  const byForm = new Map<string, Equation[]>();
  for (const equation of equations) {
    const form = formOf(equation);
    if (form !== null) byForm.set(form, [...(byForm.get(form) ?? []), equation]);
  }
  const candidates = [...byForm.values()].filter(({ length }) => length > 1);
  if (candidates.length === 0) return null;
  const needed = loopsNeeded(equations, new Set(candidates.flat()));
  for (const alike of candidates) {
    const found: Equation[] = [];
    for (const one of alike) {
      const needs = needed.get(one);
      if (found.every((other) => needs?.has(other) !== true)) found.push(one);
    }
    if (found.length > 1) return found;
  }
  return null;
}

/** Of which of some loops others need results, directly or by what is between them. */
function loopsNeeded(
  equations: readonly Equation[],
  loops: ReadonlySet<Equation>,
): ReadonlyMap<Equation, ReadonlySet<Equation>> {
  const sources = new Map<Atom, ReadonlySet<Equation>>();
  const needed = new Map<Equation, ReadonlySet<Equation>>();
  for (const equation of equations) {
    const all = new Set(equation.inputs.flatMap((input) => [...(sources.get(input) ?? [])]));
    if (loops.has(equation)) needed.set(equation, all);
    const given = loops.has(equation) ? new Set([...all, equation]) : all;
    if (given.size > 0) for (const output of equation.outputs) sources.set(output, given);
  }
  return needed;
}

/** Equations with one loop for several of the same iterations, in the place of the last of them. */
export function withJoined(
  equations: readonly Equation[],
  siblings: readonly Equation[],
): readonly Equation[] {
  const isSibling = new Set(siblings);
  const last = equations.findLast((equation) => isSibling.has(equation));
  const before: Equation[] = [];
  const behind: Equation[] = [];
  // What comes later than it did, and what needs that.
  const late = new Set<Atom>();
  for (const equation of equations) {
    if (equation === last) {
      before.push(joined(siblings), ...behind.splice(0));
      late.clear();
    } else if (isSibling.has(equation) || equation.inputs.some((input) => late.has(input))) {
      for (const output of equation.outputs) late.add(output);
      if (!isSibling.has(equation)) behind.push(equation);
    } else before.push(equation);
  }
  return before;
}

/** What all of some lists have of each role, one list after the other: roles of a list end at its own ends. */
const byRole = <T>(lists: readonly (readonly T[])[], ends: readonly (readonly number[])[]): T[] =>
  ends[0].flatMap((_, role) =>
    lists.flatMap((list, which) => list.slice(role === 0 ? 0 : ends[which][role - 1], ends[which][role])),
  );

/** Several loops of the same iterations as one. */
function joined(siblings: readonly Equation[]): Equation {
  const [first] = siblings;
  const all = siblings.map(({ params }) => params as ScanParams);
  const bodies = all.map(({ body }) => copied(body));
  const ofInputs = all.map(({ constants, carries }, at) => [
    constants,
    constants + carries,
    siblings[at].inputs.length,
  ]);
  const ofOutputs = all.map(({ carries }, at) => [carries, siblings[at].outputs.length]);
  const sumOf = (count: (params: ScanParams) => number) =>
    all.reduce((sum, params) => sum + count(params), 0);
  return {
    ...first,
    inputs: byRole(
      siblings.map(({ inputs }) => inputs),
      ofInputs,
    ),
    outputs: byRole(
      siblings.map(({ outputs }) => outputs),
      ofOutputs,
    ),
    params: {
      ...all[0],
      constants: sumOf(({ constants }) => constants),
      carries: sumOf(({ carries }) => carries),
      body: {
        inputs: byRole(
          bodies.map(({ inputs }) => inputs),
          ofInputs,
        ),
        equations: bodies.flatMap(({ equations }) => equations),
        outputs: byRole(
          bodies.map(({ outputs }) => outputs),
          ofOutputs,
        ),
      },
    } satisfies ScanParams,
  };
}

/** The same program with variables of its own: loops may have had one body. */
function copied(program: Program): Program {
  const inputs = program.inputs.map(({ type }) => newVariable(type));
  return { inputs, ...substitute(program, inputs) };
}
