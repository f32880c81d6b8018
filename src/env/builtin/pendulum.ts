// Pendulum-v1: swing a pendulum up and hold it there with a limited torque. Gymnasium's equations.
import { np, random, type Array } from "../../array/index.js";
import type { Environment } from "../environment.js";
import { Box } from "../spaces.js";
import { circle, colors, line, numbersIn, picture, polar, type Point } from "../svg.js";
import { finishStep, parameters } from "./episode.js";

export interface PendulumParams {
  readonly maxSpeed: Array;
  readonly maxTorque: Array;
  /** Seconds per step. */
  readonly dt: Array;
  readonly gravity: Array;
  readonly mass: Array;
  readonly length: Array;
  readonly maxSteps: Array;
}

export interface PendulumState {
  /** From upright, not wrapped. */
  readonly angle: Array;
  readonly angularVelocity: Array;
  readonly time: Array;
}

const observe = ({ angle, angularVelocity }: PendulumState): Array =>
  np.stack([np.cos(angle), np.sin(angle), angularVelocity]);

/** The same angle in [−π, π). */
const wrapped = (angle: Array): Array =>
  angle
    .add(Math.PI)
    .mod(2 * Math.PI)
    .sub(Math.PI);

export const pendulum = (): Environment<PendulumState, PendulumParams> => ({
  name: "Pendulum-v1",
  defaultParams: () =>
    parameters({ maxSpeed: 8, maxTorque: 2, dt: 0.05, gravity: 10, mass: 1, length: 1 }, 200),
  observationSpace: ({ maxSpeed }) => {
    const high = np.stack([1, 1, maxSpeed]);
    return Box({ low: high.neg(), high });
  },
  actionSpace: ({ maxTorque }) => Box({ low: maxTorque.neg(), high: maxTorque, shape: [1] }),
  reset(key) {
    const [angle, angularVelocity] = random.uniform(key, [2], { minval: -1, maxval: 1 });
    const state = { angle: angle.mul(Math.PI), angularVelocity, time: np.int32(0) };
    return [observe(state), state];
  },
  step(_key, { angle, angularVelocity, time }, action, params) {
    const { gravity, mass, length, dt, maxSpeed, maxTorque } = params;
    const torque = action.reshape([]).clip(maxTorque.neg(), maxTorque);
    const cost = np
      .square(wrapped(angle))
      .add(np.square(angularVelocity).mul(0.1))
      .add(np.square(torque).mul(0.001));
    const acceleration = gravity
      .mul(1.5)
      .div(length)
      .mul(np.sin(angle))
      .add(torque.mul(3).div(mass.mul(np.square(length))));
    const speed = angularVelocity.add(acceleration.mul(dt)).clip(maxSpeed.neg(), maxSpeed);
    const next = { angle: angle.add(speed.mul(dt)), angularVelocity: speed, time: time.add(1) };
    return finishStep(observe(next), next, cost.neg(), np.bool(false), params);
  },
  render(state) {
    const { angle, angularVelocity } = numbersIn("state", state, "angle", "angularVelocity");
    const middle: Point = [200, 200];
    // Gymnasium counts angles counter-clockwise.
    const tip = polar(middle, 140, -angle);
    const trail = polar(middle, 140, -(angle - angularVelocity * 0.05));
    return picture(400, 400, [
      circle(middle, 140, "none", { stroke: colors.shade, "stroke-width": 2 }),
      line(middle, trail, colors.shade, 18),
      line(middle, tip, colors.red, 18),
      circle(tip, 16, colors.orange),
      circle(middle, 7, colors.ink),
    ]);
  },
});
