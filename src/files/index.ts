// Files that survive a killed process: plans of what to write, whole replacement, locks, failures in plain words; and
// names and tables as they are on disk and in consoles.
export { pieces, runNow, writeAll, type Action, type Plan } from "./actions.js";
export { runInBackground } from "./background.js";
export { columns } from "./columns.js";
export { explainFailure, failureCode } from "./failure.js";
export { foldersIn, isFolder, namesIn, startOfFile } from "./folders.js";
export { joined } from "./joined.js";
export { className, extendPath, isRecord, jsonProblem } from "./json.js";
export { lockName, LockError, lockOwner, takeLock, type Lock, type LockOwner } from "./lock.js";
export { camelCaseName, snakeCaseName, toCamelCase, toSnakeCase } from "./names.js";
export { forgetOutcome, noteOutcome, readOutcome, type Outcome } from "./outcome.js";
export {
  parseAside,
  planFile,
  planFolder,
  planRemoval,
  removeLeftovers,
  replaceFile,
  type NewFile,
} from "./replace.js";
