// `plot`: reward curves of runs.
import path from "node:path";
import { MetricsError } from "../metrics/index.js";
import { PlotError, plotRewardCurve, type RewardCurveOptions } from "../plotting/index.js";
import { findRuns, type RunDir } from "../runDir/index.js";
import { numberOf, oneOf, readFlags, understood, UsageError, type Arguments } from "./arguments.js";
import type { Host } from "./host.js";
import { openRun } from "./runs.js";

const plotFlags = [
  ...["runDirs", "experimentName", "baseDir", "xKey", "yKey", "output", "compare", "smoothRadius"],
  ...["smoothMode", "shaded", "figsize", "dpi", "title"],
] as const;

/** The fields that were given. */
const given = <T extends object>(fields: T): Partial<T> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Partial<T>;

/** The runs that a word names: those of an experiment, or one by its name or directory. */
function runsNamed(word: string, base: string): RunDir[] {
  const found = understood(() => findRuns(base, word));
  return found.length > 0 ? found : [openRun(word, base)];
}

/** `8 5`, `8,5`, `8x5` or `(8, 5)` in inches. */
const sizeFrom = (values: readonly string[]): number[] =>
  values
    .join(" ")
    .replaceAll(/[()[\]]/g, " ")
    .split(/[\s,x×]+/)
    .filter((part) => part !== "")
    .map(Number);

/** Those of all runs that can be drawn; of the others it is said why they cannot. */
function drawable(runs: readonly RunDir[], keys: RewardCurveOptions, { printError }: Host): RunDir[] {
  return runs.filter((run) => {
    try {
      plotRewardCurve([run.root], keys);
      return true;
    } catch (error) {
      if (!(error instanceof PlotError || error instanceof MetricsError)) throw error;
      printError(`left out: ${error.message.replace(/^\w+: /, "")}`);
      return false;
    }
  });
}

export function plot(args: Arguments, host: Host): number {
  const flags = readFlags<string>(args, plotFlags);
  const base = oneOf(flags.baseDir, "base-dir") ?? "runs";
  const words = [...args.words, ...(flags.runDirs ?? []), ...(flags.compare ?? [])];
  const named = oneOf(flags.experimentName, "experiment-name");
  if (named !== undefined) words.push(named);
  const keys = given({ xKey: oneOf(flags.xKey, "x-key"), yKey: oneOf(flags.yKey, "y-key") });
  const runs =
    words.length > 0
      ? words.flatMap((word) => runsNamed(word, base))
      : drawable(
          understood(() => findRuns(base)),
          keys as RewardCurveOptions,
          host,
        );
  if (runs.length === 0) throw new UsageError(`no runs to plot in ${base}; give --run-dirs or train one`);
  const savePath = oneOf(flags.output, "output") ?? "reward_curve.png";
  const config = given({
    title: oneOf(flags.title, "title"),
    dpi: numberOf(flags.dpi, "dpi"),
    figsize: flags.figsize === undefined ? undefined : sizeFrom(flags.figsize),
    shaded: oneOf(flags.shaded, "shaded"),
    smoothRadius: numberOf(flags.smoothRadius, "smooth-radius"),
    smoothMode: oneOf(flags.smoothMode, "smooth-mode"),
  });
  const roots = [...new Set(runs.map((run) => run.root))];
  understood(() => plotRewardCurve(roots, { ...(keys as object), config: config as object, savePath }));
  host.print(path.relative(process.cwd(), savePath));
  return 0;
}
