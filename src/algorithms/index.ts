// The algorithms, each a namespace of pure functions with its config, its losses and its trees.
export * from "./dqn/index.js";
export * from "./ppo/index.js";
export * from "./sac/index.js";
