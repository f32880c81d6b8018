// What becomes of the sums of a product: the values that follow at several points at once, then their stores.
import type { DotKernel, Expression, Load, Store } from "../../kernel.js";
import type { Product } from "../../schedule/product.js";
import { expressionsBelow, rootsOf } from "../../walk.js";
import type { KernelText } from "../surroundings.js";
import { Values } from "../values.js";
import { isAlongColumns } from "./layout.js";
import { range, type Line } from "./lines.js";

/** Sums of a thread, and where they belong. */
interface Share {
  readonly batch: readonly string[];
  readonly rows: readonly Line[];
  readonly columns: readonly Line[];
  /** How many columns lie side by side each time: 1, 2 or 4. */
  readonly unit: number;
  /** Row by row. */
  readonly sums: readonly string[];
  readonly condition: string | null;
  /** Whether tanh of sums need be no more exact than TF32. */
  readonly isRough: boolean;
}

/** A few neighbours along a row that are worked on together. */
interface Group {
  readonly points: readonly Values[];
  readonly condition: string | null;
}

/** Points whose values are computed before the first of them is stored. */
const pointsTogether = 16;

export function goOn(text: KernelText, kernel: DotKernel, product: Product, share: Share): void {
  const { batch, rows, columns, unit, sums } = share;
  const roots = rootsOf(kernel.stores);
  const group = (row: number, column: number): Group => {
    const condition = text.all([share.condition, rows[row].isThere, columns[column].isThere]);
    const points = range(unit).map((at) => {
      const axes = [
        ...product.batch.map((axis, which) => [axis.point, batch[which]] as const),
        ...product.rows.map((axis, which) => [axis.point, rows[row].positions[which]] as const),
        ...product.columns.map((axis, which) => [axis.point, columns[column + at].positions[which]] as const),
      ];
      const positions = new Map(axes);
      const sum = sums[row * columns.length + column + at];
      return new Values(
        text,
        (axis) => positions.get(axis) ?? "0",
        () => sum,
        `${row} ${column + at}`,
        condition,
      );
    });
    return { points, condition };
  };
  const groups = range(rows.length).flatMap((row) =>
    range(columns.length / unit).map((column) => [row, column * unit] as const),
  );
  const together = pointsTogether / unit;
  for (let first = 0; first < groups.length; first += together)
    text.out.scope(() => {
      const some = groups.slice(first, first + together).map(([row, column]) => group(row, column));
      if (unit > 1) for (const one of some) loadVectors(text, vectorLoads(product, roots), one);
      const all = some.flatMap(({ points }) => points);
      if (share.isRough) computeRoughly(all, roots);
      Values.computeAll(all, roots);
      for (const { points, condition } of some) store(text, kernel.stores, product, points, condition);
    });
}

/** Whether a value is a sum, or one to which something is added. */
const isSum = (value: Expression): boolean =>
  value.kind === "reduced" ||
  (value.kind === "operation" && value.name === "add" && value.inputs.some(({ kind }) => kind === "reduced"));

/** The hyperbolic tangents of sums, by the machine's own instruction, which errs by as much as products of TF32 do. */
function computeRoughly(points: readonly Values[], roots: readonly Expression[]): void {
  for (const expression of expressionsBelow(roots)) {
    if (expression.kind !== "operation" || expression.name !== "tanh" || !isSum(expression.inputs[0]))
      continue;
    Values.computeAll(points, expression.inputs);
    for (const point of points) {
      const { out } = point.kernel;
      point.know(expression, out.pure("tanh.approx.f32", "f32", point.read(expression.inputs[0])));
    }
  }
}

/** Loads that are vectors along the columns. */
const vectorLoads = (product: Product, roots: readonly Expression[]): Load[] =>
  expressionsBelow(roots).filter(
    (one): one is Load => one.kind === "load" && one.guard === null && isAlongColumns(product, one.address),
  );

function loadVectors({ out }: KernelText, loads: readonly Load[], { points, condition }: Group): void {
  for (const load of loads) {
    const { space, text: address } = points[0].reference(load.address);
    const registers = points.map(() =>
      condition === null ? out.register("f32") : out.effect("mov.f32", "f32", "0f00000000"),
    );
    const guard = condition === null ? "" : `@${condition} `;
    out.line(`${guard}ld.${space}.v${points.length}.f32 {${registers.join(", ")}}, ${address};`);
    points.forEach((point, at) => point.know(load, registers[at]));
  }
}

function store(
  { out }: KernelText,
  stores: readonly Store[],
  product: Product,
  points: readonly Values[],
  condition: string | null,
): void {
  for (const one of stores) {
    const isVector =
      points.length > 1 &&
      one.combine === "set" &&
      one.guard === null &&
      isAlongColumns(product, one.address);
    if (!isVector) for (const point of points) point.put([one], condition);
    else {
      const { space, text: address } = points[0].reference(one.address);
      const values = points.map((point) => out.effect("mov.f32", "f32", point.read(one.value)));
      const guard = condition === null ? "" : `@${condition} `;
      out.line(`${guard}st.${space}.v${points.length}.f32 ${address}, {${values.join(", ")}};`);
    }
  }
}
