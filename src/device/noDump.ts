// Takes the place of dump.ts in bundles for browsers (`browser` in package.json). There are no files to dump to, and
// the forms of programs as text, with the disassembler, would be a tenth of the bundle.
import { environment, fail } from "../array/index.js";
import type * as dump from "./dump.js";

export const writeDumps: typeof dump.writeDumps = () => {
  if (environment("VIBE_RL_DUMP") === undefined) return;
  fail("VIBE_RL_DUMP", "dumps are not part of bundles for browsers; bundle for Node, or do not bundle", null);
};
