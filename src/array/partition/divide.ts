// Programs for parts of one machine: nobody says what is split, so its largest products and what is computed element by
// element are, wherever in loops and branches they are, as far as that pays.
import type { ScanParams } from "../control/scanParams.js";
import { subPrograms, type Atom, type Equation, type Program, type Variable } from "../core/program.js";
import type { Shape } from "../core/shape.js";
import type { DotParams } from "../primitives/dot.js";
import { countAlong, wholeLayout, type Layout, type NamedAxis } from "../sharding/axes.js";
import { isElementwise } from "./elementwise.js";
import { costOf, unknownTurns, type Costs } from "./costs.js";
import { withOwnConstants } from "./ownConstants.js";
import { splitProgram, type SplitProgram } from "./partition.js";
import { withVectors } from "./vectors.js";

/** Parts should have so many rows of a product each. */
const leastRows = 8;
/** Shares of a vector are whole groups of so many elements, which are read and written at once. */
const quad = 4;
/** So many ways to divide it are tried. */
const mostTries = 12;
/** What costs hardly less is not worth a meeting more. */
const worthwhile = 0.98;

export interface DividedProgram {
  readonly program: Program;
  readonly axes: readonly NamedAxis[];
}

/** What a program is divided over. */
export interface Machine {
  /** Parts that there are. */
  readonly most: number;
  /** So many of them meet for less than others. */
  readonly near: number;
  /** Prices where so many parts take part. */
  readonly costs: (parts: number) => Costs;
}

/** Values of one shape that are computed equally often, and what all of them cost. */
interface Kind {
  readonly values: readonly Variable[];
  readonly shape: Shape;
  readonly isProduct: boolean;
  readonly cost: number;
  /** How often they are computed. */
  readonly turns: number;
}

/** A way to divide a program, and what it costs. */
interface Division extends DividedProgram {
  readonly cost: number;
  /** Whether parts have shares of vectors. */
  readonly sharesVectors: boolean;
}

/**
 * The program of each part of a machine, of as many of them as it costs least with: inputs and outputs all parts have whole.
 * Null where one part alone is as good.
 */
export function divideProgram(given: Program, machine: Machine): DividedProgram | null {
  const { most, near, costs } = machine;
  const program = withOwnConstants(given);
  const kinds = kindsIn(program, costs(1));
  const products = kinds.flatMap(({ isProduct, shape }) => (isProduct ? [shape] : []));
  if (products.length === 0) return null;
  const rows = products.map(([count]) => count);
  const size = powerBelow(Math.min(most, rows[0] / leastRows));
  let best: Division | null = null;
  const consider = (division: Division | null): void => {
    if (division !== null && (best === null || division.cost < best.cost)) best = division;
  };
  /** Whether so many parts can cost less than the best division so far: none of them does less than its share. */
  const isPromising = (parts: number): boolean =>
    best === null || costOf(program, costs(parts)) / parts < best.cost;
  if (size > 1) {
    // What an optimiser carries as one vector any number of parts can share.
    const vectors = withVectors(program, 2 * size * quad);
    const ofVectors = vectors.program === program ? kinds : kindsIn(vectors.program, costs(1));
    const divide = (parts: number, inOrder = (list: readonly Kind[]) => list) => {
      if (!isPromising(parts)) return;
      const axes = along("parts", parts);
      const shared = divideInto(vectors.program, inOrder(ofVectors), axes, machine, vectors.lengths);
      const isPlain = vectors.program === program || shared?.sharesVectors === true;
      consider(isPlain ? shared : divideInto(program, inOrder(kinds), axes, machine));
    };
    divide(size);
    // Twice as many may be better where they still meet for less.
    const twice = 2 * size;
    if (twice <= Math.min(most, near) && rows[0] % twice === 0) divide(twice);
    // Half as many may be better where another product has just so many rows, and is computed more often.
    if (size > 2 && rows.some((count) => count % size === size / 2))
      divide(size / 2, (list) => list.toSorted(byTurns));
  }
  for (const count of new Set([most, Math.min(most, near)])) {
    const axes = meshFor(products[0], count);
    if (axes !== null && isPromising(countAlong(axes))) consider(divideInto(program, kinds, axes, machine));
  }
  return best;
}

const powerBelow = (count: number): number => 2 ** Math.floor(Math.log2(Math.max(1, count)));

const along = (name: string, size: number): readonly NamedAxis[] => [{ name, size }];

