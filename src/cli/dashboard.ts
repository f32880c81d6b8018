// `dashboard`: the page over all runs, and `train --dashboard`, which opens it for what is trained.
import { fork, spawn, type ChildProcess } from "node:child_process";
import { fileURLToPath } from "node:url";
import { DashboardError, startDashboard } from "../dashboard/index.js";
import { checkWords, oneOf, readFlags, spelled, UsageError, wholeOf, type Arguments } from "./arguments.js";
import { version } from "./help.js";
import type { Host } from "./host.js";
import { relative } from "./runs.js";

/** Serves the dashboard until Ctrl-C. */
export async function dashboard(args: Arguments, host: Host): Promise<number> {
  const flags = readFlags(args, ["baseDir", "port", "open"]);
  checkWords(args, 0);
  const baseDir = oneOf(flags.baseDir, "base-dir") ?? "runs";
  const port = wholeOf(flags.port, "port");
  if (port !== undefined && port > 65_535) throw new UsageError(`--port must be at most 65535, got ${port}`);
  if ((flags.open?.length ?? 0) > 0) throw new UsageError("--open takes no value");
  const board = await startDashboard({ baseDir, version: version(), ...(port !== undefined && { port }) });
  const ended = untilTold();
  host.print(`dashboard of ${relative(baseDir)}: ${board.openUrl}`);
  host.print("Ctrl-C ends it");
  // Whoever has started this process, as `train --dashboard` does, wants to know where it is.
  process.send?.({ dashboard: board.openUrl });
  if (flags.open !== undefined) openBrowser(board.openUrl, host);
  await ended;
  await board.close();
  return 0;
}

/** Waits for Ctrl-C, for being ended, or for the end of the process that has started this one. */
const untilTold = (): Promise<void> =>
  new Promise((resolve) => {
    const events = ["SIGINT", "SIGTERM", "disconnect"] as const;
    const tell = (): void => {
      for (const event of events) process.off(event, tell);
      resolve();
    };
    for (const event of events) process.on(event, tell);
  });

/** Opens an address in the user's browser; where there is none, says so. */
function openBrowser(url: string, { printError }: Host): void {
  const [command, ...words] =
    process.platform === "darwin"
      ? ["open", url]
      : process.platform === "win32"
        ? ["cmd", "/c", "start", "", url.replaceAll("&", "^&")]
        : ["xdg-open", url];
  const child = spawn(command, words, { stdio: "ignore", detached: true });
  child.on("error", () => printError(`no browser could be opened (${command}); open the address yourself`));
  child.unref();
}

/** A dashboard in a process of its own: training leaves no time for pages. */
function startBeside(baseDir: string): Promise<{ readonly child: ChildProcess; readonly url: string }> {
  const program = fileURLToPath(new URL("./main.js", import.meta.url));
  const child = fork(program, ["dashboard", "--base-dir", baseDir], {
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
  return new Promise((resolve, reject) => {
    child.once("exit", () => reject(new DashboardError("the dashboard could not be started; see above")));
    child.once("message", (message) => {
      child.removeAllListeners("exit");
      resolve({ child, url: (message as { readonly dashboard: string }).dashboard });
    });
  });
}

/** Trains with a dashboard beside it, which `--dashboard` asks for. It stays open until Ctrl-C where somebody can press it. */
export async function withDashboard(
  args: Arguments,
  host: Host,
  command: (args: Arguments) => Promise<number>,
): Promise<number> {
  const asked = args.flags.filter(({ name }) => spelled(name) === "dashboard");
  const given = asked.flatMap(({ values }) => values);
  if (given.length > 0) throw new UsageError(`--dashboard takes no value, got ${given.join(" ")}`);
  const flags = args.flags.filter((flag) => !asked.includes(flag));
  const baseDir = flags.findLast(({ name }) => spelled(name) === "baseDir")?.values[0] ?? "runs";
  const { child, url } = await startBeside(baseDir);
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  host.print(`dashboard: ${url}`);
  // The page opens the run that begins now.
  if (host.terminal.isInteractive) openBrowser(`${url}&latest=1`, host);
  try {
    const code = await command({ ...args, flags });
    if (!host.terminal.isInteractive || code !== 0) return code;
    host.print(`the dashboard stays at ${url}; Ctrl-C ends it`);
    const ignore = (): void => undefined;
    process.on("SIGINT", ignore);
    await ended;
    process.off("SIGINT", ignore);
    return code;
  } finally {
    if (child.connected) child.disconnect();
    await ended;
  }
}
