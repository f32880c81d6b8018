// Programs as StableHLO, the language of XLA.
export { inHalves, type Halves } from "./halves.js";
export { stablehlo, type Placement, type StablehloOptions, type StablehloProgram } from "./module.js";
export { logWords, type LoggedMessage } from "./printing.js";
