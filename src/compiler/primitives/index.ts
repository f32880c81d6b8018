// Every primitive, with all that the compiler knows of it.
import type { Equation } from "../../array/index.js";
import { choices } from "./choices.js";
import { elementwiseCosts, type ElementwiseName } from "./elementwise.js";
import { entry, type PrimitiveEntry } from "./entry.js";
import { reductions } from "./reductions.js";
import { steps } from "./steps.js";
import { views } from "./views.js";

export type { ElementwiseName } from "./elementwise.js";
export { smallExtent, type Form, type PrimitiveEntry } from "./entry.js";

const elementwise = Object.fromEntries(
  Object.entries(elementwiseCosts).map(([name, cost]) => [
    name,
    entry({ cost, operation: name as ElementwiseName, isInlineable: () => true }),
  ]),
) as Record<ElementwiseName, PrimitiveEntry>;

/** Written out by the array language before programs are compiled, or dropped when they are simplified. */
const gone = entry({});
const expanded = {
  call: gone,
  checkpoint: gone,
  reverseOnly: gone,
  constant: gone,
  shardMap: gone,
  shardingConstraint: gone,
};

export const primitiveEntries = {
  ...elementwise,
  ...views,
  ...choices,
  ...reductions,
  ...steps,
  ...expanded,
};

export type PrimitiveName = keyof typeof primitiveEntries;

const byName = new Map<string, PrimitiveEntry>(Object.entries(primitiveEntries));

/** What the compiler knows of an equation's primitive. */
export function entryOf({ primitive }: Pick<Equation, "primitive">): PrimitiveEntry {
  const found = byName.get(primitive.name);
  if (found === undefined) throw new Error(`the compiler does not know the primitive ${primitive.name}`);
  return found;
}

/** Whether an equation's result can be written out where it is used. */
export const isInlineable = (equation: Equation): boolean => entryOf(equation).isInlineable(equation);
