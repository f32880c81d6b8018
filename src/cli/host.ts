// What the command line has of the process it runs in.
import { explainFailure, failureCode } from "../files/index.js";
import type { Terminal } from "./progress.js";

export interface Host {
  readonly print: (line: string) => void;
  /** For what went wrong. */
  readonly printError: (line: string) => void;
  readonly terminal: Terminal;
  /** A signal that the first Ctrl-C gives; a second one ends the process. */
  readonly interruption: () => { readonly signal: AbortSignal; readonly release: () => void };
  /** Waits until everything is printed; false if some of it could not be, other than for want of a reader. */
  readonly flush: () => Promise<boolean>;
}

/** The real one. Output that nobody takes, or that a full disk cannot, does not end a run: it is told once. */
export function processHost(): Host {
  const { stdout, stderr } = process;
  let isTraining = false;
  let failure: unknown = null;
  const lose = (error: unknown): void => {
    if (failure !== null) return;
    failure = error;
    // Readers such as `head` go when they have seen enough.
    const isLeft = failureCode(error) === "EPIPE";
    const reason = isLeft
      ? "nobody reads the standard output any more"
      : `standard output: ${explainFailure(error)}`;
    if (isTraining || !isLeft) complain(`${reason}${isTraining ? "; the run goes on without it" : ""}\n`);
  };
  stdout.on("error", lose);
  stderr.on("error", () => undefined);
  const write = (text: string): void => {
    if (failure !== null) return;
    try {
      stdout.write(text);
    } catch (error) {
      lose(error);
    }
  };
  const complain = (text: string): void => {
    try {
      stderr.write(text);
    } catch {
      // There is nobody left to tell.
    }
  };
  return {
    print: (line) => write(`${line}\n`),
    printError: (line) => complain(`${line}\n`),
    terminal: {
      isInteractive: stdout.isTTY && process.env.TERM !== "dumb",
      get columns() {
        return stdout.columns || 100;
      },
      write,
    },
    interruption: () => {
      isTraining = true;
      const controller = new AbortController();
      const listen = () => {
        if (controller.signal.aborted) process.exit(130);
        complain("\nfinishing this step and saving; Ctrl-C again stops at once\n");
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
    flush: async () => {
      if (failure === null) {
        await new Promise<void>((resolve) => {
          stdout.write("", () => resolve());
        });
      }
      return isTraining || failure === null || failureCode(failure) === "EPIPE";
    },
  };
}
