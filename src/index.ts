// vibe-rl: deep reinforcement learning for TypeScript. The everyday surface; sub-paths carry the rest. Everything here
// is re-exported from modules without side effects but the device's, so that bundles hold only what is used.
export * from "./exports/array.js";
export * from "./exports/env.js";
export * from "./exports/agent.js";
export * from "./exports/algorithms/ppo.js";
export * from "./exports/algorithms/dqn.js";
export * from "./exports/algorithms/sac.js";
export * from "./exports/policy.js";
export * from "./exports/runner.js";
export * from "./exports/config.js";