/** Products of so many columns are worth being divided along them, too: each part has some columns of all weights. */
const wide = 128;
/** Columns that parts should have of such a product. */
const leastColumns = 16;

/** Up to so many parts along both the rows and the columns of a product, about as many of either; null for none. */
function meshFor([rows, columns]: Shape, most: number): readonly NamedAxis[] | null {
  if (columns < wide) return null;
  const even = 2 ** Math.round(Math.log2((most * columns) / rows) / 2);
  const across = powerBelow(Math.min(even, columns / leastColumns));
  const down = powerBelow(Math.min(most / across, rows / leastRows));
  return across < 2 || down < 2 || columns % across !== 0 || rows % down !== 0
    ? null
    : [
        { name: "rows", size: down },
        { name: "columns", size: across },
      ];
}

const byTurns = (a: Kind, b: Kind): number =>
  Number(b.isProduct) - Number(a.isProduct) || b.turns - a.turns || b.cost - a.cost;

/**
 * The program of each part along axes; null where none costs less than the whole. Kinds are tried in their order. Sharing vectors
 * need not be worth more than its meetings: it spares memory, too.
 */
function divideInto(
  program: Program,
  kinds: readonly Kind[],
  axes: readonly NamedAxis[],
  machine: Machine,
  vectors: ReadonlySet<number> = new Set(),
): Division | null {
  const costs = machine.costs(countAlong(axes));
  const whole = (values: readonly { readonly type: { readonly shape: Shape } }[]) =>
    values.map(({ type: { shape } }) => wholeLayout(shape.length));
  const split = (within: ReadonlyMap<Variable, Layout>): SplitProgram =>
    splitProgram(program, {
      axes,
      inputs: whole(program.inputs),
      outputs: whole(program.outputs),
      within,
    });
  let best: SplitProgram | null = null;
  let least = costOf(program, costs);
  let chosen: ReadonlyMap<Variable, Layout> = new Map();
  const attempt = (tried: ReadonlyMap<Variable, Layout>, share = worthwhile): void => {
    const divided = split(tried);
    const own = costOf(divided.program, costs);
    if (own < share * least) [best, least, chosen] = [divided, own, tried];
  };
  const layoutNow = (value: Variable): Layout =>
    best?.layoutOf(value) ?? wholeLayout(value.type.shape.length);
  const isVector = (shape: Shape) => shape.length === 1 && vectors.has(shape[0]);
  let tries = 0;
  // Parameters that an optimiser's parts have updated may be worth gathering at once rather than wherever they are used.
  const kept = carriesOfOthers(program);
  const keptOf = (shape: Shape) => kept.filter(({ type }) => type.shape.join() === shape.join());
  for (const { values, shape, cost, isProduct } of kinds) {
    const layout = layoutFor(shape, axes);
    const left = values.filter((value) => isWhole(layoutNow(value)));
    const gain = (cost * left.length) / values.length;
    const enough = isVector(shape) ? 1 : worthwhile;
    if (layout === null || gain < costs.meeting + (1 - enough) * least) continue;
    if (++tries > mostTries) break;
    const together = new Map([...chosen, ...left.map((value) => [value, layout] as const)]);
    const pinned = isProduct ? [] : keptOf(shape);
    attempt(together, enough);
    if (pinned.length > 0)
      attempt(new Map([...together, ...pinned.map((value) => [value, wholeLayout(shape.length)] as const)]));
  }
  // What is divided along some axes alone, as weights are, an optimiser may divide along the others, too.
  for (const { values, shape, cost, isProduct } of axes.length === 1 || best === null ? [] : kinds) {
    const further = new Map(
      values.flatMap((value) => {
        const layout = dividedFurther(layoutNow(value), shape, axes);
        return layout === null ? [] : [[value, layout] as const];
      }),
    );
    if (isProduct || cost * further.size < values.length * (costs.meeting + (1 - worthwhile) * least))
      continue;
    const pinned = keptOf(shape).map((value) => [value, layoutNow(value)] as const);
    attempt(new Map([...chosen, ...further, ...pinned]));
  }
  if (best === null) return null;
  const sharesVectors = [...chosen.keys()].some(({ type }) => isVector(type.shape));
  return { program: (best as SplitProgram).program, axes, cost: least, sharesVectors };
}

const isWhole = (layout: Layout): boolean => layout.every((names) => names.length === 0);

