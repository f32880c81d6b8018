// Threads in which the driver compiles a program while the event loop of this one turns.
import { openAside, threadBeside, type Asking } from "../aside.js";
import type { Card } from "./card.js";

/** What the driver compiles. */
export interface LinkTask {
  /** What the program is called. */
  readonly name: string;
  readonly text: string;
  /** Registers that a thread may have in its functions; null where it has none. */
  readonly registers: number | null;
}

/** It answers with machine code. */
export type LinkHelper = Asking<LinkTask, Uint8Array>;

/** Starts a helper, which takes a tenth of a second to be ready. */
export const startLinkHelper = ({ handle }: Card): LinkHelper =>
  openAside(threadBeside(import.meta.url, "linkThread"), handle);
