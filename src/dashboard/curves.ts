// Curves of many runs in one answer: a line of JSON that says what comes, then the numbers themselves.
import type { DashboardRun } from "./run.js";
import { part, thin } from "./thin.js";
import type { CurvesHeader } from "./types.js";

export interface CurvesQuery {
  readonly metric: string;
  /** Stretches that a curve is thinned to, each with two points; 0: every point. */
  readonly buckets: number;
  readonly from: number;
  readonly to: number;
}

/** The answer's bytes: the header's length (uint32, little endian), the header, then x and y of each curve (float64). */
export function encodeCurves(
  runs: readonly DashboardRun[],
  { metric, buckets, from, to }: CurvesQuery,
): Uint8Array {
  const curves = runs
    .filter((run) => run.table.lengthOf(metric) > 0)
    .map((run) => {
      const total = run.table.lengthOf(metric);
      if (buckets > 0 && from === -Infinity && to === Infinity)
        return { run, total, ...run.overview(metric, buckets) };
      const shown = part(run.table.curve(metric), from, to);
      return { run, total, ...(buckets === 0 ? shown : thin(shown, buckets)) };
    });
  const header: CurvesHeader = {
    metric,
    curves: curves.map(({ run, x, total }) => ({
      id: run.id,
      points: x.length,
      total,
      generation: run.generation,
    })),
  };
  const json = Buffer.from(JSON.stringify(header));
  const start = Math.ceil((4 + json.length) / 8) * 8;
  const count = curves.reduce((sum, { x }) => sum + x.length, 0);
  const bytes = new Uint8Array(start + count * 16);
  bytes.set(json, 4);
  bytes.fill(0x20, 4 + json.length, start);
  new DataView(bytes.buffer).setUint32(0, start - 4, true);
  let at = start;
  for (const { x, y } of curves) {
    for (const numbers of [x, y]) {
      new Float64Array(bytes.buffer, at, numbers.length).set(numbers);
      at += numbers.length * 8;
    }
  }
  return bytes;
}
