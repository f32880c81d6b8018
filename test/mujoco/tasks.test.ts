// The three tasks: the physics of Gymnasium's models, and the rules of its tasks.
import { afterEach, expect, it } from "vitest";
import {
  hopper,
  invertedDoublePendulum,
  invertedPendulum,
  makeMujoco,
  type MujocoEnv,
  type MujocoTask,
} from "vibe-rl/mujoco";
import { describeMujoco } from "./installed.js";

const open: MujocoEnv[] = [];
async function start(task: MujocoTask, seed = 0): Promise<MujocoEnv> {
  const env = await makeMujoco(task);
  open.push(env);
  env.reset(seed);
  return env;
}
afterEach(() => {
  for (const env of open.splice(0)) env.close();
});

/** Steps with nothing done until the episode ends: how many, and the last step. */
function fall(env: MujocoEnv) {
  for (let steps = 1; ; steps++) {
    const last = env.step(new Float32Array(env.actionSpace.shape[0]));
    if (last[2] || last[3]) return { steps, last };
  }
}

/** Puts the simulation into a state. */
function put(env: MujocoEnv, qpos: readonly number[], qvel: readonly number[] = qpos.map(() => 0)): void {
  const { mujoco, model, data } = env.physics;
  data.qpos.set(qpos);
  data.qvel.set(qvel);
  mujoco.mj_forward(model, data);
}

const componentsOf = (step: ReturnType<MujocoEnv["step"]>) => step[4].rewardComponents;

describeMujoco("the physics is that of Gymnasium's own models", () => {
  // Positions after 20 actions sin(0.3 t + k) × the largest action, in the models of Gymnasium's v5 environments.
  const golden: [MujocoTask, number[]][] = [
    [invertedPendulum({ resetNoise: 0 }), [0.1275619633366071, -1.5732321455575495]],
    [
      invertedDoublePendulum({ resetNoise: 0 }),
      [-0.39169358544519767, -5.857733101346932, -0.4404107151934184],
    ],
    [
      hopper({ resetNoise: 0 }),
      [
        -0.0863750648074336, 1.2061735882748919, -0.4549023748004316, -0.24561844231469435,
        -0.3644946511898256, -0.02117660573713339,
      ],
    ],
  ];
  it.each(golden.map(([task, qpos]) => [task.name, task, qpos] as const))("%s", async (_, task, qpos) => {
    const env = await start(task);
    const largest = env.actionSpace.high.data()[0];
    const { nu } = env.physics.model;
    for (let t = 0; t < 20; t++) {
      // float32, as actions are, moves positions by about 1e-7.
      env.step(Float32Array.from({ length: nu }, (_unused, k) => largest * Math.sin(0.3 * t + k)));
    }
    [...env.physics.data.qpos].forEach((value, at) => expect(value).toBeCloseTo(qpos[at], 4));
  });
});

describeMujoco("InvertedPendulum", () => {
  it("has Gymnasium's spaces, duration of an action and time limit", async () => {
    const env = await start(invertedPendulum());
    expect(env.observationSpace.shape).toEqual([4]);
    expect(env.actionSpace.toString()).toBe("Box(float32[1] from -3 to 3)");
    expect(env.physics.dt).toBeCloseTo(0.04, 12);
  });

  it("starts within the noise and observes what it is", async () => {
    const env = await start(invertedPendulum());
    const [obs] = env.reset(5);
    expect(obs).toEqual(Float32Array.from([...env.physics.data.qpos, ...env.physics.data.qvel]));
    expect(obs.every((value) => value !== 0 && Math.abs(value) <= 0.01)).toBe(true);
  });

  it("falls if nothing is done: 1 a step, and 0 for the step in which it has fallen", async () => {
    const env = await start(invertedPendulum());
    const { steps, last } = fall(env);
    expect(steps).toBeGreaterThan(5);
    expect(steps).toBeLessThan(100);
    expect(last.slice(1, 4)).toEqual([0, true, false]);
    expect(Math.abs(env.physics.data.qpos[1])).toBeGreaterThan(0.2);
    put(env, [0, 0.15]);
    expect(env.step(0).slice(1, 4)).toEqual([1, false, false]);
    expect(componentsOf(env.step(0))).toEqual({ healthy: 1 });
  });

  it("is balanced for all 1000 steps by a simple rule, for the greatest return", async () => {
    const env = await start(invertedPendulum());
    let [obs] = env.reset(1);
    let total = 0;
    for (let step = 1; step <= 1000; step++) {
      const [x, angle, speed, turn] = obs;
      const [next, reward, terminated, truncated] = env.step(x + 10 * angle + speed + 2 * turn);
      expect([terminated, truncated]).toEqual([false, step === 1000]);
      [obs, total] = [next, total + reward];
    }
    expect(total).toBe(1000);
  });
});

