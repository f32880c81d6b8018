// What each preset must reach: statistics of the greedy results of all seeds, at a number of steps.

const mean = (list) => list.reduce((sum, x) => sum + x, 0) / list.length;

const median = (list) => {
  const sorted = [...list].sort((a, b) => a - b);
  return (sorted[(sorted.length - 1) >> 1] + sorted[sorted.length >> 1]) / 2;
};

export const statistics = { mean, median, least: (list) => Math.min(...list) };

/** The share of seeds, in per cent, whose greedy episodes all take the shortest way. */
const shortestWay = ({ meanLength, meanReturn }) => (meanLength <= 8.001 && meanReturn > 0.9 ? 100 : 0);

const episodeReturn = ({ meanReturn }) => meanReturn;

/**
 * `measure` is what one seed is worth, `bars` what all must reach, `steps` the budget where it is not the preset's. With
 * a `vector`, the environment is an object that such a vector holds, and `preset` says whose settings it is trained with.
 * With `devices`, so many share the environments of the preset.
 */
export const targets = {
  cartpole_ppo: { measure: episodeReturn, bars: { mean: 495 } },
  cartpole_ppo_sync: {
    ...{ preset: "cartpole_ppo", vector: "SyncVecEnv", steps: 150_000 },
    ...{ measure: episodeReturn, bars: { median: 475 } },
  },
  cartpole_ppo_workers: {
    ...{ preset: "cartpole_ppo", vector: "WorkerVecEnv", steps: 150_000 },
    ...{ measure: episodeReturn, bars: { median: 475 } },
  },
  cartpole_ppo_devices: {
    ...{ preset: "cartpole_ppo", devices: 4 },
    ...{ measure: episodeReturn, bars: { mean: 495 } },
  },
  acrobot_ppo: { measure: episodeReturn, bars: { mean: -85, least: -100 } },
  pendulum_ppo: { measure: episodeReturn, bars: { mean: -175 } },
  gridworld_dqn: { measure: shortestWay, bars: { mean: 100 }, unit: "%" },
  cartpole_dqn: { measure: episodeReturn, bars: { mean: 480, least: 400 } },
  pixelgrid_ppo: { measure: shortestWay, bars: { mean: 95 }, unit: "%" },
  mountaincar_dqn: { measure: episodeReturn, bars: { median: -110, least: -140 } },
  pendulum_sac: { measure: episodeReturn, bars: { mean: -155 }, steps: 20_000 },
};
