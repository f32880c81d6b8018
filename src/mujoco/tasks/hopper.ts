// Hopper: a leg with three joints learns to hop forward. The task of Gymnasium's Hopper-v5
// (https://gymnasium.farama.org/environments/mujoco/hopper), in a model of our own.
import { addNoise, type MujocoTask } from "../task.js";

// Each body's origin is its joint. All of it moves in the plane of x and z; `height` counts from the ground.
const model = `
<mujoco model="hopper">
  <option timestep="0.002" integrator="RK4"/>
  <size memory="1M"/>
  <default>
    <geom type="capsule" condim="1" friction="0.9" margin="0.001" solref="0.02 1" solimp="0.8 0.8 0.01"/>
    <default class="root">
      <joint armature="0" damping="0"/>
    </default>
    <default class="joint">
      <joint type="hinge" axis="0 -1 0" armature="1" damping="1" range="-150 0"/>
    </default>
    <motor gear="200" ctrlrange="-1 1"/>
  </default>
  <worldbody>
    <geom name="ground" type="plane" condim="3" size="0 0 1"/>
    <body name="torso" pos="0 0 1.25">
      <joint class="root" name="x" type="slide" axis="1 0 0"/>
      <joint class="root" name="height" type="slide" axis="0 0 1" ref="1.25"/>
      <joint class="root" name="tilt" type="hinge" axis="0 1 0"/>
      <geom name="torso" size="0.05" fromto="0 0 -0.2 0 0 0.2" rgba="0.15 0.39 0.92 1"/>
      <body name="thigh" pos="0 0 -0.2">
        <joint class="joint" name="hip"/>
        <geom name="thigh" size="0.05" fromto="0 0 0 0 0 -0.45" rgba="0.96 0.62 0.04 1"/>
        <body name="shin" pos="0 0 -0.45">
          <joint class="joint" name="knee"/>
          <geom name="shin" size="0.04" fromto="0 0 0 0 0 -0.5" rgba="0.06 0.73 0.51 1"/>
          <body name="foot" pos="0 0 -0.5">
            <joint class="joint" name="ankle" range="-45 45"/>
            <geom name="foot" size="0.06" fromto="-0.13 0 0 0.26 0 0" friction="2" rgba="0.28 0.34 0.42 1"/>
          </body>
        </body>
      </body>
    </body>
  </worldbody>
  <actuator>
    <motor name="hip" joint="hip"/>
    <motor name="knee" joint="knee"/>
    <motor name="ankle" joint="ankle"/>
  </actuator>
</mujoco>`;

export interface HopperOptions {
  /** Episodes start with every position and velocity up to this far from standing (0.005). */
  readonly resetNoise?: number;
  /** The reward for each metre a second forward (1). */
  readonly forwardWeight?: number;
  /** The reward of a step in which it is healthy (1). */
  readonly healthyReward?: number;
  /** The cost of the sum of squares of an action (0.001). */
  readonly controlWeight?: number;
  /** Whether an episode ends when it is not healthy (true). */
  readonly endsUnhealthy?: boolean;
}

/** Upright, above the ground, and with no position or velocity out of all bounds. */
const isHealthy = (qpos: Float64Array, qvel: Float64Array): boolean =>
  qpos[1] > 0.7 &&
  Math.abs(qpos[2]) < 0.2 &&
  [...qpos.subarray(2), ...qvel].every((value) => Math.abs(value) < 100);

/** Observes all positions but x, and velocities; rewards going forward and standing, and actions cost. */
export const hopper = ({
  resetNoise = 5e-3,
  forwardWeight = 1,
  healthyReward = 1,
  controlWeight = 1e-3,
  endsUnhealthy = true,
}: HopperOptions = {}): MujocoTask => ({
  name: "Hopper",
  model,
  frameSkip: 4,
  start: (physics, random) => addNoise(physics, random, resetNoise),
  observe: ({ data: { qpos, qvel } }) => [
    ...qpos.subarray(1),
    ...qvel.map((value) => Math.min(Math.max(value, -10), 10)),
  ],
  outcome: ({ physics: { data, dt }, action, before }) => {
    const { qpos, qvel } = data;
    const velocity = (qpos[0] - before[0]) / dt;
    const healthy = isHealthy(qpos, qvel);
    const rewards = {
      forward: forwardWeight * velocity,
      healthy: healthy ? healthyReward : 0,
      control: -controlWeight * action.reduce((sum, value) => sum + value ** 2, 0),
    };
    const log = { "hopper/x": qpos[0], "hopper/height": qpos[1], "hopper/velocity": velocity };
    return { rewards, terminated: endsUnhealthy && !healthy, log };
  },
  camera: { follow: "torso", height: 0.8, metres: 2.2 },
});
