// Checkpoints: trees of arrays on disk, whole or not at all, checked when they are read.
export { CheckpointError, DamagedCheckpointError } from "./errors.js";
export {
  initializeCheckpointDir,
  type InitializedCheckpoints,
  type InitializeOptions,
} from "./initialize.js";
export {
  beginJournal,
  isJournal,
  journalBytes,
  resumeJournal,
  type Journal,
  type JournalMark,
} from "./journal.js";
export {
  findCheckpoint,
  loadCheckpoint,
  loadMetadata,
  loadWhole,
  loadWholeBytes,
  type CheckpointInfo,
  type FindOptions,
  type Loaded,
  type LoadOptions,
} from "./load.js";
export {
  CheckpointManager,
  type CheckpointManagerOptions,
  type CheckpointMetrics,
  type ManagerSaveOptions,
} from "./manager.js";
export { checkpointBytes, type CheckpointBytes } from "./manifest.js";
export { manifestName, tensorsName } from "./names.js";
export { stepsToRemove } from "./retention.js";
export { obstacleAt, saveCheckpoint, type SaveOptions } from "./save.js";
export {
  bestCheckpoint,
  listCheckpoints,
  markBest,
  removeCheckpoints,
  stepName,
  type Checkpoint,
} from "./steps.js";
export { fromSafetensors, toSafetensors, type TextMetadata, type TreeContent } from "./treeBytes.js";
export { loadTree, saveTree, type LoadTreeOptions } from "./treeFile.js";
