// InvertedDoublePendulum: a cart on a rail balances two poles, one on top of the other. The task of Gymnasium's
// InvertedDoublePendulum-v5 (https://gymnasium.farama.org/environments/mujoco/inverted_double_pendulum), in a model of
// our own.
import type { MujocoTask } from "../task.js";

// Gravity pulls a very little to the side, as in the published one: standing still is not enough.
const model = `
<mujoco model="inverted double pendulum">
  <option timestep="0.01" integrator="RK4" gravity="1e-5 0 -9.81"/>
  <size memory="256K"/>
  <default>
    <geom type="capsule" contype="0" conaffinity="0"/>
    <joint type="hinge" axis="0 1 0" damping="0.05"/>
    <default class="pole">
      <geom size="0.045" fromto="0 0 0 0 0 0.6"/>
    </default>
  </default>
  <worldbody>
    <geom name="rail" size="0.02" fromto="-1 0 0 1 0 0" rgba="0.58 0.64 0.72 1"/>
    <body name="cart">
      <joint name="cart_x" type="slide" axis="1 0 0" range="-1 1" margin="0.01"/>
      <geom name="cart" size="0.1" fromto="-0.1 0 0 0.1 0 0" rgba="0.28 0.34 0.42 1"/>
      <body name="lower" childclass="pole">
        <joint name="lower_angle"/>
        <geom name="lower" rgba="0.96 0.62 0.04 1"/>
        <body name="upper" pos="0 0 0.6">
          <joint name="upper_angle"/>
          <geom name="upper" rgba="0.15 0.39 0.92 1"/>
          <site name="tip" pos="0 0 0.6"/>
        </body>
      </body>
    </body>
  </worldbody>
  <actuator>
    <motor name="push" joint="cart_x" gear="500" ctrlrange="-1 1"/>
  </actuator>
</mujoco>`;

export interface InvertedDoublePendulumOptions {
  /** The scale of the noise that episodes start with: uniform in positions, normal in velocities (0.1). */
  readonly resetNoise?: number;
  /** The reward of a step in which the poles stand (10). */
  readonly healthyReward?: number;
}

const clip = (value: number, bound: number): number => Math.min(Math.max(value, -bound), bound);

/** Rewards standing poles; the tip's way from (0, 2 m) and fast poles cost. It ends when the tip is below 1 m. */
export const invertedDoublePendulum = ({
  resetNoise = 0.1,
  healthyReward = 10,
}: InvertedDoublePendulumOptions = {}): MujocoTask => ({
  name: "InvertedDoublePendulum",
  model,
  frameSkip: 5,
  start: ({ data: { qpos, qvel } }, random) => {
    for (let index = 0; index < 3; index++) qpos[index] += random.uniform(-resetNoise, resetNoise);
    for (let index = 0; index < 3; index++) qvel[index] += resetNoise * random.normal();
  },
  observe: ({ data: { qpos, qvel, qfrc_constraint: force } }) => [
    qpos[0],
    Math.sin(qpos[1]),
    Math.sin(qpos[2]),
    Math.cos(qpos[1]),
    Math.cos(qpos[2]),
    clip(qvel[0], 10),
    clip(qvel[1], 10),
    clip(qvel[2], 10),
    clip(force[0], 10),
  ],
  outcome: ({ physics: { mujoco, model: compiled, data } }) => {
    // After a step, places lag a little behind the state.
    mujoco.mj_kinematics(compiled, data);
    const [x, , z] = data.site_xpos;
    const [, lower, upper] = data.qvel;
    const terminated = z <= 1;
    const rewards = {
      healthy: terminated ? 0 : healthyReward,
      distance: -(0.01 * x ** 2 + (z - 2) ** 2),
      velocity: -(1e-3 * lower ** 2 + 5e-3 * upper ** 2),
    };
    return { rewards, terminated };
  },
  camera: { height: 0.55, metres: 1.9 },
});
