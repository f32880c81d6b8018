// Work that several test files need, done by the first that comes: workers are processes of their own.
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

/**
 * A folder that `fill` has filled, once in a run of the tests. It is everybody's: who changes it makes a copy first.
 * Whoever comes while it is being filled waits, and gets the same error where that fails.
 */
export async function onceInRun(name: string, fill: (folder: string) => unknown): Promise<string> {
  const folder = path.join(tmpdir(), `once-${name}`);
  const outcome = path.join(folder, "outcome.txt");
  const content = path.join(folder, "content");
  if (isNew(folder)) {
    let failure = "";
    try {
      mkdirSync(content);
      await fill(content);
    } catch (error) {
      failure = String(error);
    }
    // All at once: nobody reads half of it.
    writeFileSync(`${outcome}.part`, failure);
    renameSync(`${outcome}.part`, outcome);
  }
  while (!existsSync(outcome)) await sleep(50);
  const failure = readFileSync(outcome, "utf8");
  if (failure !== "") throw new Error(`${name}: ${failure}`);
  return content;
}

/** Makes a folder; false where somebody else did before. */
function isNew(folder: string): boolean {
  try {
    mkdirSync(folder);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}
