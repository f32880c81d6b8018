// The command line: vibe-rl <command> …
import "../device/index.js";
import { nearestNames } from "../env/index.js";
import { parseArguments, UsageError, type Arguments } from "./arguments.js";
import { processHost, type Host } from "./host.js";
import { evaluateRun, listPresets, listRuns, plot, video } from "./looks.js";
import { resume, train, trainHelp } from "./train.js";

const commands: Readonly<Record<string, (args: Arguments, host: Host) => number | Promise<number>>> = {
  train,
  resume,
  eval: evaluateRun,
  video,
  plot,
  runs: listRuns,
  presets: listPresets,
};

const help = `vibe-rl <command>

  train <preset> [--algo.lr 1e-3 …]   train; --help lists every setting
  resume <run>                        go on with a run that was stopped
  eval <run> [--step N]               play the best checkpoint greedily
  video <run> [--step N] [--fps 30]   an episode as an animated GIF
  plot [runs] [--output FILE …]       reward curves as PNG, SVG or PDF
  runs [--base-dir runs]              all runs with their returns
  presets                             what can be trained

A run is a directory below runs/, or its name.`;

/** Runs a command line; returns the exit code: 0 done, 130 interrupted, 2 bad usage, 1 anything else. */
export async function main(list: readonly string[], host: Host = processHost): Promise<number> {
  const [name, ...rest] = list;
  if (name === undefined || name === "--help" || name === "-h" || name === "help") {
    host.print(help);
    return name === undefined ? 2 : 0;
  }
  try {
    const command = commands[name] as (typeof commands)[string] | undefined;
    if (command === undefined) {
      const near = nearestNames(name, Object.keys(commands), 1).join(" or ");
      throw new UsageError(`there is no command ${JSON.stringify(name)}; did you mean ${near}?`);
    }
    const args = parseArguments(rest);
    if (args.flags.some((flag) => flag.name === "help")) {
      host.print(name === "train" ? trainHelp(args.words[0]) : help);
      return 0;
    }
    return await command(args, host);
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    const isUsage = ["UsageError", "ConfigError", "ArrayError"].includes(error.name);
    host.print(`${error.name}: ${error.message}`);
    return isUsage ? 2 : 1;
  }
}
