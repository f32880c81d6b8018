// A thread in which the driver compiles a part of a program while this thread has it compile another one.
import { startAside, threadBeside, type Aside } from "../aside.js";
import type { Card } from "./card.js";

/** The text of a part, and what its program is called. */
export interface LinkTask {
  readonly name: string;
  readonly text: string;
}

/** It answers with machine code. */
export type LinkHelper = Aside<LinkTask, Uint8Array>;

/** Starts a helper, which takes a tenth of a second to be ready. */
export const startLinkHelper = ({ handle }: Card): LinkHelper =>
  startAside(threadBeside(import.meta.url, "linkThread"), handle);
