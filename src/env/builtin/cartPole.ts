// CartPole-v1: push a cart left or right to keep a pole upright. Gymnasium's equations and constants (Barto,
// Sutton and Anderson 1983).
import { np, random, type Array } from "../../array/index.js";
import type { Environment } from "../environment.js";
import { Box, Discrete } from "../spaces.js";
import { circle, colors, line, numbersIn, picture, polar, rect, type Point } from "../svg.js";
import { finishStep, parameters } from "./episode.js";

export interface CartPoleParams {
  readonly gravity: Array;
  readonly massCart: Array;
  readonly massPole: Array;
  /** Half of the pole's length. */
  readonly halfLength: Array;
  readonly force: Array;
  /** Seconds per step. */
  readonly tau: Array;
  /** The pole has fallen beyond this angle, in radians. */
  readonly angleLimit: Array;
  /** The cart has left the track beyond this distance. */
  readonly positionLimit: Array;
  readonly maxSteps: Array;
}

export interface CartPoleState {
  readonly position: Array;
  readonly velocity: Array;
  /** Clockwise from upright. */
  readonly angle: Array;
  readonly angularVelocity: Array;
  readonly time: Array;
}

const observe = ({ position, velocity, angle, angularVelocity }: CartPoleState): Array =>
  np.stack([position, velocity, angle, angularVelocity]);

export const cartPole = (): Environment<CartPoleState, CartPoleParams> => ({
  name: "CartPole-v1",
  defaultParams: () =>
    parameters(
      {
        gravity: 9.8,
        massCart: 1,
        massPole: 0.1,
        halfLength: 0.5,
        force: 10,
        tau: 0.02,
        angleLimit: (12 * 2 * Math.PI) / 360,
        positionLimit: 2.4,
      },
      500,
    ),
  observationSpace: ({ positionLimit, angleLimit }) => {
    const high = np.stack([positionLimit.mul(2), Infinity, angleLimit.mul(2), Infinity]);
    return Box({ low: high.neg(), high });
  },
  actionSpace: () => Discrete(2),
  reset(key) {
    const obs = random.uniform(key, [4], { minval: -0.05, maxval: 0.05 });
    const [position, velocity, angle, angularVelocity] = obs;
    return [obs, { position, velocity, angle, angularVelocity, time: np.int32(0) }];
  },
  step(_key, { position, velocity, angle, angularVelocity, time }, action, params) {
    const { massPole, halfLength, tau } = params;
    const totalMass = params.massCart.add(massPole);
    const poleMoment = massPole.mul(halfLength);
    const push = np.where(action.equal(1), params.force, params.force.neg());
    const [sin, cos] = [np.sin(angle), np.cos(angle)];
    const pull = push.add(poleMoment.mul(np.square(angularVelocity)).mul(sin)).div(totalMass);
    const angularAcceleration = params.gravity
      .mul(sin)
      .sub(cos.mul(pull))
      .div(halfLength.mul(np.subtract(4 / 3, massPole.div(totalMass).mul(np.square(cos)))));
    const acceleration = pull.sub(poleMoment.div(totalMass).mul(angularAcceleration).mul(cos));
    const next: CartPoleState = {
      position: position.add(tau.mul(velocity)),
      velocity: velocity.add(tau.mul(acceleration)),
      angle: angle.add(tau.mul(angularVelocity)),
      angularVelocity: angularVelocity.add(tau.mul(angularAcceleration)),
      time: time.add(1),
    };
    const terminated = np
      .abs(next.position)
      .greater(params.positionLimit)
      .or(np.abs(next.angle).greater(params.angleLimit));
    return finishStep(observe(next), next, np.float32(1), terminated, params);
  },
  render(state, params) {
    const { position, angle } = numbersIn("state", state, "position", "angle");
    const { positionLimit, halfLength } = numbersIn("params", params, "positionLimit", "halfLength");
    const scale = 280 / positionLimit;
    const ground = 310;
    const pivot: Point = [300 + position * scale, ground - 30];
    const tip = polar(pivot, Math.min(2 * halfLength * scale, 240), angle);
    return picture(600, 400, [
      line([20, ground], [580, ground], colors.faint, 3),
      rect([pivot[0] - 42, pivot[1] - 14], 84, 34, colors.ink, { rx: 8 }),
      circle([pivot[0] - 24, ground - 8], 8, colors.faint),
      circle([pivot[0] + 24, ground - 8], 8, colors.faint),
      line(pivot, tip, colors.orange, 12),
      circle(pivot, 6, colors.blue),
    ]);
  },
});
