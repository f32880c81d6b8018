// One folder for all temporary files of a run of the tests, gone when it ends; and one for built native programs, which
// stays: what has not changed need not be built again.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

const variable = "VIBE_RL_TEST_FOLDER";

export default function setup(): () => void {
  // Every project of the tests calls this.
  if (process.env[variable] !== undefined) return () => undefined;
  const folder = mkdtempSync(path.join(tmpdir(), "vibe-rl-tests-"));
  // What `tmpdir` goes by, on Windows and elsewhere; the workers take it over.
  Object.assign(process.env, { TMPDIR: folder, TEMP: folder, TMP: folder, [variable]: folder });
  process.env.VIBE_RL_CACHE_DIR = path.join(import.meta.dirname, "..", "node_modules", ".cache", "vibe-rl");
  return () => rmSync(folder, { recursive: true, force: true });
}
