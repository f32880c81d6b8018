// The five games of MinAtar.
export { asterix, type AsterixState } from "./asterix.js";
export { breakout, type BreakoutState } from "./breakout.js";
export { freeway, type FreewayState } from "./freeway.js";
export type { MinAtarOptions, MinAtarParams, MinAtarState, RampingParams } from "./game.js";
export { seaquest, type SeaquestState } from "./seaquest.js";
export { spaceInvaders, type SpaceInvadersState } from "./spaceInvaders.js";
