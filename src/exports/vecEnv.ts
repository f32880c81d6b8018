// vibe-rl/vecEnv: environments that are objects, alone and side by side.
import "../device/index.js";

export * from "../vecEnv/index.js";
