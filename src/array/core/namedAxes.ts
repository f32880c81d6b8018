// Axes that have a name while a function is traced or vectorised: those of `vmap` with an axisName and of shardMap.
import type { NamedAxis } from "../sharding/axes.js";
import { describe, fail } from "./errors.js";
import { subPrograms, type Equation, type Program } from "./program.js";

interface AxisState {
  /** The axes that collectives may name, outermost first. */
  readonly bound: readonly NamedAxis[];
  /** The name of the axis that a Program is being vectorised over, if it has one. */
  readonly batching: string | null;
}

let state: AxisState = { bound: [], batching: null };

function during<T>(next: AxisState, work: () => T): T {
  const outer = state;
  state = next;
  try {
    return work();
  } finally {
    state = outer;
  }
}

/** The axes that collectives may name now, outermost first. */
export const boundAxes = (): readonly NamedAxis[] => state.bound;

/** The name of the axis that is being vectorised over now, or null. */
export const batchingAxis = (): string | null => state.batching;

/** Names without that of the axis that is being vectorised over. */
export const otherAxes = (names: readonly string[] = []): readonly string[] =>
  names.filter((name) => name !== state.batching);

/** Does work in which collectives may name these axes, too. */
export const withAxes = <T>(axes: readonly NamedAxis[], work: () => T): T =>
  during({ ...state, bound: [...state.bound, ...axes] }, work);

/** Vectorises over an axis: collectives that name it become operations on the batch. */
export const batchingOver = <T>(name: string | null, work: () => T): T =>
  during({ ...state, batching: name }, work);

/** For work that is put off: what runs it later with the axes of now. */
export function keepAxes(): <T>(work: () => T) => T {
  const kept = state;
  return (work) => during(kept, work);
}

/** Refuses names that are no names, or belong to an axis around this one. */
export function checkNewAxis(operation: string, name: unknown): void {
  if (typeof name !== "string" || name === "") {
    fail(operation, `the name of an axis must be a string such as "batch", got ${describe(name)}`);
  }
  if (state.bound.some((axis) => axis.name === name)) {
    fail(operation, `the axis name "${name}" is that of an axis around it already; choose another one`);
  }
}

/** The extent of a bound axis. */
export function sizeOfAxis(operation: string, name: string): number {
  const found = state.bound.find((axis) => axis.name === name);
  if (found !== undefined) return found.size;
  const names = state.bound.map((axis) => `"${axis.name}"`).join(", ");
  return fail(
    operation,
    `there is no axis ${describe(name)} here; ${names === "" ? "none is named" : `the named ones are ${names}`}. ` +
      `Name one with vmap(f, inAxes, outAxes, { axisName }), or use shardMap on a mesh that has it`,
  );
}

/** The names around that of the axis which is being vectorised over, or null if it is not among them. */
export function namesAround(
  operation: string,
  names: readonly string[],
): { readonly before: NamedGroup; readonly after: NamedGroup } | null {
  const at = names.findIndex((name) => name === state.batching);
  if (at < 0) return null;
  const group = (axes: readonly string[]): NamedGroup => ({
    axes,
    size: axes.reduce((size, name) => size * sizeOfAxis(operation, name), 1),
  });
  return { before: group(names.slice(0, at)), after: group(names.slice(at + 1)) };
}

/** Axes, and how many examples or devices there are along them. */
export interface NamedGroup {
  readonly axes: readonly string[];
  readonly size: number;
}

const used = new WeakMap<Program, ReadonlySet<string>>();

/** The named axes that a Program's equations work along. */
function axesUsed(program: Program): ReadonlySet<string> {
  const known = used.get(program);
  if (known !== undefined) return known;
  const found = new Set<string>();
  for (const equation of program.equations) {
    for (const name of equation.primitive.axes?.(equation.params) ?? []) found.add(name);
    for (const inner of subPrograms(equation)) for (const name of axesUsed(inner)) found.add(name);
  }
  used.set(program, found);
  return found;
}

/** Whether an equation, or one inside it, works along an axis. */
export const usesAxis = (equation: Equation, name: string): boolean =>
  equation.primitive.axes?.(equation.params).includes(name) === true ||
  subPrograms(equation).some((program) => axesUsed(program).has(name));
