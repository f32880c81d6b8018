// Run directories, and names as they are on disk and in TypeScript.
export { RunDirError } from "./errors.js";
export { camelCaseName, snakeCaseName, toCamelCase, toSnakeCase } from "./names.js";
export { findRuns, RunDir, type RunDirOptions } from "./runDir.js";
