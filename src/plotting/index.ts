// Pictures of runs: reward curves as PNG, SVG and PDF, episodes as animated GIF.
export { PlotConfig, type LegendPlace, type PlotStyle } from "./config.js";
export type { GroupBy, Run, RunLike } from "./data/runs.js";
export type { Shaded, SmoothMode } from "./data/series.js";
export { PlotError } from "./error.js";
export type { Figure } from "./figure.js";
export { colorFor, getColors, resetPalette, setPalette } from "./palette.js";
export { plotRewardCurve, type RewardCurveOptions } from "./rewardCurve.js";
export { plotSweep, type SweepLike } from "./sweepCurve.js";
export { renderEpisodeGif, type EpisodeGifOptions } from "./video/episode.js";
export type { Frame } from "./video/frame.js";
export { createGif, writeGif, type Gif, type GifOptions } from "./video/gif.js";
