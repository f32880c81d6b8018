// Where a policy comes from: what its files tell besides how to act.
import { isRecord } from "../files/index.js";
import { version } from "./version.js";

/** Where a policy comes from. What nobody knows is `null`. */
export interface PolicyMetadata {
  /** The algorithm's name, or "network" for one of another program. */
  readonly algorithm: string;
  /** The environment that it was trained in, by its id or name. */
  readonly environment: string | null;
  /** How many steps of training it had. */
  readonly step: number | null;
  /** The seed of its run. */
  readonly seed: number | null;
  /** The mean return of the last evaluation up to that step. */
  readonly evalReturn: number | null;
  /** The vibe-rl that wrote it. */
  readonly version: string | null;
}

/** What can be told of a policy besides its algorithm. */
export type Told = Partial<Omit<PolicyMetadata, "algorithm">>;

const numberOr = (value: unknown): number | null =>
  typeof value === "number" && Number.isFinite(value) ? value : null;
const textOr = (value: unknown): string | null => (typeof value === "string" ? value : null);

/** Metadata with everything that is not told left open. */
export const metadataOf = (algorithm: string, told: Told = {}): PolicyMetadata => ({
  algorithm,
  environment: told.environment ?? null,
  step: told.step ?? null,
  seed: told.seed ?? null,
  evalReturn: told.evalReturn ?? null,
  version: told.version === undefined ? version : told.version,
});

/** What the text of a file tells; a file of an earlier version tells nothing. */
export function metadataFrom(algorithm: string, said: unknown): PolicyMetadata {
  const told = isRecord(said) ? said : {};
  return {
    algorithm,
    environment: textOr(told.environment),
    step: numberOr(told.step),
    seed: numberOr(told.seed),
    evalReturn: numberOr(told.evalReturn),
    version: textOr(told.version),
  };
}
