// Metrics: records of numbers to JSON lines, TensorBoard and Weights & Biases, and messages for people.
export { MetricsError } from "./errors.js";
export { lastLoggedStep, readMetrics } from "./jsonLines.js";
export { fanOut, type MetricsBackend } from "./fanOut.js";
export { MetricsLogger, type MetricsLoggerOptions } from "./logger.js";
export {
  formatLine,
  getLogger,
  logLevels,
  logStepProgress,
  setupLogging,
  type Logger,
  type LoggingOptions,
  type LogLevel,
} from "./logging.js";
export { type MetricsRecord, type PlainRecord, type PlainValue } from "./record.js";
export { TensorBoardBackend, type TensorBoardOptions } from "./tensorBoard.js";
export { checkWandb, resumeWandb, WandbBackend, wandbIdFile, type WandbOptions } from "./wandb.js";
