// MountainCar-v0: rock a weak car back and forth until it climbs the right hill. Gymnasium's equations
// (Moore 1990).
import { np, type Array } from "../../array/index.js";
import type { Environment } from "../environment.js";
import { Box, Discrete } from "../spaces.js";
import { finishStep, parameters } from "./episode.js";
import { atGoal, draw, drive, observe, start, type MountainLimits, type MountainState } from "./mountain.js";

export interface MountainCarParams extends MountainLimits {
  /** The engine's push, for actions −1, 0 and 1 times. */
  readonly force: Array;
  readonly maxSteps: Array;
}

export const mountainCar = (): Environment<MountainState, MountainCarParams> => ({
  name: "MountainCar-v0",
  defaultParams: () =>
    parameters(
      {
        minPosition: -1.2,
        maxPosition: 0.6,
        maxSpeed: 0.07,
        goalPosition: 0.5,
        goalVelocity: 0,
        force: 0.001,
        gravity: 0.0025,
      },
      200,
    ),
  observationSpace: ({ minPosition, maxPosition, maxSpeed }) =>
    Box({ low: np.stack([minPosition, maxSpeed.neg()]), high: np.stack([maxPosition, maxSpeed]) }),
  actionSpace: () => Discrete(3),
  reset: start,
  step(_key, state, action, params) {
    const next = drive(state, action.sub(1).astype("float32").mul(params.force), params);
    return finishStep(observe(next), next, np.float32(-1), atGoal(next, params), params);
  },
  render: draw,
});
