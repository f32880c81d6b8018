// Run directories.
export { RunDirError } from "./errors.js";
export { forgetOutcome, noteOutcome, outcomeStates, readOutcome, type Outcome } from "./outcome.js";
export { findRuns, RunDir, type RunDirOptions } from "./runDir.js";
