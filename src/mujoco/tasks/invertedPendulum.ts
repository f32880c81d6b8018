// InvertedPendulum: a cart on a rail balances a pole. The task of Gymnasium's InvertedPendulum-v5
// (https://gymnasium.farama.org/environments/mujoco/inverted_pendulum), in a model of our own.
import { addNoise, type MujocoTask } from "../task.js";

// The pole leans by a millimetre, as the published one does: standing still is not enough.
const model = `
<mujoco model="inverted pendulum">
  <option timestep="0.02" integrator="RK4"/>
  <size memory="256K"/>
  <default>
    <geom type="capsule" contype="0" conaffinity="0"/>
    <joint damping="1"/>
  </default>
  <worldbody>
    <geom name="rail" size="0.02" fromto="-1 0 0 1 0 0" rgba="0.58 0.64 0.72 1"/>
    <body name="cart">
      <joint name="cart_x" type="slide" axis="1 0 0" range="-1 1"/>
      <geom name="cart" size="0.1" fromto="-0.1 0 0 0.1 0 0" rgba="0.28 0.34 0.42 1"/>
      <body name="pole">
        <joint name="pole_angle" type="hinge" axis="0 1 0" range="-90 90"/>
        <geom name="pole" size="0.049" fromto="0 0 0 0.001 0 0.6" rgba="0.96 0.62 0.04 1"/>
      </body>
    </body>
  </worldbody>
  <actuator>
    <motor name="push" joint="cart_x" gear="100" ctrlrange="-3 3"/>
  </actuator>
</mujoco>`;

export interface InvertedPendulumOptions {
  /** Episodes start with every position and velocity up to this far from rest (0.01). */
  readonly resetNoise?: number;
  /** The pole has fallen when its angle is greater, in radians (0.2). */
  readonly maxAngle?: number;
}

/** Observes cart and pole angle, and their velocities; 1 a step until the pole has fallen. */
export const invertedPendulum = ({
  resetNoise = 0.01,
  maxAngle = 0.2,
}: InvertedPendulumOptions = {}): MujocoTask => ({
  name: "InvertedPendulum",
  model,
  frameSkip: 2,
  start: (physics, random) => addNoise(physics, random, resetNoise),
  outcome: ({ physics }) => {
    const terminated = Math.abs(physics.data.qpos[1]) > maxAngle;
    return { rewards: { healthy: terminated ? 0 : 1 }, terminated };
  },
  camera: { height: 0.3, metres: 1.6 },
});