/** A layout along all axes, of one along some of them; null where there is none. */
function dividedFurther(layout: Layout, shape: Shape, axes: readonly NamedAxis[]): Layout | null {
  const left = axes.filter(({ name }) => !layout.flat().includes(name));
  if (isWhole(layout) || left.length === 0) return null;
  const further = layout.map((names) => [...names]);
  for (const { name, size } of left) {
    const dimension = shape.findIndex((extent, at) => extent % size === 0 && further[at].length === 0);
    if (dimension < 0) return null;
    further[dimension].push(name);
  }
  return further;
}

/** A layout of an array along axes, each of them along the first dimension that it divides; null where none does. */
function layoutFor(shape: Shape, axes: readonly NamedAxis[]): Layout | null {
  const layout = shape.map((): string[] => []);
  for (const { name, size } of axes) {
    const dimension = shape.findIndex(
      (extent, at) => extent > 0 && extent % size === 0 && layout[at].length === 0,
    );
    if (dimension >= 0) layout[dimension].push(name);
  }
  return layout.some((names) => names.length > 0) ? layout : null;
}

/** Kinds of values, those first that cost most. */
function kindsIn(program: Program, costs: Costs): Kind[] {
  const kinds = new Map<string, Kind>();
  const visit = ({ equations }: Program, turns: number): void => {
    for (const equation of equations) {
      const found = valueOf(equation, costs);
      if (found !== null) {
        const key = `${found.isProduct} ${found.shape.join()} ${turns} ${summedOver(equation)}`;
        const known = kinds.get(key);
        kinds.set(key, {
          ...found,
          values: [...(known?.values ?? []), ...found.values],
          cost: (known?.cost ?? 0) + turns * found.cost,
          turns,
        });
      }
      for (const inner of subPrograms(equation)) visit(inner, turns * turnsOf(equation));
    }
  };
  visit(program, 1);
  return [...kinds.values()].sort((a, b) => b.cost - a.cost);
}

/** What loops carry, as it comes and as it goes, if it is used otherwise than element by element. */
function carriesOfOthers({ equations }: Program): Variable[] {
  return equations.flatMap((equation) => {
    const inside = subPrograms(equation).flatMap(carriesOfOthers);
    if (equation.primitive.name !== "scan") return inside;
    const { body, constants, carries } = equation.params as ScanParams;
    const others = usedByOthers(body);
    const own = Array.from({ length: carries }, (_, index) => index)
      .filter((index) => others.has(body.inputs[constants + index]))
      .flatMap((index) => [body.inputs[constants + index], body.outputs[index]]);
    return [...inside, ...own.filter((atom) => atom.kind === "variable")];
  });
}

/** What a program uses otherwise than element by element. Loops use what they carry as their bodies do. */
function usedByOthers({ equations }: Program): Set<Atom> {
  const uses = equations.flatMap((equation): readonly Atom[] => {
    const { primitive, inputs, params } = equation;
    if (primitive.name !== "scan") return isElementwise(equation) ? [] : inputs;
    const { body, constants, carries } = params as ScanParams;
    const inside = usedByOthers(body);
    return inputs.filter(
      (_, index) => index < constants || index >= constants + carries || inside.has(body.inputs[index]),
    );
  });
  return new Set(uses);
}

/** The dimensions that a product sums over: gradients of weights are another kind than activations. */
const summedOver = ({ primitive, params }: Equation): string =>
  primitive.name === "dot" ? (params as DotParams).contract[0].join() : "";

function turnsOf({ primitive, params }: Equation): number {
  if (primitive.name === "scan") return (params as ScanParams).length;
  return primitive.name === "while" ? unknownTurns : 1;
}

/** The result of a product or of an elementwise operation, of arrays all. */
function valueOf(equation: Equation, costs: Costs): Kind | null {
  const { primitive, outputs } = equation;
  if (outputs.length === 0 || subPrograms(equation).length > 0) return null;
  const [{ type }, ...others] = outputs;
  const { shape } = type;
  const isLike = (value: { readonly type: { readonly shape: Shape } }) =>
    value.type.shape.join() === shape.join();
  if (shape.length === 0 || !others.every(isLike)) return null;
  const cost = costOf({ inputs: [], equations: [equation], outputs: [] }, costs);
  if (primitive.name === "dot") {
    const { batch } = equation.params as DotParams;
    return shape.length < 2 || batch[0].length > 0
      ? null
      : { values: outputs, shape, isProduct: true, cost, turns: 1 };
  }
  return isElementwise(equation) ? { values: outputs, shape, isProduct: false, cost, turns: 1 } : null;
}