describeMujoco("InvertedDoublePendulum", () => {
  it("has Gymnasium's spaces and duration of an action", async () => {
    const env = await start(invertedDoublePendulum());
    expect(env.observationSpace.shape).toEqual([9]);
    expect(env.actionSpace.toString()).toBe("Box(float32[1] from -1 to 1)");
    expect(env.physics.dt).toBeCloseTo(0.05, 12);
  });

  it("observes the cart, sines, cosines, bounded velocities and the force at the end of the rail", async () => {
    const env = await start(invertedDoublePendulum());
    put(env, [0.2, 0.5, -0.3], [20, -1, -30]);
    const observe = env.task.observe ?? (() => []);
    const [x, sin1, sin2, cos1, cos2, ...rest] = Array.from(observe(env.physics));
    expect([x, sin1, cos1]).toEqual([0.2, Math.sin(0.5), Math.cos(0.5)]);
    expect([sin2, cos2]).toEqual([Math.sin(-0.3), Math.cos(-0.3)]);
    expect(rest).toEqual([10, -1, -10, 0]);
    put(env, [1.1, 0, 0]);
    // Beyond the rail's end it pushes back.
    expect(observe(env.physics)[8]).toBe(-10);
  });

  it("rewards standing, and takes the tip's distance and the poles' speed off", async () => {
    const env = await start(invertedDoublePendulum({ resetNoise: 0 }));
    const step = env.step(0);
    const { healthy, distance, velocity } = componentsOf(step);
    expect(healthy).toBe(10);
    // The tip stands at 1.2 m.
    expect(distance).toBeCloseTo(-(0.8 ** 2), 4);
    expect(velocity).toBeCloseTo(0, 4);
    expect(step[1]).toBe(healthy + distance + velocity);
  });

  it("ends when the tip is at 1 m or below", async () => {
    const env = await start(invertedDoublePendulum());
    const { last } = fall(env);
    expect(last.slice(2, 4)).toEqual([true, false]);
    expect(componentsOf(last).healthy).toBe(0);
    expect(env.physics.data.site_xpos[2]).toBeLessThanOrEqual(1);
    expect(env.physics.data.site_xpos[2]).toBeGreaterThan(0.5);
  });
});

describeMujoco("Hopper", () => {
  it("has Gymnasium's spaces and duration of an action", async () => {
    const env = await start(hopper());
    expect(env.observationSpace.shape).toEqual([11]);
    expect(env.actionSpace.toString()).toBe("Box(float32[3] from -1 to 1)");
    expect(env.physics.dt).toBeCloseTo(0.008, 12);
  });

  it("stands at first at 1.25 m, and observes all but how far it has come, velocities bounded", async () => {
    const env = await start(hopper({ resetNoise: 0 }));
    expect(env.reset()[0]).toEqual(Float32Array.of(1.25, ...new Float32Array(10)));
    put(env, [7, 1.2, 0.1, -0.1, -0.2, 0.3], [1, 2, 3, -40, 5, 60]);
    const observed = Array.from(env.task.observe?.(env.physics) ?? []);
    expect(observed).toEqual([1.2, 0.1, -0.1, -0.2, 0.3, 1, 2, 3, -10, 5, 10]);
  });

  it("is rewarded for standing, for going forward, and less what it does", async () => {
    const env = await start(hopper({ resetNoise: 0 }));
    const still = env.step(new Float32Array(3));
    expect(componentsOf(still).healthy).toBe(1);
    expect(still[1]).toBeCloseTo(1, 2);
    put(env, [0, 1.4, 0, 0, 0, 0], [2, 0, 0, 0, 0, 0]);
    const { forward, healthy, control } = componentsOf(env.step(Float32Array.of(0.5, -0.5, 1)));
    expect(forward).toBeCloseTo(2, 0);
    expect(healthy).toBe(1);
    expect(control).toBeCloseTo(-0.0015, 12);
  });

  it.each([
    ["too low", [0, 0.69, 0, -1.2, -2.2, 0]],
    ["tilted", [0, 1.3, 0.25, 0, 0, 0]],
    ["tilted back", [0, 1.3, -0.25, 0, 0, 0]],
    ["out of all bounds", [0, 1.3, 0, 0, 0, 101]],
  ])("ends when it is %s", async (_, qpos) => {
    const env = await start(hopper());
    put(env, qpos);
    const step = env.step(new Float32Array(3));
    expect(step[2]).toBe(true);
    expect(componentsOf(step).healthy).toBe(0);
    const lasting = await start(hopper({ endsUnhealthy: false }));
    put(lasting, qpos);
    expect(lasting.step(new Float32Array(3))[2]).toBe(false);
  });

  it("falls over if nothing is done, within some seconds", async () => {
    const { steps, last } = fall(await start(hopper()));
    expect(steps).toBeGreaterThan(20);
    expect(steps).toBeLessThan(600);
    expect(last[2]).toBe(true);
  });

  it("logs where it is", async () => {
    const env = await start(hopper());
    const [, , , , info] = env.step(new Float32Array(3));
    expect(info.log).toEqual({
      "hopper/x": env.physics.data.qpos[0],
      "hopper/height": env.physics.data.qpos[1],
      "hopper/velocity": info.rewardComponents.forward,
    });
  });
});
