// Pictures of shardings: the blocks of an array, and in each the devices that have it.
import { checked } from "../core/checked.js";
import { describe, fail } from "../core/errors.js";
import { checkChoice } from "../core/rules.js";
import type { Shape } from "../core/shape.js";
import { NamedSharding, type Sharding } from "./namedSharding.js";
import { gridOf, labelOf, type ShardingGrid } from "./shardingGrid.js";
import { SingleDeviceSharding } from "./singleDeviceSharding.js";
import { drawSvg } from "./visualizeSvg.js";

export interface VisualizeOptions {
  /** Text for a console, the default, or a picture as SVG. */
  readonly format?: "text" | "svg";
}

function drawText({ columns, holders }: ShardingGrid): string {
  const labels = holders.map((row) => row.map(labelOf));
  const width = Math.max(...labels.flat().map((label) => label.length)) + 4;
  const centred = (label: string): string => {
    const left = Math.floor((width - label.length) / 2);
    return " ".repeat(left) + label + " ".repeat(width - label.length - left);
  };
  const line = (left: string, middle: string, right: string): string =>
    left + columns.map(() => "─".repeat(width)).join(middle) + right;
  const rows = labels.map((row) => `│${row.map(centred).join("│")}│`);
  return [line("┌", "┬", "┐"), rows.join(`\n${line("├", "┼", "┤")}\n`), line("└", "┴", "┘")].join("\n");
}

/** An array, or its shape and where it lies. */
export interface Sharded {
  readonly shape: Shape;
  readonly sharding?: Sharding;
}

/**
 * Which device has which part of an array, or of a shape with a sharding, as a picture: text for a console, or SVG. Of
 * an array with more than two dimensions it shows the first two.
 */
export const visualizeSharding = checked(
  "visualizeSharding",
  2,
  ["format"],
  (x: Sharded, { format = "text" }: VisualizeOptions = {}): string => {
    checkChoice("visualizeSharding", "format", format, ["text", "svg"]);
    const { shape, sharding } = x;
    if (!(sharding instanceof NamedSharding || sharding instanceof SingleDeviceSharding)) {
      fail("visualizeSharding", `it needs an array, or { shape, sharding }, got ${describe(x)}`);
    }
    const grid = gridOf(shape, sharding);
    return format === "svg" ? drawSvg(grid) : drawText(grid);
  },
);
