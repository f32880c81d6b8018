// vibe-rl/runner: whole training runs, and evaluation.
import "../device/index.js";

export * from "../runner/index.js";
