// Sums and gathers over the same devices that do not wait for each other become one: devices meet once for all of them.
import type { CollectiveParams, TiledParams } from "../primitives/collectives.js";
import { allGather, pmax, pmin, psum, psumScatter } from "../primitives/collectives.js";
import { mapSubPrograms, type Equation, type Program, type Variable } from "../core/program.js";

const joinable = new Set<unknown>([psum, pmax, pmin, allGather, psumScatter]);

const isJoinable = ({ primitive }: Equation): boolean => joinable.has(primitive);

function keyOf({ primitive, params }: Equation): string {
  const { axes, axis } = params as CollectiveParams & Partial<TiledParams>;
  return `${primitive.name} ${axes.join()} ${axis ?? ""}`;
}

/** The program with independent sums over the same axes joined, in loops and branches, too. */
export function joinCollectives(program: Program): Program {
  const equations: Equation[] = [];
  /** Sums that are put off, and what came after them and waits for them. */
  let waiting: Equation[] = [];
  let delayed: Equation[] = [];
  const missing = new Set<Variable>();
  const flush = (): void => {
    for (const group of groupsOf(waiting)) equations.push(joined(group));
    const later = delayed;
    [waiting, delayed] = [[], []];
    missing.clear();
    later.forEach(add);
  };
  const add = (equation: Equation): void => {
    const waits = equation.inputs.some((input) => input.kind === "variable" && missing.has(input));
    if (isJoinable(equation) && !waits) {
      waiting.push(equation);
      equation.outputs.forEach((output) => missing.add(output));
    } else if (waits) {
      delayed.push(equation);
      equation.outputs.forEach((output) => missing.add(output));
    } else equations.push(mapSubPrograms(equation, joinCollectives));
  };
  program.equations.forEach(add);
  while (waiting.length > 0) flush();
  return { ...program, equations };
}

function groupsOf(equations: readonly Equation[]): Equation[][] {
  const groups = new Map<string, Equation[]>();
  for (const equation of equations) {
    const key = keyOf(equation);
    groups.set(key, [...(groups.get(key) ?? []), equation]);
  }
  return [...groups.values()];
}

const joined = (group: readonly Equation[]): Equation => ({
  ...group[0],
  inputs: group.flatMap(({ inputs }) => inputs),
  outputs: group.flatMap(({ outputs }) => outputs),
});

/** The program with each sum by itself again, but for those in loops and branches. */
export const separateCollectives = (program: Program): Program => ({
  ...program,
  equations: program.equations.flatMap((equation) =>
    isJoinable(equation)
      ? equation.outputs.map((output, at) => ({
          ...equation,
          inputs: [equation.inputs[at]],
          outputs: [output],
        }))
      : [equation],
  ),
});
