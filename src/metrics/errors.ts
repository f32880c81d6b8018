// Errors of metrics: what was given, what was expected, what to do.

/** Metrics that could not be written or read. */
export class MetricsError extends Error {
  override readonly name = "MetricsError";
}
