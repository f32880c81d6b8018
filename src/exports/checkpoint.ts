// vibe-rl/checkpoint: saving and loading trees of arrays.
export * from "../checkpoint/index.js";
