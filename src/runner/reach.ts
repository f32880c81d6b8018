// Whether a run that is to go on would lose what it has reached: its metrics tell how far it was, its checkpoints how
// far it can go on from.
import { fs, path } from "../node/index.js";
import { fail } from "../array/index.js";
import { planFile, startOfFile, type Action } from "../files/index.js";
import { lastLoggedStep } from "../metrics/index.js";
import type { RunDir } from "../runDir/index.js";

/** The file in the logs that says where the run has saved checkpoints. */
const noteName = "checkpoint_dir.txt";

const noteOf = ({ logs }: RunDir): string => path.join(logs, noteName);

/** How to note that a run has saved checkpoints; a directory inside the run's own moves with it. */
export function noteCheckpoints(runDir: RunDir, directory: string): readonly Action[] {
  const inside = path.relative(runDir.root, directory);
  const isInside = !inside.startsWith("..") && !path.isAbsolute(inside);
  const text = `${isInside ? inside || "." : directory}\n`;
  const file = noteOf(runDir);
  // A run does not end for want of a note.
  const isWritable = fs.lstatSync(file, { throwIfNoEntry: false })?.isDirectory() !== true;
  return isWritable && startOfFile(file, 4096) !== text ? planFile(file, text).actions : [];
}

/** The first step at or after a multiple of the interval behind a step. */
const nextDue = (step: number, interval: number, stepsPerUnit: number): number =>
  Math.ceil(((Math.floor(step / interval) + 1) * interval) / stepsPerUnit) * stepsPerUnit;

export interface Reach {
  /** The newest step that has a checkpoint, whole or not; `null` if there is none. */
  readonly newest: number | null;
  readonly directory: string;
  /** Steps between checkpoints. */
  readonly interval: number;
  readonly stepsPerUnit: number;
}

/**
 * The furthest step that a killed process can have logged if the newest checkpoint is the last that it finished: one
 * more may have been under way, and the next one waits for that.
 */
function furthest({ newest, interval, stepsPerUnit }: Reach): number {
  return nextDue(nextDue(newest ?? 0, interval, stepsPerUnit), interval, stepsPerUnit);
}

/** Refuses to go on where that would drop what was measured although there must have been a later checkpoint. */
export function checkReach(runDir: RunDir, reach: Reach): void {
  const { newest, directory } = reach;
  const logged = lastLoggedStep(runDir.logPath());
  const isFurther = logged !== null && logged > furthest(reach);
  if (newest !== null) {
    if (!isFurther) return;
    fail(
      "resume",
      `the newest checkpoint in ${directory} is of step ${newest}, but the metrics of this run reach step ` +
        `${logged}: later checkpoints are missing. Put them back, or, to go on from step ${newest}, move ` +
        `${runDir.logPath()} away; its records up to there are restored`,
    );
  }
  const noted = startOfFile(noteOf(runDir), 4096).trim();
  if (noted === "" && !isFurther) return;
  const where = noted === "" ? "" : `, in ${path.resolve(runDir.root, noted)}`;
  fail(
    "resume",
    `${directory} has no checkpoint, but this run has saved some${where}, and its metrics reach step ${logged ?? 0}. ` +
      `Give the directory where they are, or, to begin again at step 0, move ${runDir.logs} away`,
  );
}
