// vibe-rl/metrics: logging what a run measures.
export * from "../metrics/index.js";
