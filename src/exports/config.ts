// vibe-rl/config: whole runs as data: presets, and settings from words as the command line takes them.
import "../device/index.js";

export { applyOverrides, ConfigError, environmentOf, presets } from "../config/index.js";
export type { Override, Preset, TrainConfig } from "../config/index.js";
