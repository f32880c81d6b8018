// Products of operands that are too large for fast memory: pieces of them are brought there one after the other.
import type {
  Address,
  CounterTerm,
  DotKernel,
  DotOperand,
  Expression,
  Place,
  Step,
  Store,
} from "../kernel.js";
import { expressionsBelow, rootsOf } from "../walk.js";
import { placeAt, type Shared } from "./shared.js";

/** Operands of more elements than `largest` are brought in pieces of up to so many rows. */
export interface Pieces {
  readonly largest: number;
  readonly rows: number;
}

/** What is used less often is as well read from where it is. */
const leastUses = 16;

/** The steps, with a loop around each product that has such operands. */
export function stageProducts(shared: Shared, steps: readonly Step[], pieces: Pieces): Step[] {
  const inside = (list: readonly Step[]) => stageProducts(shared, list, pieces);
  return steps.flatMap((step): Step[] => {
    switch (step.kind) {
      case "kernel": {
        const staged = step.kernel.kind === "dot" ? stage(shared, step.kernel, pieces) : null;
        return staged ?? [step];
      }
      case "loop":
        return [{ ...step, body: inside(step.body) }];
      case "while":
        return [{ ...step, test: inside(step.test), body: inside(step.body) }];
      case "branch":
        return [{ ...step, cases: step.cases.map(inside) }];
    }
  });
}

function stage(shared: Shared, kernel: DotKernel, pieces: Pieces): Step[] | null {
  const { batch, rows, columns, depth } = kernel;
  if (batch.length > 0 || rows.length !== 1 || columns.length !== 1 || depth.length !== 1) return null;
  if (Math.min(rows[0], columns[0], depth[0]) < leastUses) return null;
  const isLarge = (lines: number) => lines * depth[0] > pieces.largest;
  if (isLarge(rows[0]) && isOutermost(kernel.left, "free", rows[0], depth[0]))
    return byRows(shared, kernel, pieces);
  const areByDepth =
    isOutermost(kernel.left, "depth", depth[0], rows[0]) &&
    isOutermost(kernel.right, "depth", depth[0], columns[0]);
  const isLong = isLarge(rows[0]) || isLarge(columns[0]);
  return isLong && areByDepth && isPlain(kernel) ? byDepth(shared, kernel, pieces) : null;
}

/** Whether an operand lies without gaps, line by line along one of its axes. */
const isOutermost = (operand: DotOperand, axis: "free" | "depth", count: number, length: number): boolean => {
  const other = axis === "free" ? operand.depth[0] : operand.free[0];
  return operand[axis][0] === length && other === 1 && count > 1 && length > 1;
};

/** Whether nothing becomes of the sums. */
const isPlain = ({ stores }: DotKernel): boolean =>
  stores.every(
    ({ value, combine, guard, address }) =>
      value.kind === "reduced" && combine === "set" && guard === null && address.computed.length === 0,
  );

/** The largest number of lines up to a limit that all pieces can have; null where there is no fitting one. */
function lengthOf(count: number, most: number): number | null {
  for (let length = Math.min(most, count / 2); length >= most / 4; length--)
    if (Number.isInteger(length) && count % length === 0 && length % 4 === 0) return length;
  return null;
}

const kernelStep = (kernel: Extract<Step, { kind: "kernel" }>["kernel"]): Step => ({
  kind: "kernel",
  kernel,
});

/** A piece of an operand: where it is brought to, and the step that does. */
function bring(
  shared: Shared,
  operand: DotOperand,
  size: number,
  term: CounterTerm,
): { place: Place; step: Step } {
  const place = placeAt(shared.buffer("float32", size, "piece"));
  const { buffer, offset, counters } = operand;
  const from = { buffer, offset, counters: [...counters, term] };
  return { place, step: kernelStep({ kind: "copy", name: "piece", from, to: place, size }) };
}

function byRows(shared: Shared, kernel: DotKernel, pieces: Pieces): Step[] | null {
  const [count] = kernel.rows;
  const [length] = kernel.depth;
  const rows = lengthOf(count, pieces.rows);
  if (rows === null || expressionsBelow(rootsOf(kernel.stores)).some(({ kind }) => kind === "axis"))
    return null;
  const counter = shared.counter(count / rows);
  const { place, step } = bring(shared, kernel.left, rows * length, { counter, stride: rows * length });
  const moved = (address: Address): Address => {
    const stride = rows * address.strides[0];
    return stride === 0 ? address : { ...address, counters: [...address.counters, { counter, stride }] };
  };
  const piece = {
    ...kernel,
    rows: [rows],
    left: { ...kernel.left, ...place },
    stores: storesAt(kernel.stores, moved),
  };
  return [{ kind: "loop", counter, reverse: false, body: [step, kernelStep(piece)] }];
}

function byDepth(shared: Shared, kernel: DotKernel, pieces: Pieces): Step[] | null {
  const [count] = kernel.depth;
  const [rows, columns] = [kernel.rows[0], kernel.columns[0]];
  const depth = lengthOf(count, pieces.rows);
  if (depth === null) return null;
  const counter = shared.counter(count / depth);
  const left = bring(shared, kernel.left, depth * rows, { counter, stride: depth * rows });
  const right = bring(shared, kernel.right, depth * columns, { counter, stride: depth * columns });
  const piece = {
    ...kernel,
    depth: [depth],
    left: { ...kernel.left, ...left.place },
    right: { ...kernel.right, ...right.place },
    stores: kernel.stores.map((store) => ({ ...store, combine: "add" as const })),
  };
  const zero: Expression = { kind: "constant", id: 0, dtype: "float32", value: 0 };
  const zeros = kernelStep({
    ...{ kind: "loop", name: "zeros", extents: [rows, columns], outer: 2, reductions: [], after: [] },
    body: kernel.stores.map((store) => ({ ...store, value: zero })),
    order: "free",
  });
  return [zeros, { kind: "loop", counter, reverse: false, body: [left.step, right.step, kernelStep(piece)] }];
}

/** Stores of the same values at other places. */
function storesAt(stores: readonly Store[], moved: (address: Address) => Address): Store[] {
  const changed = new Map<Expression, Expression>();
  const of = (expression: Expression): Expression => changed.get(expression) ?? expression;
  const addressOf = (address: Address): Address => ({
    ...moved(address),
    computed: address.computed.map(({ index, stride }) => ({ index: of(index), stride })),
  });
  for (const expression of expressionsBelow(rootsOf(stores))) {
    if (expression.kind === "load") {
      const guard = expression.guard === null ? null : of(expression.guard);
      changed.set(expression, { ...expression, address: addressOf(expression.address), guard });
    } else if (expression.kind === "operation")
      changed.set(expression, { ...expression, inputs: expression.inputs.map(of) });
  }
  return stores.map((store) => ({
    ...store,
    value: of(store.value),
    guard: store.guard === null ? null : of(store.guard),
    address: addressOf(store.address),
  }));
}
