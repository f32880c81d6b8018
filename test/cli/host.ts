// A host that keeps what it is told.
import { expect } from "vitest";
import { main as ownMain, type Host } from "../../src/cli/index.js";

export interface Told {
  readonly code: number;
  readonly lines: readonly string[];
  readonly errors: readonly string[];
  /** What was written to the terminal. */
  readonly written: string;
}

interface Options {
  readonly isInteractive?: boolean;
  readonly columns?: number;
  /** Ctrl-C comes when the progress has been written so many times. */
  readonly interruptAfter?: number;
  /** The command line of another copy of the package. */
  readonly main?: typeof ownMain;
}

/** Runs a command line. */
export async function call(
  line: readonly string[],
  { isInteractive = false, columns = 100, interruptAfter = Infinity, main = ownMain }: Options = {},
): Promise<Told> {
  const [lines, errors, written]: string[][] = [[], [], []];
  const controller = new AbortController();
  let isReleased = false;
  const host: Host = {
    print: (text) => void lines.push(text),
    printError: (text) => void errors.push(text),
    terminal: {
      ...{ isInteractive, columns },
      write: (text) => {
        written.push(text);
        if (written.length === interruptAfter) setImmediate(() => controller.abort());
      },
    },
    flush: () => Promise.resolve(true),
    interruption: () => ({ signal: controller.signal, release: () => (isReleased = true) }),
  };
  const code = await main(line, host);
  if (written.length > 0) expect(isReleased).toBe(true);
  return { code, lines, errors, written: written.join("") };
}
