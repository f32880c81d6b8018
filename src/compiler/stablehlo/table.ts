// The rule of every primitive, and what has none.
import type { Equation } from "../../array/index.js";
import type { PrimitiveName } from "../primitives/index.js";
import { collectives } from "./collectives.js";
import { control } from "./control.js";
import { elementwise } from "./elementwise.js";
import { indexing } from "./indexing.js";
import { printing } from "./printing.js";
import { products } from "./products.js";
import { reductions } from "./reductions.js";
import type { Rule } from "./rule.js";
import { shardings } from "./shardings.js";
import { sorting } from "./sort.js";
import { views } from "./views.js";

/** Written out by the array language before programs get here. */
const gone: Rule = (_context, { primitive }) => {
  throw new Error(`${primitive.name} is written out before programs are compiled; this is a bug in vibe-rl`);
};

/** A primitive that is missing here is an error of types. */
export const stablehloRules: Readonly<Record<PrimitiveName, Rule>> = {
  ...elementwise,
  ...views,
  ...reductions,
  ...products,
  ...indexing,
  ...sorting,
  ...control,
  ...printing,
  ...collectives,
  ...shardings,
  call: gone,
  checkpoint: gone,
  reverseOnly: gone,
  constant: gone,
};

const byName = new Map<string, Rule>(Object.entries(stablehloRules));

/** How an equation is written. */
export function ruleOf({ primitive }: Equation): Rule {
  const found = byName.get(primitive.name);
  if (found === undefined) throw new Error(`StableHLO has no rule for the primitive ${primitive.name}`);
  return found;
}
