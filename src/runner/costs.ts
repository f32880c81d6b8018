// What the settings of a run cost in memory, in bytes. The state that it begins with is known to the byte; what programs
// need in between is estimated.
import type { PPOConfig } from "../algorithms/index.js";
import type { RunnerConfig } from "./config.js";
import type { Cost } from "./memory.js";

// Measured with CartPole: 0.8 to 1.2 of what programs take for environments, rollouts, batches and evaluations.

/** What a network has in memory for one observation while it acts: a layer and the one before it. */
const acting = (hiddenSizes: readonly number[]): number => 8 * Math.max(0, ...hiddenSizes);

/** The same while it learns: all layers, and their derivatives. */
const learning = (hiddenSizes: readonly number[]): number =>
  8 * hiddenSizes.reduce((sum, width) => sum + width, 0);

/** The costs of a PPO run, for some seeds side by side. */
export function ppoCosts(
  bytes: { readonly agentState: number; readonly envObs: number; readonly envState: number },
  { numEnvs, nSteps, hiddenSizes }: PPOConfig,
  { evalEpisodes }: RunnerConfig,
  seeds: number,
): Cost[] {
  const playing = bytes.envObs + bytes.envState;
  // Observations and where episodes were cut off, and some ten numbers; the critic sees all of it at once.
  const step = (2 * bytes.envObs) / numEnvs + 40 + acting(hiddenSizes);
  const rollout = {
    what: `a rollout of ${numEnvs} × ${nSteps} steps`,
    bytes: seeds * numEnvs * nSteps * step,
  };
  return [
    {
      ...{ setting: "hiddenSizes", value: hiddenSizes, what: "networks and optimiser" },
      bytes: seeds * bytes.agentState,
    },
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

/** The costs of a run of DQN or SAC. */
export function offPolicyCosts(
  bytes: Readonly<Record<"agentState" | "buffer" | "obs" | "envState", number>>,
  { batchSize, hiddenSizes }: { readonly batchSize: number; readonly hiddenSizes: readonly number[] },
  { numEnvs, bufferSize, evalEpisodes }: RunnerConfig,
): Cost[] {
  const playing = (bytes.obs + bytes.envState) / numEnvs + acting(hiddenSizes);
  const transition = bytes.buffer / bufferSize;
  return [
    { setting: "bufferSize", value: bufferSize, what: "the replay ring", bytes: bytes.buffer },
    {
      ...{ setting: "hiddenSizes", value: hiddenSizes, what: "networks and optimisers" },
      bytes: bytes.agentState,
    },
    { setting: "numEnvs", value: numEnvs, what: "environments", bytes: numEnvs * playing },
    {
      ...{ setting: "batchSize", value: batchSize, what: "a batch" },
      bytes: batchSize * (transition + learning(hiddenSizes)),
    },
    {
      ...{ setting: "evalEpisodes", value: evalEpisodes, what: "episodes side by side" },
      bytes: evalEpisodes * playing,
    },
  ];
}
