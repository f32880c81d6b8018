// The command line: vibe-rl <command> …
import "../device/index.js";
import { nearestName } from "../array/index.js";
import { parseArguments, spelled, UsageError, withWord, type Arguments } from "./arguments.js";
import { describe } from "./describe.js";
import { help, helpOf, version } from "./help.js";
import { processHost, type Host } from "./host.js";
import { asksForSweep } from "./sweepFlags.js";
import { resume, train, trainHelp } from "./train.js";

export type { Host } from "./host.js";

type Command = (args: Arguments, host: Host) => number | Promise<number>;

/** A command whose modules are loaded when it is given. */
const lazily =
  (load: () => Promise<Command>): Command =>
  async (args, host) =>
    (await load())(args, host);

const commands: Readonly<Record<string, Command>> = {
  train: (args, host) => beside(args, host, asksForSweep(args) ? trainMany : train),
  resume: (args, host) => beside(args, host, resume),
  eval: lazily(async () => (await import("./inspect.js")).evaluateRun),
  video: lazily(async () => (await import("./inspect.js")).video),
  export: lazily(async () => (await import("./export.js")).exportRun),
  plot: lazily(async () => (await import("./plot.js")).plot),
  dashboard: lazily(async () => (await import("./dashboard.js")).dashboard),
  runs: lazily(async () => (await import("./inspect.js")).listRuns),
  presets: lazily(async () => (await import("./inspect.js")).listPresets),
  cache: lazily(async () => (await import("./cache.js")).cache),
};

const trainMany = lazily(async () => (await import("./trainMany.js")).trainMany);

/** Trains with a dashboard beside it, where `--dashboard` asks for one. */
async function beside(args: Arguments, host: Host, command: Command): Promise<number> {
  if (!args.flags.some(({ name }) => spelled(name) === "dashboard")) return command(args, host);
  const { withDashboard } = await import("./dashboard.js");
  return withDashboard(args, host, async (rest) => command(rest, host));
}

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
