// Words that do not stop a run, in Node and in browsers.
import type { Curve } from "./curve.js";

/** Says something once. */
export function warn(message: string, kind = "RunWarning"): void {
  const host: {
    readonly process?: { readonly emitWarning?: (text: string, kind: string) => void };
    readonly console?: { readonly warn: (text: string) => void };
  } = globalThis;
  if (host.process?.emitWarning === undefined) host.console?.warn(`${kind}: ${message}`);
  else host.process.emitWarning(message, kind);
}

/** Says where the picture of a run is missing. */
export function warnOfCurve(curve: Curve | null): void {
  if (curve !== null && "problem" in curve) warn(curve.problem);
}

/** Looks after promises that nobody waits for: the first of a name that is broken is told, and the run goes on. */
export class Promises {
  private readonly told = new Set<string>();

  /** Takes what somebody else's function has returned. */
  watch(name: string, result: unknown): void {
    if (typeof result !== "object" || result === null || !("then" in result)) return;
    Promise.resolve(result).catch((error: unknown) => {
      if (this.told.has(name)) return;
      this.told.add(name);
      const reason = error instanceof Error ? error.message : String(error);
      warn(`${name} failed; the run goes on, and further failures of it are not told: ${reason}`);
    });
  }
}
