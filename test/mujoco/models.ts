// Small models for tests, as users would write them.
import type { MujocoTask } from "vibe-rl/mujoco";

/** A pendulum that nothing slows down, hung on a motor. */
export const freePendulum: MujocoTask = {
  name: "FreePendulum",
  model: `
    <mujoco>
      <option timestep="0.002" integrator="RK4"><flag energy="enable"/></option>
      <worldbody>
        <body name="arm" pos="0 0 1">
          <joint name="hinge" axis="0 1 0"/>
          <geom type="capsule" size="0.02" fromto="0 0 0 0 0 -0.5" contype="0" conaffinity="0"/>
        </body>
      </worldbody>
      <actuator><motor joint="hinge"/></actuator>
    </mujoco>`,
  maxSteps: Infinity,
  start: ({ data }) => {
    data.qpos[0] = 2;
  },
  outcome: ({ physics }) => ({
    rewards: { up: -Math.cos(physics.data.qpos[0]), energy: 0 },
    terminated: false,
  }),
};

/** A thing of every shape in the air, and a ground. */
export const shapes: MujocoTask = {
  name: "Shapes",
  model: `
    <mujoco>
      <worldbody>
        <geom type="plane" size="0 0 1"/>
        <geom type="sphere" size="0.2" pos="-1 0 1" rgba="1 0 0 1"/>
        <geom type="box" size="0.3 0.2 0.1" pos="0 0 1" rgba="0 1 0 0.5"/>
        <geom type="cylinder" size="0.2 0.4" pos="1 0 1" rgba="0 0 1 1"/>
        <geom type="capsule" size="0.1 0.3" pos="0 0 2" quat="0.7071 0 0.7071 0"/>
        <geom type="ellipsoid" size="0.1 0.2 0.3" pos="1 0 2"/>
        <geom type="sphere" size="0.2" group="3"/>
        <geom type="sphere" size="0.2" rgba="1 1 1 0"/>
        <body name="slider"><joint name="slide" type="slide" axis="1 0 0"/>
          <geom type="sphere" size="0.05" contype="0" conaffinity="0"/></body>
      </worldbody>
      <actuator><motor joint="slide" ctrlrange="-1 1"/></actuator>
    </mujoco>`,
  outcome: () => ({ rewards: { none: 0 }, terminated: false }),
  camera: { height: 1, metres: 4 },
};
