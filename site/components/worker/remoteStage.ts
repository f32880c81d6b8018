// A stage whose environment and policy are in a worker.
import type { Stage } from "../stage.js";
import type { OpenStage } from "./entry.js";
import type { EnvSource } from "./environments.js";
import type { Library } from "./library.js";

export interface RemoteStage extends Stage {
  readonly info: OpenStage;
}

/** Puts an environment on stage in a worker. */
export async function remoteStage(library: Library, source: EnvSource): Promise<RemoteStage> {
  const info = await library.call("openStage", source);
  return {
    info,
    reset: (seed) => library.call("resetStage", seed),
    advance: (steps, action) => library.call("advanceStage", { steps, action }),
    close: () => undefined,
  };
}
