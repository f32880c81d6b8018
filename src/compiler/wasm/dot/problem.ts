// Products as the renderer sees them: axes with their steps in both operands, which of them vectors run along, and
// what is packed beforehand.
import type { DotKernel, DotOperand } from "../../kernel.js";
import { loadsIn, rootsOf } from "../../plan/accesses.js";

/** Rows and vectors of a tile. */
export const tileRows = 4;
export const tileVectors = 2;
export const panelColumns = tileVectors * 4;
/** Rows of the left operand that stay in the cache while all panels pass. */
export const blockRows = 96;

/** An axis of the product, with its steps in bytes in either operand. */
export interface Axis {
  readonly extent: number;
  /** The axis of the kernel's points that it is; -1 for the depth. */
  readonly point: number;
  readonly left: number;
  readonly right: number;
}

export interface Problem {
  readonly batch: readonly Axis[];
  readonly rows: readonly Axis[];
  readonly columns: readonly Axis[];
  readonly depth: readonly Axis[];
  readonly left: DotOperand;
  readonly right: DotOperand;
}

export const extentOf = (axes: readonly Axis[]): number =>
  axes.reduce((product, { extent }) => product * extent, 1);
export const lastOf = (axes: readonly Axis[]): Axis => axes[axes.length - 1];

/** Elements of float32 that a product's panels take. */
export function dotScratch(kernel: Omit<DotKernel, "scratch">): number {
  const problem = problemOf(kernel);
  const method = methodOf(problem);
  const depth = extentOf(problem.depth);
  const columns = lastOf(problem.columns)?.extent ?? 1;
  if (method === "deep") return columns * Math.ceil(depth / 4) * 4;
  return (method === "packed" ? rightPanels(problem) : 0) + (packsLeft(problem) ? depth * blockRows : 0);
}

/** Elements of the right operand in panels, and what is read beyond them. */
export const rightPanels = ({ depth, columns }: Problem): number =>
  extentOf(depth) * Math.ceil((lastOf(columns)?.extent ?? 1) / panelColumns) * panelColumns + 8;

/** Whether rows that lie next to each other are far apart from step to step, so that they fall out of the cache. */
export function packsLeft({ rows, columns, depth }: Problem): boolean {
  const [row, column] = [lastOf(rows), lastOf(columns)];
  if (depth.length !== 1 || row === undefined || column === undefined) return false;
  return (
    row.left === 4 && row.extent >= tileRows && depth[0].left >= 256 && column.extent >= 4 * panelColumns
  );
}

/** How a product is computed: in tiles from where the operands are, from packed panels, or along the depth. */
export function methodOf({ rows, columns, depth }: Problem): "direct" | "packed" | "deep" {
  const isNarrow = extentOf(columns) < 4;
  // Few columns and a depth in order: vectors run along the depth instead.
  if (isNarrow && columns.length <= 1 && depth.length === 1 && depth[0].left === 4 && depth[0].extent >= 16) {
    return "deep";
  }
  const isInOrder = columns.length === 0 || lastOf(columns).right === 4;
  const step = lastOf(depth)?.right ?? 0;
  const collides = !isNarrow && extentOf(rows) >= 8 && step >= 512;
  return isInOrder && !collides ? "direct" : "packed";
}

/** The problem that a kernel poses. */
export const problemOf = (kernel: Omit<DotKernel, "scratch">): Problem => orient(asGiven(kernel));

function asGiven({ batch, rows, columns, depth, left, right, stores }: Omit<DotKernel, "scratch">): Problem {
  const axes = (
    extents: readonly number[],
    first: number,
    lefts: readonly number[],
    rights: readonly number[],
  ): Axis[] =>
    extents.map((extent, at) => ({
      extent,
      point: first < 0 ? -1 : first + at,
      left: (lefts[at] ?? 0) * 4,
      right: (rights[at] ?? 0) * 4,
    }));
  // Axes that all accesses walk as one become one.
  const collapse = (list: readonly Axis[]): Axis[] => {
    const joined: Axis[] = [];
    for (const axis of [...list].reverse()) {
      const inner = joined[0] as Axis | undefined;
      const continues =
        inner !== undefined &&
        axis.left === inner.left * inner.extent &&
        axis.right === inner.right * inner.extent &&
        (axis.point < 0 || stores.every((store) => continuesIn(store, axis, inner)));
      if (axis.extent === 1) continue;
      if (continues) joined[0] = { ...inner, extent: inner.extent * axis.extent };
      else joined.unshift(axis);
    }
    return joined;
  };
  return {
    batch: axes(batch, 0, left.batch, right.batch).filter(({ extent }) => extent > 1),
    rows: collapse(axes(rows, batch.length, left.free, [])),
    columns: collapse(axes(columns, batch.length + rows.length, [], right.free)),
    depth: collapse(axes(depth, -1, left.depth, right.depth)),
    left,
    right,
  };
}

/** Whether everything a store touches goes on from one axis to the next. */
function continuesIn(store: DotKernel["stores"][number], outer: Axis, inner: Axis): boolean {
  const addresses = [store.address, ...loadsIn(rootsOf([store]))];
  return addresses.every(({ strides }) => strides[outer.point] === strides[inner.point] * inner.extent);
}

/** Exchanges rows and columns where vectors run better along the rows. */
function orient(problem: Problem): Problem {
  const { rows, columns, left, right } = problem;
  const isNarrow = extentOf(columns) < 4;
  const hasRowsInOrder = rows.length > 0 && lastOf(rows).left === 4 && lastOf(rows).extent >= 4;
  if (!isNarrow || !hasRowsInOrder) return problem;
  const flip = (axes: readonly Axis[]) =>
    axes.map((axis) => ({ ...axis, left: axis.right, right: axis.left }));
  return {
    batch: flip(problem.batch),
    rows: flip(columns),
    columns: flip(rows),
    depth: flip(problem.depth),
    left: right,
    right: left,
  };
}
