// The reward curve of a run that is over, among its artifacts.
import { path } from "../node/index.js";
import { MetricsError } from "../metrics/index.js";
import { PlotError, plotRewardCurve } from "../plotting/index.js";
import type { RunDir } from "../runDir/index.js";

/** Where a curve is, or why there is none. */
export type Curve = { readonly file: string } | { readonly problem: string };

/** Draws the curve of a run. The run itself is over and safe, whatever comes of it. */
export function drawCurve({ root, artifacts }: RunDir): Curve {
  const file = path.join(artifacts, "reward_curve.png");
  try {
    plotRewardCurve([root], { savePath: file });
    return { file };
  } catch (error) {
    if (!(error instanceof PlotError || error instanceof MetricsError)) throw error;
    return { problem: `the curve was not drawn: ${error.message}` };
  }
}
