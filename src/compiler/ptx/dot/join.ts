// Adding up what the lanes that share a tile have: each time two of them meet, either goes on with half of the sums.
import type { KernelText } from "../surroundings.js";
import { lineOffset, type Tiling } from "./layout.js";
import { lanesOfWarp } from "../types.js";

/** A bit of a lane's number, 0 or 1, and how many lines further the lines of its tile are where it is 1. */
export interface Bit {
  readonly bit: string;
  readonly distance: number;
}

/** What a lane has in the end: sums of fewer rows and columns. */
export interface Share {
  readonly sums: readonly string[];
  readonly rows: number;
  readonly columns: number;
  readonly rowBits: readonly Bit[];
  readonly columnBits: readonly Bit[];
  /** Which of the lanes that have the same sums goes on with them; null where each has its own. */
  readonly condition: string | null;
}

export function join(text: KernelText, tiling: Tiling, member: string, given: readonly string[]): Share {
  const { out } = text;
  const { split, isSplitInside, rowUnit, columnUnit, laneRows, laneColumns } = tiling;
  let { rows, columns } = tiling;
  let sums = given;
  const rowBits: Bit[] = [];
  const columnBits: Bit[] = [];
  const conditions: string[] = [];
  const exchange = (value: string, distance: number): string =>
    out.effect("shfl.sync.bfly.b32", "f32", value, String(distance), "31", "-1");
  for (let power = 1; power < split; power *= 2) {
    const distance = isSplitInside ? power : (lanesOfWarp / split) * power;
    const bit = out.pure("and.b32", "b32", out.pure("shr.u32", "b32", member, String(Math.log2(power))), "1");
    const isUpper = out.pure("setp.ne.u32", "pred", bit, "0");
    if (sums.length === 1) {
      sums = [out.effect("add.f32", "f32", sums[0], exchange(sums[0], distance))];
      conditions.push(out.pure("setp.eq.u32", "pred", bit, "0"));
      continue;
    }
    const half = sums.length / 2;
    const [lower, upper] = [sums.slice(0, half), sums.slice(half)];
    sums = lower.map((low, at) => {
      const kept = out.effect("selp.f32", "f32", upper[at], low, isUpper);
      const sent = out.effect("selp.f32", "f32", low, upper[at], isUpper);
      return out.effect("add.f32", "f32", kept, exchange(sent, distance));
    });
    if (rows > 1) {
      rows /= 2;
      rowBits.push({ bit, distance: lineOffset(rows, rowUnit, laneRows) });
    } else {
      columns /= 2;
      columnBits.push({ bit, distance: lineOffset(columns, columnUnit, laneColumns) });
    }
  }
  return { sums, rows, columns, rowBits, columnBits, condition: text.all(conditions) };
}
