// What stands under a chart: the curves' names, and their values at the cursor.
import type { DrawnSeries } from "./chartDrawing.js";
import { element, fill } from "./dom.js";
import { formatNumber } from "./numbers.js";
import { cssColor } from "./themeColors.js";

/** Where the cursor stands, and every curve's value there. */
export interface CursorValues {
  readonly x: number;
  readonly y: number;
  readonly values: readonly number[];
}

export interface ChartLegend {
  readonly element: HTMLElement;
  show: (curves: readonly DrawnSeries[], cursor: CursorValues | null) => void;
}

/** More names than these are not read. */
const mostNames = 12;

/** Few curves keep their order; of many, those nearest to the cursor are shown. */
function chosen(curves: readonly DrawnSeries[], cursor: CursorValues | null): number[] {
  const all = curves.map((_, index) => index);
  if (curves.length <= mostNames || cursor === null) return all.slice(0, mostNames);
  const distance = (index: number): number => {
    const apart = Math.abs(cursor.values[index] - cursor.y);
    return Number.isNaN(apart) ? Infinity : apart;
  };
  return all.sort((a, b) => distance(a) - distance(b)).slice(0, mostNames);
}

export function createLegend(): ChartLegend {
  const list = element("ul", { class: "chart-legend" });
  const show = (curves: readonly DrawnSeries[], cursor: CursorValues | null): void => {
    const items = chosen(curves, cursor).map((index) => {
      const { label, color } = curves[index];
      const swatch = element("span", { class: "chart-swatch" });
      swatch.style.background = cssColor(color);
      return element("li", { title: label }, [
        swatch,
        element("span", { class: "label" }, [label]),
        cursor !== null && element("strong", { class: "number" }, [formatNumber(cursor.values[index])]),
      ]);
    });
    const others = curves.length - items.length;
    fill(
      list,
      cursor !== null &&
        element("li", { class: "muted number" }, [`at ${formatNumber(Math.round(cursor.x))}`]),
      ...items,
      others > 0 && element("li", { class: "muted" }, [`and ${others} more`]),
    );
  };
  return { element: list, show };
}
