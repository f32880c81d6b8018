// What the settings of a run cost in memory, in bytes. The state that it begins with is known to the byte; what programs
// need in between is estimated.
import type { RunnerConfig } from "./config.js";
import type { LearnerConfig } from "./learners.js";
import type { Cost } from "./memory.js";
import type { RolloutConfig } from "./rollouts.js";

// Measured with CartPole: 0.8 to 1.2 of what programs take for environments, rollouts, batches and evaluations.

/** What a network has in memory for one observation while it acts: a layer and the one before it. */
const acting = (hiddenSizes: readonly number[]): number => 8 * Math.max(0, ...hiddenSizes);

/** The same while it learns: all layers, and their derivatives. */
const learning = (hiddenSizes: readonly number[]): number =>
  8 * hiddenSizes.reduce((sum, width) => sum + width, 0);

/** Of networks that only the user knows. */
const usualSizes = [64, 64];

/** What networks and optimisers cost. */
const agentCost = (hiddenSizes: readonly number[] | undefined, what: string, bytes: number): Cost => ({
  ...{ what, bytes },
  ...(hiddenSizes === undefined
    ? { setting: "the agent", value: [] }
    : { setting: "hiddenSizes", value: hiddenSizes }),
});

/** The costs of a run that learns from rollouts, for some seeds side by side. */
export function rolloutCosts(
  bytes: { readonly agentState: number; readonly envObs: number; readonly envState: number },
  { numEnvs, nSteps, hiddenSizes: told }: RolloutConfig,
  { evalEpisodes }: RunnerConfig,
  seeds: number,
): Cost[] {
  const hiddenSizes = told ?? usualSizes;
  const playing = bytes.envObs + bytes.envState;
  // Observations and where episodes were cut off, and some ten numbers; the critic sees all of it at once.
  const step = (2 * bytes.envObs) / numEnvs + 40 + acting(hiddenSizes);
  const rollout = {
    what: `a rollout of ${numEnvs} × ${nSteps} steps`,
    bytes: seeds * numEnvs * nSteps * step,
  };
  return [
    agentCost(told, "networks and optimiser", seeds * bytes.agentState),
    { setting: "numEnvs", value: numEnvs, what: "environments", bytes: seeds * playing },
    numEnvs > nSteps
      ? { setting: "numEnvs", value: numEnvs, ...rollout }
      : { setting: "nSteps", value: nSteps, ...rollout },
    {
      ...{ setting: "evalEpisodes", value: evalEpisodes, what: "episodes side by side" },
      bytes: evalEpisodes * (playing / numEnvs + acting(hiddenSizes)),
    },
  ];
}

/** The costs of a run that learns from replay, on each of so many devices. */
export function offPolicyCosts(
  bytes: Readonly<Record<"agentState" | "buffer" | "obs" | "envState", number>>,
  { batchSize, hiddenSizes: told }: Pick<LearnerConfig, "batchSize" | "hiddenSizes">,
  { numEnvs, bufferSize, evalEpisodes }: RunnerConfig,
  devices: number,
): Cost[] {
  const hiddenSizes = told ?? usualSizes;
  const playing = (bytes.obs + bytes.envState) / numEnvs + acting(hiddenSizes);
  const transition = bytes.buffer / bufferSize;
  return [
    { setting: "bufferSize", value: bufferSize, what: "the replay ring", bytes: bytes.buffer / devices },
    agentCost(told, "networks and optimisers", bytes.agentState),
    { setting: "numEnvs", value: numEnvs, what: "environments", bytes: (numEnvs * playing) / devices },
    {
      ...{ setting: "batchSize", value: batchSize, what: "a batch" },
      bytes: (batchSize * (transition + learning(hiddenSizes))) / devices,
    },
    {
      ...{ setting: "evalEpisodes", value: evalEpisodes, what: "episodes side by side" },
      bytes: evalEpisodes * playing,
    },
  ];
}
