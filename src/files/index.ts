// Files that survive a killed process: plans of what to write, whole replacement, failures in plain words.
export { pieces, runInBackground, runNow, writeAll, type Action, type Plan } from "./actions.js";
export { explainFailure, failureCode } from "./failure.js";
export { extendPath, isRecord, jsonProblem } from "./json.js";
export {
  namesIn,
  parseAside,
  planFolder,
  planRemoval,
  removeLeftovers,
  replaceFile,
  type NewFile,
} from "./replace.js";
