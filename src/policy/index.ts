// Policies: trained agents for those who only want their actions, in Node and in browsers.
export {
  exportFormats,
  exportPolicy,
  type ExportedFile,
  type ExportedPolicy,
  type ExportFormat,
  type ExportPolicyOptions,
} from "./export.js";
export { loadPolicy, type LoadPolicyOptions, type PolicySource } from "./load.js";
export { createPolicy, networkParamsOf, type CreatePolicyOptions } from "./policy.js";
export type { ImportOptions } from "./imported.js";
export type { PolicyMetadata } from "./metadata.js";
export { spaceToData, type SpaceData } from "../env/index.js";
export type { Action, Algorithm, PlainObs, Policy, PolicyAlgorithm, PolicyOptions } from "./types.js";
