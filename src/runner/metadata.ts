// What a run's checkpoint says besides its arrays.
import { fail } from "../array/index.js";
import type { JournalMark } from "../checkpoint/index.js";
import { isRecord } from "../files/index.js";
import type { Change, Identity } from "./changes.js";
import type { Gathered } from "./gathered.js";
import type { SpacesData } from "./setting.js";

/** The evaluation that was the best so far. */
export interface Best {
  readonly step: number;
  readonly evalReturn: number;
}

export interface Metadata {
  readonly identity: Identity;
  readonly best: Best | null;
  readonly gathered: Gathered;
  /** How far the history reached. */
  readonly history: JournalMark;
  /** Steps between the checkpoints of the run when this one was saved. */
  readonly checkpointInterval: number;
  /** What was changed each time that the run went on. */
  readonly changes: readonly Change[];
  /** What the environment says of actions and observations. */
  readonly spaces?: SpacesData;
  /** The device that the run was trained with up to here; before there were others it was WebAssembly. */
  readonly device?: string;
}

const isNumber = (value: unknown): boolean => typeof value === "number" && Number.isFinite(value);
const isWhole = (value: unknown): boolean => Number.isSafeInteger(value) && (value as number) >= 0;

/** The metadata of a checkpoint of a run, checked by `compare`, of which a unit of work has so many steps. */
export function readMetadata(
  found: { readonly path: string; readonly step: number | null; readonly metadata: object },
  stepsPerUnit: number,
  compare: (identity: Identity) => void,
): Metadata {
  const { identity, best, gathered, history, ...rest } = found.metadata as Partial<Metadata>;
  if (!isRecord(identity) || best === undefined || gathered === undefined) {
    fail("resume", `${found.path} is no checkpoint of a training run; choose another directory`);
  }
  compare(identity);
  const isSound =
    (best === null || (isRecord(best) && isWhole(best.step) && isNumber(best.evalReturn))) &&
    isGathered(gathered) &&
    gathered.unit * stepsPerUnit === found.step &&
    isRecord(history) &&
    isWhole(history.bytes) &&
    typeof history.sha256 === "string" &&
    isWhole(rest.checkpointInterval) &&
    ["string", "undefined"].includes(typeof rest.device) &&
    Array.isArray(rest.changes) &&
    rest.changes.every(isRecord);
  if (!isSound) {
    fail(
      "resume",
      `what ${found.path} says about its run does not fit together, or another version of vibe-rl wrote it; ` +
        "remove it to go on from the one before, or choose another directory",
    );
  }
  return found.metadata as Metadata;
}

/** Whether plain data is what a run has gathered. */
function isGathered(value: unknown): value is Gathered {
  if (!isRecord(value) || !isRecord(value.since)) return false;
  const { sums, latest, updates, episodes } = value.since;
  return (
    isWhole(value.unit) &&
    [sums, latest].every((numbers) => isRecord(numbers) && Object.values(numbers).every(isNumber)) &&
    isWhole(updates) &&
    isRecord(episodes) &&
    isEpisodes(episodes) &&
    [value.episodeReturn, value.evalReturn].every((one) => one === null || isNumber(one))
  );
}

/** Whether plain data are episodes: lists of numbers that are of one length. */
function isEpisodes({ returns, lengths, steps }: Readonly<Record<string, unknown>>): boolean {
  const isList = (value: unknown): value is number[] => Array.isArray(value) && value.every(isNumber);
  return (
    isList(returns) &&
    isList(lengths) &&
    isList(steps) &&
    returns.length === lengths.length &&
    returns.length === steps.length
  );
}
