// What the command line has of the process it runs in.
import type { Terminal } from "./progress.js";

export interface Host {
  readonly print: (line: string) => void;
  /** For what went wrong. */
  readonly printError: (line: string) => void;
  readonly terminal: Terminal;
  /** A signal that the first Ctrl-C gives; a second one ends the process. */
  readonly interruption: () => { readonly signal: AbortSignal; readonly release: () => void };
}

/** The real one. */
export const processHost: Host = {
  print: (line) => void process.stdout.write(`${line}\n`),
  printError: (line) => void process.stderr.write(`${line}\n`),
  terminal: {
    isInteractive: process.stdout.isTTY && process.env.TERM !== "dumb",
    get columns() {
      return process.stdout.columns || 100;
    },
    write: (text) => void process.stdout.write(text),
  },
  interruption: () => {
    const controller = new AbortController();
    const listen = () => {
      if (controller.signal.aborted) process.exit(130);
      process.stderr.write("\nfinishing this step and saving; Ctrl-C again stops at once\n");
      controller.abort();
    };
    process.on("SIGINT", listen);
    process.on("SIGTERM", listen);
    const release = () => {
      process.off("SIGINT", listen);
      process.off("SIGTERM", listen);
    };
    return { signal: controller.signal, release };
  },
};
