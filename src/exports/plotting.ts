// vibe-rl/plotting: reward curves and videos of episodes.
export * from "../plotting/index.js";
