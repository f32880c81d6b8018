// What happens to the sums of a product before they are stored: biases, activations, masks.
import type { Expression } from "../../kernel.js";
import { dependentOn } from "../../schedule/dependence.js";
import { expressionsBelow, rootsOf } from "../../walk.js";
import { writeStores } from "../stores.js";
import type { Width } from "../types.js";
import { Values } from "../values.js";
import type { Walk } from "./walk.js";

/** More operations than these are written once, in a loop over the tile, instead of once for each sum. */
const mostWrittenOut = 3;

export class Epilogue {
  private readonly order: readonly Expression[];
  private readonly alongColumns: ReadonlySet<Expression>;

  constructor(private readonly walk: Walk) {
    const { column } = walk.tiling;
    this.order = expressionsBelow(rootsOf(walk.kernel.stores));
    this.alongColumns = dependentOn(column.point, this.order);
  }

  /** Whether it is so little that it is written out for every sum. */
  get isShort(): boolean {
    return this.order.filter(({ kind }) => kind === "operation").length <= mostWrittenOut;
  }

  /** Stores what becomes of sums with some names, `names[row][vector]`. */
  storeEach(names: readonly (readonly string[])[], width: Width, row: string, column: string): void {
    for (let vector = 0; vector < names[0].length; vector++) {
      const at = vector === 0 ? column : `(${column} + ${vector * width})`;
      this.walk.text.out.block("", () => {
        names.forEach((line, down) => {
          this.walk.text.out.block("", () =>
            this.store(line[vector], width, down === 0 ? row : `(${row} + ${down})`, at),
          );
        });
      });
    }
  }

  /** Stores what becomes of one sum, or of several side by side. */
  store(sum: string, width: Width, row: string, column: string): void {
    const { walk } = this;
    const { tiling } = walk;
    const values = new Values(walk.text, {
      width,
      axis: width === 1 ? null : tiling.column.point,
      position: (axis) =>
        axis === tiling.column.point ? column : axis === tiling.row.point ? row : walk.outerPosition(axis),
      isUniform: (expression) => width === 1 || !this.alongColumns.has(expression),
    });
    values.expect(this.order);
    for (const expression of this.order)
      if (expression.kind === "reduced") values.know(expression, sum, width);
    writeStores(walk.kernel.stores, values);
  }
}
