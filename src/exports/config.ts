// vibe-rl/config: whole runs as data: presets, and settings from words as the command line takes them.
import "../device/index.js";

export {
  applyOverrides,
  baseConfig,
  ConfigError,
  environmentOf,
  fieldsOf,
  presets,
} from "../config/index.js";
export type { FieldInfo, Override, Preset, TrainConfig } from "../config/index.js";
