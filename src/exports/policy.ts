// vibe-rl/policy: trained agents for those who only want their actions.
import "../device/index.js";

export * from "../policy/index.js";
