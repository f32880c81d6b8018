// Any model in MuJoCo as an environment: seeds, states, spaces, time limits, errors, memory.
import { afterEach, expect, it } from "vitest";
import type { MujocoEnv } from "vibe-rl/mujoco";
import { loadMujoco, makeMujoco, mujocoFactory, type MujocoTask } from "vibe-rl/mujoco";
import { describeMujoco } from "./installed.js";
import { freePendulum } from "./models.js";

const open: MujocoEnv[] = [];
async function make(task: Parameters<typeof makeMujoco>[0]): Promise<MujocoEnv> {
  const env = await makeMujoco(task);
  open.push(env);
  return env;
}
afterEach(() => {
  for (const env of open.splice(0)) env.close();
});

/** Observations and rewards of some steps, with actions that follow from the step. */
function play(env: MujocoEnv, count: number): number[] {
  return Array.from({ length: count }, (_, step) => {
    const action = Float32Array.from({ length: env.actionSpace.shape[0] }, (_unused, k) =>
      Math.sin(step + k),
    );
    const [obs, reward] = env.step(action);
    return [...obs, reward];
  }).flat();
}

const names = ["InvertedPendulum", "InvertedDoublePendulum", "Hopper"] as const;

describeMujoco("a MuJoCo environment", () => {
  it.each(names)(
    "of %s repeats itself from a seed, bit for bit, and differs from another's",
    async (name) => {
      const [first, second, third] = [await make(name), await make(name), await make(name)];
      const starts = [first.reset(7), second.reset(7), third.reset(8)].map(([obs]) => obs);
      expect(starts[0]).toEqual(starts[1]);
      expect(starts[0]).not.toEqual(starts[2]);
      expect(play(first, 20)).toEqual(play(second, 20));
      // What follows without a seed follows from the seed, and is a new start.
      expect(first.reset()).toEqual(second.reset());
      expect(first.reset()[0]).not.toEqual(starts[0]);
    },
  );

  it("starts differently every time without a seed", async () => {
    const [first, second] = [await make("Hopper"), await make("Hopper")];
    expect(first.reset()[0]).not.toEqual(second.reset()[0]);
  });

  it.each(names)("of %s goes on bit for bit from a state that went through JSON", async (name) => {
    const env = await make(name);
    env.reset(3);
    play(env, 9);
    const text = JSON.stringify(env.getState());
    const picture = env.render();
    const wanted = [play(env, 25), env.reset(), play(env, 5)];

    const other = await make(name);
    other.setState(JSON.parse(text));
    expect(JSON.stringify(other.getState())).toBe(text);
    expect(other.render()).toBe(picture);
    expect([play(other, 25), other.reset(), play(other, 5)]).toEqual(wanted);
  });

  it("is cut off at its time limit, counted from the saved state on", async () => {
    const env = await make({ ...freePendulum, maxSteps: 5 });
    env.reset(0);
    const cuts = () => env.step([0])[3];
    expect([cuts(), cuts()]).toEqual([false, false]);
    const state = env.getState();
    expect([cuts(), cuts(), cuts()]).toEqual([false, false, true]);
    env.setState(state);
    expect([cuts(), cuts(), cuts()]).toEqual([false, false, true]);
  });

  it("keeps the energy of a pendulum that nothing slows down", async () => {
    const env = await make(freePendulum);
    env.reset(0);
    const { data } = env.physics;
    const energy = () => data.energy[0] + data.energy[1];
    const before = energy();
    let fastest = 0;
    for (let step = 0; step < 1000; step++) {
      env.step(0);
      fastest = Math.max(fastest, Math.abs(data.qvel[0]));
    }
    // Two seconds of swinging through.
    expect(fastest).toBeGreaterThan(5);
    expect(energy()).toBeCloseTo(before, 6);
  });

  it("observes positions and velocities where a task does not say what", async () => {
    const env = await make(freePendulum);
    expect(env.observationSpace.toString()).toBe("Box(float32[2] from -Infinity to Infinity)");
    // The motor has no range.
    expect(env.actionSpace.toString()).toBe("Box(float32[1] from -Infinity to Infinity)");
    expect(env.reset(0)[0]).toEqual(Float32Array.of(2, 0));
  });

  it("rewards the sum of the parts, and tells the parts", async () => {
    const env = await make("InvertedDoublePendulum");
    env.reset(1);
    const [, reward, , , info] = env.step(Float32Array.of(0.3));
    const parts = Object.values(info.rewardComponents);
    expect(parts).toHaveLength(3);
    expect(parts.reduce((sum, part) => sum + part)).toBe(reward);
  });

  it("takes actions beyond the bounds as the bounds", async () => {
    const [env, other] = [await make("Hopper"), await make("Hopper")];
    env.reset(0);
    other.reset(0);
    expect(env.step(Float32Array.of(5, -9, 0))).toEqual(other.step(Float32Array.of(1, -1, 0)));
  });

  it("comes from a factory, each with a simulation of its own", async () => {
    const factory = await mujocoFactory("InvertedPendulum");
    const [first, second] = [factory(), factory()];
    open.push(first, second);
    const start = first.reset(0)[0];
    second.reset(0);
    play(second, 5);
    expect([...first.physics.data.qpos]).not.toEqual([...second.physics.data.qpos]);
    expect(first.reset(0)[0]).toEqual(start);
  });

  it("gives its memory back, so that any number can be made one after the other", async () => {
    const factory = await mujocoFactory({
      ...freePendulum,
      // 120 MB each: fifty of them are more than WebAssembly has.
      model: freePendulum.model.replace("<worldbody>", '<size memory="120M"/><worldbody>'),
    });
    for (let count = 0; count < 50; count++) {
      const env = factory();
      env.reset(0);
      env.close();
      env.close();
    }
  });
});

