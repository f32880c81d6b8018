// The environment that a command line names, among those of vibe-rl and those that were imported.
import { tellNearest } from "../array/index.js";
import type { TrainConfig } from "../config/index.js";
import { listEnvs } from "../env/index.js";
import { isHostEnv, listHostEnvs } from "../vecEnv/index.js";
import { UsageError } from "./arguments.js";

export const isKnownEnv = (id: string): boolean => isHostEnv(id) || listEnvs().includes(id);

/** All environments there are: functional ones, and those that are objects. */
export const allEnvs = (): string[] => [...new Set([...listEnvs(), ...listHostEnvs()])].sort();

/** Refuses an environment that nobody has registered. */
export function checkEnv({ envId, imports = [] }: TrainConfig): void {
  if (isKnownEnv(envId)) return;
  const advice =
    imports.length === 0
      ? "One of your own is registered by a file, which --import FILE loads"
      : `${imports.join(", ")} was loaded and has not registered it: does it call register or registerHost, of the ` +
        "vibe-rl that this command belongs to?";
  throw new UsageError(
    `there is no environment ${JSON.stringify(envId)}; ${tellNearest(envId, allEnvs())}. ${advice}`,
  );
}
