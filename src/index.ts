// vibe-rl: deep reinforcement learning for TypeScript. The everyday surface; sub-paths carry the rest.
export * from "./exports/array.js";
export * from "./exports/env.js";
