// Errors of the dashboard: what a request is refused with, and why the server cannot start.

/** A dashboard that cannot be started. */
export class DashboardError extends Error {
  override readonly name = "DashboardError";
}

/** A request that is refused, with the status of its answer. */
export class Refusal extends Error {
  override readonly name = "Refusal";

  constructor(
    readonly status: 400 | 403 | 404 | 405 | 409 | 416 | 421,
    message: string,
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super(message);
  }
}
