// The command line: vibe-rl <command> …
import "../device/index.js";
import { nearestNames } from "../env/index.js";
import { parseArguments, UsageError, type Arguments } from "./arguments.js";
import { describe } from "./describe.js";
import { processHost, type Host } from "./host.js";
import { evaluateRun, listPresets, listRuns, video } from "./looks.js";
import { plot } from "./plot.js";
import { asksForSweep } from "./sweepFlags.js";
import { resume, train, trainHelp } from "./train.js";
import { trainMany } from "./trainMany.js";

export type { Host } from "./host.js";

const commands: Readonly<Record<string, (args: Arguments, host: Host) => number | Promise<number>>> = {
  train: (args, host) => (asksForSweep(args) ? trainMany(args, host) : train(args, host)),
  resume,
  eval: evaluateRun,
  video,
  plot,
  runs: listRuns,
  presets: listPresets,
};

const help = `vibe-rl <command>

  train <preset> [--algo.lr 1e-3 …]      train; train <preset> --help lists every setting
  train <preset> --seeds 0..9 --sweep algo.lr=1e-4,1e-3
                                         a run for each seed and each value, and a comparison
  resume <run> [--runner.… …]            go on with a run that was stopped
  eval <run> [--step --episodes --seed]  play the best checkpoint, or that of a step, greedily
  video <run> [--step --seed --fps --output]
                                         an episode of it as an animated GIF
  plot [runs] [--run-dirs --experiment-name --x-key --y-key --output --compare --smooth-radius
              --smooth-mode --shaded --figsize --dpi --title]
                                         reward curves as PNG, SVG or PDF
  runs                                   all runs with their returns
  presets                                what can be trained

A run is a directory, or its name below --base-dir, which is runs/ unless told otherwise.`;

/** Runs a command line; returns the exit code: 0 done, 130 interrupted, 2 bad usage, 1 anything else. */
export async function main(list: readonly string[], host: Host = processHost()): Promise<number> {
  const code = await perform(list, host);
  const isPrinted = await host.settle();
  return code === 0 && !isPrinted ? 1 : code;
}

async function perform([name, ...rest]: readonly string[], host: Host): Promise<number> {
  if (name === undefined || name === "--help" || name === "-h" || name === "help") {
    host.print(help);
    return name === undefined ? 2 : 0;
  }
  try {
    if (!Object.hasOwn(commands, name)) {
      const near = nearestNames(name, Object.keys(commands), 1);
      const hint = near.length === 1 ? `did you mean ${near[0]}?` : `there are ${near.join(", ")}`;
      throw new UsageError(`there is no command ${JSON.stringify(name)}; ${hint}`);
    }
    const args = parseArguments(rest);
    const asked = args.flags.find((flag) => flag.name === "help");
    if (asked !== undefined) {
      host.print(name === "train" ? trainHelp(args.words[0] ?? asked.values[0]) : help);
      return 0;
    }
    return await commands[name](args, host);
  } catch (error) {
    const isUsage = error instanceof UsageError;
    host.printError(isUsage ? `vibe-rl ${name}: ${error.message}` : describe(error));
    return isUsage ? 2 : 1;
  }
}
