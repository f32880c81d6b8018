// vibe-rl/mujoco: physics as environments.
export * from "../mujoco/index.js";
