// Policies: trained agents for those who only want their actions, in Node and in browsers.
export { loadPolicy, type LoadPolicyOptions, type PolicySource } from "./load.js";
export { createPolicy, type CreatePolicyOptions } from "./policy.js";
export type { Action, Algorithm, PlainObs, Policy, PolicyOptions } from "./types.js";
