// Programs for parts of one machine: nobody says what is split, so the rows of its largest products are, wherever in loops
// and branches they are, as far as that pays.
import type { ScanParams } from "../control/scanParams.js";
import { subPrograms, type Equation, type Program, type Variable } from "../core/program.js";
import { sizeOf } from "../core/shape.js";
import type { DotParams } from "../primitives/dot.js";
import { wholeLayout, type Layout, type NamedAxis } from "../sharding/axes.js";
import { costOf, unknownTurns, type Costs } from "./costs.js";
import { splitProgram } from "./partition.js";

/** Parts should have so many rows of a product each. */
const leastRows = 8;
/** So many kinds of products are looked at. */
const mostKinds = 4;

export interface DividedProgram {
  readonly program: Program;
  readonly axes: readonly NamedAxis[];
}

/** A product, and how many multiplications it is in all. */
interface Found {
  readonly result: Variable;
  readonly rows: number;
  readonly turns: number;
  readonly work: number;
}

/**
 * The program of each of up to so many parts, under which it costs least: inputs and outputs all parts have whole. Null
 * where one part alone is as good.
 */
export function divideProgram(program: Program, most: number, costs: Costs): DividedProgram | null {
  const kinds = kindsOf(productsIn(program, 1));
  if (kinds.length === 0) return null;
  const fitting = Math.floor(kinds[0].rows / leastRows);
  const size = 2 ** Math.floor(Math.log2(Math.min(most, Math.max(1, fitting))));
  if (size < 2) return null;
  const axes = [{ name: "parts", size }];
  const whole = (values: readonly { readonly type: { readonly shape: readonly number[] } }[]) =>
    values.map(({ type: { shape } }) => wholeLayout(shape.length));
  const split = (within: ReadonlyMap<Variable, Layout>): Program =>
    splitProgram(program, {
      axes,
      inputs: whole(program.inputs),
      outputs: whole(program.outputs),
      within,
    }).program;
  let best: { readonly program: Program | null; readonly cost: number } = {
    program: null,
    cost: costOf(program, costs),
  };
  let chosen = new Map<Variable, Layout>();
  for (const { result } of kinds) {
    if (result.type.shape[0] % size !== 0) continue;
    const layout = result.type.shape.map((_, dimension) => (dimension === 0 ? ["parts"] : []));
    const tried = new Map([...chosen, [result, layout]]);
    const divided = split(tried);
    const cost = costOf(divided, costs);
    if (cost >= best.cost) continue;
    best = { program: divided, cost };
    chosen = tried;
  }
  return best.program === null ? null : { program: best.program, axes };
}

function productsIn(program: Program, turns: number): Found[] {
  return program.equations.flatMap((equation): Found[] => [
    ...productOf(equation, turns),
    ...subPrograms(equation).flatMap((inner) => productsIn(inner, turns * turnsOf(equation))),
  ]);
}

function turnsOf({ primitive, params }: Equation): number {
  if (primitive.name === "scan") return (params as ScanParams).length;
  return primitive.name === "while" ? unknownTurns : 1;
}

function productOf({ primitive, params, inputs, outputs: [result] }: Equation, turns: number): Found[] {
  if (primitive.name !== "dot" || result.type.shape.length < 2) return [];
  const { contract, batch } = params as DotParams;
  if (batch[0].length > 0) return [];
  const depth = contract[0].reduce((product, axis) => product * inputs[0].type.shape[axis], 1);
  return [{ result, rows: result.type.shape[0], turns, work: sizeOf(result.type.shape) * depth * turns }];
}

/** One product of each kind, those with most work in all first. */
function kindsOf(products: readonly Found[]): Found[] {
  const kinds = new Map<string, Found>();
  for (const product of products) {
    const key = `${product.rows} ${product.turns}`;
    const known = kinds.get(key);
    const work = product.work + (known?.work ?? 0);
    kinds.set(key, { ...(known ?? product), work });
  }
  return [...kinds.values()].sort((a, b) => b.work - a.work).slice(0, mostKinds);
}
