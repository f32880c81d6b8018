// One folder for all temporary files of a run of the tests, gone when it ends.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

export default function setup(): () => void {
  const folder = mkdtempSync(path.join(tmpdir(), "vibe-rl-tests-"));
  // What `tmpdir` goes by, on Windows and elsewhere; the workers take it over.
  Object.assign(process.env, { TMPDIR: folder, TEMP: folder, TMP: folder });
  return () => rmSync(folder, { recursive: true, force: true });
}
