// vibe-rl/nn: networks, distributions and optimisers, with compiled programs.
import "../device/index.js";

export * from "../nn/index.js";
