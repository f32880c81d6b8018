// What each preset must reach: a statistic of the greedy results of all seeds, at a number of steps.

const mean = (list) => list.reduce((sum, x) => sum + x, 0) / list.length;

const median = (list) => {
  const sorted = [...list].sort((a, b) => a - b);
  return (sorted[(sorted.length - 1) >> 1] + sorted[sorted.length >> 1]) / 2;
};

export const statistics = { mean, median };

/** The share of seeds, in per cent, whose greedy episodes all take the shortest way. */
const shortestWay = ({ meanLength, meanReturn }) => (meanLength <= 8.001 && meanReturn > 0.9 ? 100 : 0);

const episodeReturn = ({ meanReturn }) => meanReturn;

/**
 * `measure` is what one seed is worth, `statistic` what counts of all seeds, `steps` the budget where it is
 * shorter than the preset's.
 */
export const targets = {
  cartpole_ppo: { measure: episodeReturn, statistic: "median", least: 475, steps: 100_000 },
  acrobot_ppo: { measure: episodeReturn, statistic: "mean", least: -100 },
  pendulum_ppo: { measure: episodeReturn, statistic: "mean", least: -250 },
  gridworld_dqn: { measure: shortestWay, statistic: "mean", least: 100, unit: "%" },
  cartpole_dqn: { measure: episodeReturn, statistic: "median", least: 450, steps: 100_000 },
  pixelgrid_ppo: { measure: shortestWay, statistic: "mean", least: 95, unit: "%" },
  mountaincar_dqn: { measure: episodeReturn, statistic: "median", least: -130 },
  pendulum_sac: { measure: episodeReturn, statistic: "mean", least: -200, steps: 20_000 },
};
