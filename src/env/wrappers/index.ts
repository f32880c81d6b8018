// Wrappers: functions from an environment to an environment, to be put around each other in any order.
export { ClipAction, RescaleAction, type RescaleActionOptions } from "./actions.js";
export { AutoResetWrapper, playedOn } from "./autoReset.js";
export { EpisodeStatsWrapper, type EpisodeStatsState } from "./episodeStats.js";
export { frameCountOf, FrameStackWrapper, type FrameStackState } from "./frameStack.js";
export { GrayscaleWrapper, ImageNormWrapper, ImageResizeWrapper, type ImageResizeOptions } from "./images.js";
export { RewardScaleWrapper } from "./rewardScale.js";
export { TimeLimit, type TimeLimitState } from "./timeLimit.js";
export type { Wrapped } from "./wrapping.js";
