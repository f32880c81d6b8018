// Products as renderers see them: axes that all accesses walk as one are one, and each has its steps in either operand.
import type { DotKernel, DotOperand } from "../kernel.js";
import { loadsIn, rootsOf } from "../walk.js";

/** An axis of a product. */
export interface ProductAxis {
  readonly extent: number;
  /** The axis of the kernel's points that it is; -1 for the depth. */
  readonly point: number;
  /** Elements from step to step in either operand. */
  readonly left: number;
  readonly right: number;
}

export interface Product {
  readonly batch: readonly ProductAxis[];
  readonly rows: readonly ProductAxis[];
  readonly columns: readonly ProductAxis[];
  readonly depth: readonly ProductAxis[];
  readonly left: DotOperand;
  readonly right: DotOperand;
}

export const extentOf = (axes: readonly ProductAxis[]): number =>
  axes.reduce((product, { extent }) => product * extent, 1);
export const lastOf = (axes: readonly ProductAxis[]): ProductAxis => axes[axes.length - 1];

/** The product of a kernel, rows and columns exchanged where vectors of so many lanes run better along the rows. */
export const productOf = (kernel: DotKernel, lanes: number): Product => orient(asGiven(kernel), lanes);

function asGiven({ batch, rows, columns, depth, left, right, stores }: DotKernel): Product {
  const axes = (
    extents: readonly number[],
    first: number,
    lefts: readonly number[],
    rights: readonly number[],
  ): ProductAxis[] =>
    extents.map((extent, at) => ({
      extent,
      point: first < 0 ? -1 : first + at,
      left: lefts[at] ?? 0,
      right: rights[at] ?? 0,
    }));
  // Axes that all accesses walk as one become one.
  const collapse = (list: readonly ProductAxis[]): ProductAxis[] => {
    const joined: ProductAxis[] = [];
    for (const axis of [...list].reverse()) {
      const inner = joined[0] as ProductAxis | undefined;
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
function continuesIn(store: DotKernel["stores"][number], outer: ProductAxis, inner: ProductAxis): boolean {
  const addresses = [store.address, ...loadsIn(rootsOf([store]))];
  return addresses.every(({ strides }) => strides[outer.point] === strides[inner.point] * inner.extent);
}

function orient(product: Product, lanes: number): Product {
  const { rows, columns } = product;
  const isNarrow = extentOf(columns) < lanes;
  const hasRowsInOrder = rows.length > 0 && lastOf(rows).left === 1 && lastOf(rows).extent >= lanes;
  return isNarrow && hasRowsInOrder ? turned(product) : product;
}

/** A product with rows and columns exchanged. */
export function turned({ batch, rows, columns, depth, left, right }: Product): Product {
  const flip = (axes: readonly ProductAxis[]) =>
    axes.map((axis) => ({ ...axis, left: axis.right, right: axis.left }));
  return {
    batch: flip(batch),
    rows: flip(columns),
    columns: flip(rows),
    depth: flip(depth),
    left: right,
    right: left,
  };
}
