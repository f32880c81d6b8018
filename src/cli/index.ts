// The command line: vibe-rl <command> …
import "../device/index.js";
import { nearestName } from "../array/index.js";
import { parseArguments, UsageError, withWord, type Arguments } from "./arguments.js";
import { cache } from "./cache.js";
import { dashboard, withDashboard } from "./dashboard.js";
import { describe } from "./describe.js";
import { exportRun } from "./export.js";
import { help, helpOf, version } from "./help.js";
import { processHost, type Host } from "./host.js";
import { evaluateRun, listPresets, listRuns, video } from "./inspect.js";
import { plot } from "./plot.js";
import { asksForSweep } from "./sweepFlags.js";
import { resume, train, trainHelp } from "./train.js";
import { trainMany } from "./trainMany.js";

export type { Host } from "./host.js";

const commands: Readonly<Record<string, (args: Arguments, host: Host) => number | Promise<number>>> = {
  train: (args, host) =>
    withDashboard(args, host, (rest) => (asksForSweep(rest) ? trainMany(rest, host) : train(rest, host))),
  resume: (args, host) => withDashboard(args, host, (rest) => resume(rest, host)),
  eval: evaluateRun,
  video,
  export: exportRun,
  plot,
  dashboard,
  runs: listRuns,
  presets: listPresets,
  cache,
};

/** Commands that cannot do without a word. */
const needWord = ["train", "resume", "eval", "video", "export"];

/** Runs a command line; returns the exit code: 0 done, 130 interrupted, 2 bad usage, 1 anything else. */
export async function main(list: readonly string[], host: Host = processHost()): Promise<number> {
  const code = await perform(list, host);
  const isPrinted = await host.flush();
  return code === 0 && !isPrinted ? 1 : code;
}

async function perform([name, ...rest]: readonly string[], host: Host): Promise<number> {
  if (name === undefined || name === "--help" || name === "-h" || (name === "help" && rest.length === 0)) {
    host.print(help);
    return name === undefined ? 2 : 0;
  }
  if (name === "--version" || name === "version") {
    host.print(version());
    return 0;
  }
  try {
    if (name === "help") {
      host.print(tell(commandOf(rest[0]), rest[1]));
      return 0;
    }
    const command = commandOf(name);
    const parsed = parseArguments(rest);
    const asked = parsed.flags.find((flag) => flag.name === "help");
    if (asked !== undefined) {
      host.print(tell(command, parsed.words[0] ?? asked.values[0]));
      return 0;
    }
    return await commands[command](needWord.includes(command) ? withWord(parsed) : parsed, host);
  } catch (error) {
    const isUsage = error instanceof UsageError;
    host.printError(isUsage ? `vibe-rl ${name}: ${error.message}` : describe(error));
    return isUsage ? 2 : 1;
  }
}

/** What there is to say about a command; of `train` the settings of a preset. */
const tell = (command: string, preset: string | undefined): string =>
  command === "train" ? trainHelp(preset) : helpOf(command);

/** A command by its name, or the refusal of a name that is none. */
function commandOf(name: string): string {
  if (Object.hasOwn(commands, name)) return name;
  const near = nearestName(name, Object.keys(commands));
  const hint = near === null ? `there are ${Object.keys(commands).join(", ")}` : `did you mean ${near}?`;
  throw new UsageError(`there is no command ${JSON.stringify(name)}; ${hint}`);
}
