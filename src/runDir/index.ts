// Run directories.
export { RunDirError } from "./errors.js";
export { findRuns, RunDir, type RunDirOptions } from "./runDir.js";
