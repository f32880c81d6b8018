// Walking through a product: names of the positions along its axes, and where operands lie there.
import type { DotKernel } from "../../kernel.js";
import type { Product, ProductAxis } from "../../schedule/product.js";
import type { KernelText } from "../surroundings.js";
import { sumText } from "../text.js";
import { rowAxis } from "./sharing.js";
import { tilingOf, type Tiling } from "./tiling.js";

export class Walk {
  readonly tiling: Tiling;
  /** Names of the positions along the outer axes. */
  private readonly names = new Map<ProductAxis, string>();
  readonly left: string;
  readonly right: string;
  /** The axis of which each thread has its own rows; null for none. */
  private readonly shared: ProductAxis | null;

  constructor(
    readonly text: KernelText,
    readonly kernel: DotKernel,
    readonly product: Product,
  ) {
    this.tiling = tilingOf(product, text.target);
    const pointer = ({ buffer, ...place }: DotKernel["left"]) =>
      `(${text.pointer(buffer)} + ${text.offset(place)})`;
    this.left = pointer(product.left);
    this.right = pointer(product.right);
    this.shared = text.rows === null ? null : rowAxis(product, kernel, text.rows);
    this.outer.forEach((axis, at) => this.names.set(axis, `n${at}`));
  }

  private get outer(): ProductAxis[] {
    const { batch, rows, columns } = this.product;
    return [...batch, ...columns.slice(0, -1), ...rows.slice(0, -1)];
  }

  /** Code at every position along some axes, from the outermost inwards. */
  over([axis, ...rest]: readonly ProductAxis[], body: () => void): void {
    if (axis === undefined) body();
    else {
      const { from, to } = this.boundsOf(axis);
      this.text.out.loop(this.names.get(axis) ?? "n", from, to, 1, () => this.over(rest, body));
    }
  }

  /** From where to where a thread goes along an axis. */
  boundsOf(axis: ProductAxis): { readonly from: number | string; readonly to: number | string } {
    const { rows } = this.text;
    return axis === this.shared && rows !== null
      ? this.text.shareRows(axis.extent / rows.count)
      : { from: 0, to: axis.extent };
  }

  /** How far an operand has moved along the outer axes, as C. */
  moved(side: "left" | "right"): string {
    const terms = [...this.names].map(([axis, text]) => ({ text, factor: axis[side] }));
    return sumText(0, terms);
  }

  /** The name of the position along one of the outer axes of the points; null if there is none. */
  outerPosition(point: number): string | null {
    for (const [axis, name] of this.names) if (axis.point === point) return name;
    return null;
  }

  /** Names and steps of the depth, and the loops over it; `inner` is inside. */
  depthTerms(side: "left" | "right"): string {
    return sumText(
      0,
      this.product.depth.map((axis, at) => ({ text: `k${at}`, factor: axis[side] })),
    );
  }

  /** The step of the depth as one number. */
  get depthPosition(): string {
    const { depth } = this.product;
    let factor = 1;
    const terms: { text: string; factor: number }[] = [];
    for (let at = depth.length - 1; at >= 0; at--) {
      terms.push({ text: `k${at}`, factor });
      factor *= depth[at].extent;
    }
    return sumText(0, terms);
  }
}
