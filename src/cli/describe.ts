// Errors as they are told.
import { explainFailure, failureCode } from "../files/index.js";

/** An error for people: failures of the system in words, others by name. */
export function describe(error: unknown): string {
  if (!(error instanceof Error)) return `Error: ${String(error)}`;
  if (failureCode(error) === null) return `${error.name}: ${error.message}`;
  const { path } = error as { readonly path?: unknown };
  return `Error: ${typeof path === "string" ? `${path}: ` : ""}${explainFailure(error)}`;
}
