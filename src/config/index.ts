// Configs of whole runs: presets, changes from the command line, files.
export { baseConfig } from "./base.js";
export { applyOverrides, ConfigError, fieldsOf, type FieldInfo, type Override } from "./overrides.js";
export { presets, type Preset, type TrainConfig } from "./presets.js";
export { configFrom, importsIn, plainConfig } from "./saved.js";
export { environmentOf, setUp, type Setup } from "./trainers.js";
