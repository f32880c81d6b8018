// Facts about the built-in environments beyond the golden episodes.
import { describe, expect, it } from "vitest";
import { jit, lax, np, random, tree, vmap, type Array } from "vibe-rl/array";
import {
  AutoResetWrapper,
  envProblems,
  make,
  pixelGridWorld,
  render,
  type CartPoleParams,
  type CartPoleState,
  type Environment,
  type GridWorldState,
  type MountainState,
} from "vibe-rl/env";
import { differences } from "../closeness.js";
import { builtIn } from "./builtIn.js";
import { errorOf, rollout } from "./rollout.js";

const key = random.key(0);

describe("every built-in environment", () => {
  for (const id of builtIn) {
    const [env, params] = make(id);

    it(`${id} has nothing that checkEnv finds wrong`, () => {
      expect(envProblems(env, { steps: id === "Acrobot-v1" ? 3 : 8 })).toEqual([]);
    });

    it(`${id} steps alike interpreted and compiled, and stays in its space`, () => {
      const f = rollout(env, 3);
      const compiled = jit(f)(key, params);
      expect(differences(compiled, f(key, params), { rtol: 1e-5, atol: 1e-5 })).toEqual([]);
      const space = env.observationSpace(params);
      const inside = jit(vmap((obs: Array) => space.contains(obs)))(compiled.steps.obs);
      expect(inside.toArray()).toEqual([true, true, true]);
    });

    it(`${id} is cut off at its step limit`, () => {
      const [limited, short] = make(id, { maxSteps: 3 });
      const { steps } = jit(rollout(limited, 3))(key, short);
      expect(steps.done.toArray()).toEqual([false, false, true]);
      expect(steps.info.truncated.toArray()).toEqual([false, false, true]);
      expect(steps.info.terminated.toArray()).toEqual([false, false, false]);
    });

    it(`${id} starts differently with different keys, where it starts at random`, () => {
      const starts = vmap((k: Array) => env.reset(k, params)[0])(random.split(key, 2));
      const isSame = np.all(starts.slice(0).equal(starts.slice(1))).item<boolean>();
      expect(isSame).toBe(/Grid|Asterix|SpaceInvaders|Seaquest/.test(id));
    });

    it(`${id} draws itself as well-formed SVG`, () => {
      const [, state] = env.reset(key, params);
      const svg = render(env, state, params);
      expect(problemsInXml(svg)).toEqual([]);
      expect(svg).toMatch(/^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" viewBox="0 0 \d+ \d+"/);
      expect(svg).not.toMatch(/NaN|Infinity|undefined/);
      const [, moved] = env.step(key, state, env.actionSpace(params).sample(random.key(4)), params);
      expect(render(AutoResetWrapper(env), moved, params)).toContain("</svg>");
    });
  }

  it("has the step limits of Gymnasium and Gymnax", () => {
    const limit = (id: string) => (make(id)[1] as CartPoleParams).maxSteps.item();
    expect(Object.fromEntries(builtIn.map((id) => [id, limit(id)]))).toEqual({
      "Acrobot-v1": 500,
      "Asterix-MinAtar": 1000,
      "Breakout-MinAtar": 1000,
      "CartPole-v1": 500,
      "Freeway-MinAtar": 2500,
      "GridWorld-v0": 100,
      "MountainCar-v0": 200,
      "MountainCarContinuous-v0": 999,
      "Pendulum-v1": 200,
      "PixelGridWorld-v0": 100,
      "Seaquest-MinAtar": 1000,
      "SpaceInvaders-MinAtar": 1000,
    });
  });
});

/** What is wrong with the tags and attributes of a piece of XML. */
function problemsInXml(xml: string): string[] {
  const open: string[] = [];
  const problems: string[] = [];
  const rest = xml.replaceAll(
    /<(\/?)([a-z]+)((?: [a-zA-Z0-9-]+="[^"<>&]*")*)(\/?)>/g,
    (_, closing: string, name: string, _attributes: string, empty: string) => {
      if (closing === "/" && open.pop() !== name) problems.push(`</${name}> closes something else`);
      if (closing === "" && empty === "") open.push(name);
      return "";
    },
  );
  if (rest !== "") problems.push(`not a tag: ${rest}`);
  return [...problems, ...open.map((name) => `${name} is not closed`)];
}

describe("render", () => {
  const [env, params] = make("CartPole-v1");

  it("refuses a batch of states and environments without a picture", () => {
    const states = vmap((k: Array) => env.reset(k, params)[1])(random.split(key, 3));
    expect(errorOf(() => render(env, states))).toMatch(
      /needs one environment, but position .*\[3\].*tree\.map/,
    );
    const blind: Environment<CartPoleState, CartPoleParams> = { ...env, name: "Blind" };
    delete blind.render;
    const [, state] = env.reset(key, params);
    expect(errorOf(() => render(blind, state))).toContain("Blind has no picture");
  });
});

describe("MountainCarContinuous-v0", () => {
  it("moves and pays as Gymnasium's equations say", () => {
    const [env, params] = make("MountainCarContinuous-v0");
    const actions = listOf(60, (turn) => (turn % 30 < 17 ? -1.3 : 0.9) + 0.01 * turn);
    const advance = (state: MountainState, action: Array) => {
      const [obs, next, reward, done] = env.step(key, state, action, params);
      return [next, np.concatenate([obs, np.stack([reward, done.astype("float32")])])] as const;
    };
    const start = { position: np.float32(0.3), velocity: np.float32(0), time: np.int32(0) };
    const rows = jit((all: Array) => lax.scan(advance, start, all)[1])(np.array(actions).reshape([60, 1]));
    let [position, velocity] = [0.3, 0];
    const expected = actions.map((action) => {
      const push = Math.min(Math.max(action, -1), 1) * 0.0015;
      velocity = Math.min(Math.max(velocity + push - 0.0025 * Math.cos(3 * position), -0.07), 0.07);
      position = Math.min(Math.max(position + velocity, -1.2), 0.6);
      if (position === -1.2 && velocity < 0) velocity = 0;
      const done = position >= 0.45 && velocity >= 0;
      return [position, velocity, (done ? 100 : 0) - 0.1 * action * action, Number(done)];
    });
    expect(differences(rows, np.array(expected), { atol: 1e-5, rtol: 1e-5 })).toEqual([]);
  });

  it("pays 100 at the goal", () => {
    const [env, params] = make("MountainCarContinuous-v0");
    const state = { position: np.float32(0.44), velocity: np.float32(0.05), time: np.int32(0) };
    const [, , reward, done, info] = env.step(key, state, np.array([0]), params);
    expect([reward.item(), done.item<boolean>(), info.terminated.item<boolean>()]).toEqual([100, true, true]);
  });
});

function listOf<T>(length: number, f: (at: number) => T): T[] {
  return globalThis.Array.from({ length }, (_, at) => f(at));
}

describe("GridWorld-v0", () => {
  const [env, params] = make("GridWorld-v0");
  const at = (row: number, column: number): GridWorldState => ({
    row: np.int32(row),
    column: np.int32(column),
    time: np.int32(0),
  });
  const move = (state: GridWorldState, action: number) => env.step(key, state, np.int32(action), params);

  it("walks up, right, down and left, and stays on the grid", () => {
    const place = (state: GridWorldState, action: number) => {
      const [obs, next] = move(state, action);
      expect(obs.toArray()).toEqual([next.row.item() / 4, next.column.item() / 4]);
      return [next.row.item(), next.column.item()];
    };
    expect([0, 1, 2, 3].map((action) => place(at(2, 2), action))).toEqual([
      [1, 2],
      [2, 3],
      [3, 2],
      [2, 1],
    ]);
    expect([0, 3].map((action) => place(at(0, 0), action))).toEqual([
      [0, 0],
      [0, 0],
    ]);
    expect([1, 2].map((action) => place(at(3, 4), action))[0]).toEqual([3, 4]);
  });

  it("pays 1 at the goal and -0.01 elsewhere", () => {
    const [, , step, going] = move(at(0, 0), 1);
    expect([step.item(), going.item<boolean>()]).toEqual([Math.fround(-0.01), false]);
    const [obs, , reward, done, info] = move(at(3, 4), 2);
    expect(obs.toArray()).toEqual([1, 1]);
    expect([reward.item(), done.item<boolean>(), info.terminated.item<boolean>()]).toEqual([1, true, true]);
  });

  it("has a size that may differ between environments", () => {
    const sizes = { ...params, size: np.int32([3, 9]) };
    const step = vmap(
      (p: typeof params) => env.step(key, at(1, 2), np.int32(2), p),
      [{ size: 0, goalReward: null, stepReward: null, maxSteps: null }],
    );
    const [obs, , , done] = step(sizes);
    expect(obs.toArray()).toEqual([
      [1, 1],
      [0.25, 0.25],
    ]);
    expect(done.toArray()).toEqual([true, false]);
  });
});

describe("PixelGridWorld-v0", () => {
  it("sees a white agent and a green goal on black, 8 pixels a cell", () => {
    const [env, params] = make("PixelGridWorld-v0");
    const [first, state] = env.reset(key, params);
    expect([first.dtype, first.shape]).toEqual(["uint8", [40, 40, 3]]);
    const [obs] = env.step(key, state, np.int32(2), params);
    const pixel = (row: number, column: number) => obs.slice(row, column).toArray();
    expect(pixel(8, 0)).toEqual([255, 255, 255]);
    expect(pixel(15, 7)).toEqual([255, 255, 255]);
    expect(pixel(16, 7)).toEqual([0, 0, 0]);
    expect(pixel(7, 7)).toEqual([0, 0, 0]);
    expect(pixel(32, 32)).toEqual([0, 255, 0]);
    expect(pixel(39, 39)).toEqual([0, 255, 0]);
    expect(pixel(31, 39)).toEqual([0, 0, 0]);
    expect(obs.astype("int32").sum().item()).toBe(64 * 255 * 4);
  });

  it("comes in other sizes, which decide the shape of the picture", () => {
    const env = pixelGridWorld({ size: 3, cellPixels: 4 });
    expect(env.observationSpace(env.defaultParams()).shape).toEqual([12, 12, 3]);
    expect(envProblems(env, { steps: 2 })).toEqual([]);
    expect(errorOf(() => pixelGridWorld({ size: 1 }))).toContain("size must be a whole number of at least 2");
  });
});

describe("many environments at once", () => {
  it("1,024 vectorised CartPoles equal 1,024 separate ones", () => {
    const [env, params] = make("CartPole-v1");
    const keys = random.split(random.key(7), 1024);
    const one = (k: Array) => rollout(AutoResetWrapper(env), 50)(k, params);
    const together = jit(vmap(one))(keys);
    const apart = jit((all: Array) => lax.map(one, all))(keys);
    expect(differences(together, apart)).toEqual([]);
    // Nearly all came to an end and started again.
    expect(together.steps.done.any(1).astype("int32").sum().item()).toBeGreaterThan(900);
  });

  it("have parameters of their own", () => {
    const [env, params] = make("CartPole-v1");
    const count = 5;
    const gravity = np.linspace(1, 20, count);
    const axes = { ...tree.map(() => null, params), gravity: 0 } as Record<
      keyof CartPoleParams,
      number | null
    >;
    const run = (p: CartPoleParams) => rollout(env, 10)(key, p).steps.obs;
    const together = jit(vmap(run, [axes]))({ ...params, gravity });
    const single = jit(run);
    for (let at = 0; at < count; at++) {
      const alone = single({ ...params, gravity: gravity.slice(at) });
      expect(differences(together.slice(at), alone)).toEqual([]);
    }
    expect(together.slice(0).equal(together.slice(4)).all().item<boolean>()).toBe(false);
  });
});
