// MountainCarContinuous-v0: the mountain car with a throttle, paid for by the energy it uses. Gymnasium's
// equations.
import { np, type Array } from "../../array/index.js";
import type { Environment } from "../environment.js";
import { Box } from "../spaces.js";
import { finishStep, parameters } from "./episode.js";
import { atGoal, draw, drive, observe, start, type MountainLimits, type MountainState } from "./mountain.js";

export interface MountainCarContinuousParams extends MountainLimits {
  /** The throttle goes from minus this to this. */
  readonly maxAction: Array;
  /** The push of a full throttle. */
  readonly power: Array;
  readonly maxSteps: Array;
}

export const mountainCarContinuous = (): Environment<MountainState, MountainCarContinuousParams> => ({
  name: "MountainCarContinuous-v0",
  defaultParams: () =>
    parameters(
      {
        maxAction: 1,
        minPosition: -1.2,
        maxPosition: 0.6,
        maxSpeed: 0.07,
        goalPosition: 0.45,
        goalVelocity: 0,
        power: 0.0015,
        gravity: 0.0025,
      },
      999,
    ),
  observationSpace: ({ minPosition, maxPosition, maxSpeed }) =>
    Box({ low: np.stack([minPosition, maxSpeed.neg()]), high: np.stack([maxPosition, maxSpeed]) }),
  actionSpace: ({ maxAction }) => Box({ low: maxAction.neg(), high: maxAction, shape: [1] }),
  reset: start,
  step(_key, state, action, params) {
    const throttle = action.reshape([]);
    const push = throttle.clip(params.maxAction.neg(), params.maxAction).mul(params.power);
    const next = drive(state, push, params);
    const terminated = atGoal(next, params);
    // The cost is that of the action as given, not as limited.
    const reward = np.where(terminated, np.float32(100), 0).sub(np.square(throttle).mul(0.1));
    return finishStep(observe(next), next, reward, terminated, params);
  },
  render: draw,
});
