// Threads in which the driver compiles a part of a program while this thread does something else.
import { askAside, startAside, threadBeside, type Aside } from "../aside.js";
import type { Card } from "./card.js";

/** The text of a part, and what its program is called. */
export interface LinkTask {
  readonly name: string;
  readonly text: string;
}

/** It answers with machine code. */
export type LinkHelper = Aside<LinkTask, Uint8Array>;

const thread = (): URL => threadBeside(import.meta.url, "linkThread");

/** Starts a helper, which takes a tenth of a second to be ready. */
export const startLinkHelper = ({ handle }: Card): LinkHelper => startAside(thread(), handle);

/** The machine code of a part from a helper; null if that cannot make it. */
export const linkAside = ({ handle }: Card, task: LinkTask): Promise<Uint8Array | null> =>
  askAside(thread(), handle, task);
