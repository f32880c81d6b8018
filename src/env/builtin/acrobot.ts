// Acrobot-v1: swing the tip of a two-link arm above the bar by torque at its elbow. Gymnasium's equations
// (the "book" dynamics of Sutton and Barto), integrated by one Runge–Kutta step of 0.2 s.
import { np, random, type Array } from "../../array/index.js";
import type { Environment } from "../environment.js";
import { Box, Discrete } from "../spaces.js";
import { circle, colors, line, numbersIn, picture, polar, shape, type Point } from "../svg.js";
import { finishStep, parameters } from "./episode.js";

export interface AcrobotParams {
  /** Seconds per step. */
  readonly dt: Array;
  readonly gravity: Array;
  readonly linkLength1: Array;
  readonly linkLength2: Array;
  readonly linkMass1: Array;
  readonly linkMass2: Array;
  /** Distance of a link's centre of mass from its joint. */
  readonly linkCenter1: Array;
  readonly linkCenter2: Array;
  /** Moment of inertia of each link. */
  readonly linkInertia: Array;
  /** Torque of the actions, which are −1, 0 and 1 times this. */
  readonly torque: Array;
  readonly maxVelocity1: Array;
  readonly maxVelocity2: Array;
  readonly maxSteps: Array;
}

export interface AcrobotState {
  /** Of the upper link, from hanging down, in [−π, π). */
  readonly angle1: Array;
  /** Of the lower link, relative to the upper one. */
  readonly angle2: Array;
  readonly velocity1: Array;
  readonly velocity2: Array;
  readonly time: Array;
}

type Motion = readonly [angle1: Array, angle2: Array, velocity1: Array, velocity2: Array];

/** The derivative of a motion by time. */
function derivative([angle1, angle2, w1, w2]: Motion, torque: Array, params: AcrobotParams): Motion {
  const { gravity, linkMass1: m1, linkMass2: m2, linkLength1: l1, linkInertia: inertia } = params;
  const { linkCenter1: c1, linkCenter2: c2 } = params;
  const [sin2, cos2] = [np.sin(angle2), np.cos(angle2)];
  const coupling = m2.mul(l1).mul(c2);
  const own2 = m2.mul(np.square(c2)).add(inertia);
  const d1 = m1
    .mul(np.square(c1))
    .add(m2.mul(np.square(l1)))
    .add(coupling.mul(cos2).mul(2))
    .add(own2)
    .add(inertia);
  const d2 = own2.add(coupling.mul(cos2));
  // cos(x − π/2) is sin(x), without the rounding of π.
  const phi2 = m2
    .mul(c2)
    .mul(gravity)
    .mul(np.sin(angle1.add(angle2)));
  const phi1 = m1
    .mul(c1)
    .add(m2.mul(l1))
    .mul(gravity)
    .mul(np.sin(angle1))
    .sub(
      coupling
        .mul(sin2)
        .mul(w2)
        .mul(w2.add(w1.mul(2))),
    )
    .add(phi2);
  const ratio = d2.div(d1);
  const a2 = torque
    .add(ratio.mul(phi1))
    .sub(coupling.mul(np.square(w1)).mul(sin2))
    .sub(phi2)
    .div(own2.sub(d2.mul(ratio)));
  return [w1, w2, d2.mul(a2).add(phi1).div(d1).neg(), a2];
}

/** A motion some time later along a slope. */
const along = (motion: Motion, slope: Motion, time: Array): Motion =>
  motion.map((value, at) => value.add(slope[at].mul(time))) as unknown as Motion;

/** The same angle in [−π, π). */
const wrapped = (angle: Array): Array =>
  angle.sub(np.floor(angle.add(Math.PI).div(2 * Math.PI)).mul(2 * Math.PI));

const observe = ({ angle1, angle2, velocity1, velocity2 }: AcrobotState): Array =>
  np.stack([np.cos(angle1), np.sin(angle1), np.cos(angle2), np.sin(angle2), velocity1, velocity2]);

export const acrobot = (): Environment<AcrobotState, AcrobotParams> => ({
  name: "Acrobot-v1",
  defaultParams: () =>
    parameters(
      {
        dt: 0.2,
        gravity: 9.8,
        linkLength1: 1,
        linkLength2: 1,
        linkMass1: 1,
        linkMass2: 1,
        linkCenter1: 0.5,
        linkCenter2: 0.5,
        linkInertia: 1,
        torque: 1,
        maxVelocity1: 4 * Math.PI,
        maxVelocity2: 9 * Math.PI,
      },
      500,
    ),
  observationSpace: ({ maxVelocity1, maxVelocity2 }) => {
    const high = np.stack([1, 1, 1, 1, maxVelocity1, maxVelocity2]);
    return Box({ low: high.neg(), high });
  },
  actionSpace: () => Discrete(3),
  reset(key) {
    const [angle1, angle2, velocity1, velocity2] = random.uniform(key, [4], { minval: -0.1, maxval: 0.1 });
    const state = { angle1, angle2, velocity1, velocity2, time: np.int32(0) };
    return [observe(state), state];
  },
  step(_key, { angle1, angle2, velocity1, velocity2, time }, action, params) {
    const { dt, maxVelocity1, maxVelocity2 } = params;
    const torque = action.sub(1).astype("float32").mul(params.torque);
    const start: Motion = [angle1, angle2, velocity1, velocity2];
    const half = dt.mul(0.5);
    const k1 = derivative(start, torque, params);
    const k2 = derivative(along(start, k1, half), torque, params);
    const k3 = derivative(along(start, k2, half), torque, params);
    const k4 = derivative(along(start, k3, dt), torque, params);
    const mean = k1.map((slope, at) => slope.add(k2[at].add(k3[at]).mul(2)).add(k4[at]).div(6));
    const [a1, a2, w1, w2] = along(start, mean as unknown as Motion, dt);
    const next: AcrobotState = {
      angle1: wrapped(a1),
      angle2: wrapped(a2),
      velocity1: w1.clip(maxVelocity1.neg(), maxVelocity1),
      velocity2: w2.clip(maxVelocity2.neg(), maxVelocity2),
      time: time.add(1),
    };
    const height = np
      .cos(next.angle1)
      .add(np.cos(next.angle1.add(next.angle2)))
      .neg();
    const terminated = height.greater(1);
    return finishStep(observe(next), next, np.where(terminated, 0, np.float32(-1)), terminated, params);
  },
  render(state, params) {
    const { angle1, angle2 } = numbersIn("state", state, "angle1", "angle2");
    const { linkLength1, linkLength2 } = numbersIn("params", params, "linkLength1", "linkLength2");
    const scale = 170 / (linkLength1 + linkLength2);
    const bar: Point = [200, 200];
    // Angles count counter-clockwise from straight down.
    const elbow = polar(bar, linkLength1 * scale, Math.PI - angle1);
    const tip = polar(elbow, linkLength2 * scale, Math.PI - angle1 - angle2);
    const goal = bar[1] - scale;
    return picture(400, 400, [
      shape("line", {
        x1: 20,
        y1: goal,
        x2: 380,
        y2: goal,
        stroke: colors.green,
        "stroke-width": 2,
        "stroke-dasharray": "8 6",
      }),
      line([140, 200], [260, 200], colors.shade, 6),
      line(bar, elbow, colors.blue, 14),
      line(elbow, tip, colors.orange, 14),
      circle(bar, 8, colors.ink),
      circle(elbow, 8, colors.ink),
      circle(tip, 6, colors.red),
    ]);
  },
});