describeMujoco("a MuJoCo environment refuses", () => {
  const refusal = async (task: Partial<MujocoTask>, ...pattern: RegExp[]): Promise<void> => {
    for (const each of pattern) await expect(make({ ...freePendulum, ...task })).rejects.toThrow(each);
  };

  it("models that MuJoCo cannot compile, in MuJoCo's words", async () => {
    await refusal(
      { model: `<mujoco><worldbody><geom type="sausage"/></worldbody></mujoco>` },
      /^MujocoEnv FreePendulum: MuJoCo cannot compile the model: .*invalid keyword: 'sausage'.*line 1/,
    );
  });

  it("models without an actuator", async () => {
    await refusal(
      { model: freePendulum.model.replace(/<actuator>.*<\/actuator>/s, "") },
      /the model has no actuator, so there is nothing to act with/,
    );
  });

  it("frame skips and time limits that are no counts", async () => {
    await refusal({ frameSkip: 0.5 }, /frameSkip must be a whole number of at least 1, got 0.5/);
    await refusal({ maxSteps: 0 }, /maxSteps must be a whole number of at least 1, got 0/);
  });

  it("tasks it does not know, and names the nearest", async () => {
    await expect(makeMujoco("hoper" as "Hopper")).rejects.toThrow(
      'makeMujoco: there is no task "hoper"; the nearest is Hopper. A task of your own is passed as an object',
    );
  });

  it("steps before a reset, and anything once it is closed", async () => {
    const env = await make("InvertedPendulum");
    expect(() => env.step(0)).toThrow("MujocoEnv InvertedPendulum: call reset() before the first step()");
    env.close();
    for (const call of [() => env.reset(0), () => env.step(0), () => env.render(), () => env.getState()]) {
      expect(call).toThrow("MujocoEnv InvertedPendulum: it is closed; make a new one");
    }
  });

  it("seeds and actions of another kind", async () => {
    const env = await make("Hopper");
    expect(() => env.reset(-1)).toThrow("a seed must be a whole number of at least 0, got -1");
    expect(() => env.reset(0.5)).toThrow("got 0.5");
    env.reset(0);
    expect(() => env.step(Float32Array.of(0, 1))).toThrow("an action must be 3 finite numbers, got [0, 1]");
    expect(() => env.step(Float32Array.of(0, NaN, 1))).toThrow("got [0, NaN, 1]");
    const unbounded = await make(freePendulum);
    unbounded.reset(0);
    expect(() => unbounded.step(1e11)).toThrow("an action must be 1 finite number, got [100000000000]");
  });

  it("states of other tasks, other models and other shapes", async () => {
    const [env, other] = [await make("Hopper"), await make("InvertedPendulum")];
    env.reset(0);
    other.reset(0);
    const state = env.getState();
    expect(() => env.setState(other.getState())).toThrow(
      "setState() takes what getState() of Hopper gave, got one of InvertedPendulum",
    );
    expect(() => env.setState(null)).toThrow("got one of undefined");
    const physics = { ...state, physics: state.physics.slice(2) };
    expect(() => env.setState(physics)).toThrow(
      /must be \d+ words, got \d+ words; was the model another one/,
    );
    expect(() => env.setState({ ...state, random: [1] })).toThrow("the saved state is damaged");
  });

  it("simulations that become unstable, which MuJoCo itself starts over without a word", async () => {
    const env = await make({ ...freePendulum, model: freePendulum.model.replace("0.002", "1") });
    env.reset(0);
    expect(() => {
      for (let step = 0; step < 50; step++) env.step(1e9);
    }).toThrow(/the simulation became unstable in step \d+ of the episode.*smaller <option timestep/);
  });

  it("observations that change their length", async () => {
    let length = 2;
    const env = await make({ ...freePendulum, observe: () => new Float64Array(length) });
    length = 3;
    expect(() => env.reset(0)).toThrow("observe() gave 3 numbers, where it gave 2 at first");
  });
});

describeMujoco("MuJoCo", () => {
  it("is loaded once for all environments", async () => {
    expect(await loadMujoco()).toBe(await loadMujoco());
  });

  it("can be brought along, for bundlers, which must see the import", async () => {
    const mujoco = await loadMujoco(() => import("@mujoco/mujoco"));
    expect(mujoco).not.toBe(await loadMujoco());
    const env = await makeMujoco("InvertedPendulum", { mujoco });
    open.push(env);
    expect(env.physics.mujoco).toBe(mujoco);
    expect(env.reset(0)[0]).toEqual((await make("InvertedPendulum")).reset(0)[0]);
  });
});
