// vibe-rl/runDir: the directory of a run.
export * from "../runDir/index.js";
