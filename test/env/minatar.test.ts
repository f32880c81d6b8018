// What the MinAtar games have in common: their observations, actions, sticky actions, and how a random player fares.
import { describe, expect, it } from "vitest";
import { jit, lax, np, random, vmap, type Array } from "vibe-rl/array";
import {
  asterix,
  AutoResetWrapper,
  breakout,
  EpisodeStatsWrapper,
  freeway,
  make,
  render,
  seaquest,
  spaceInvaders,
  type Discrete,
  type Environment,
  type MinAtarOptions,
  type MinAtarParams,
  type MinAtarState,
} from "vibe-rl/env";
import { differences } from "../closeness.js";
import { errorOf, rollout } from "./rollout.js";

type AnyGame = Environment<MinAtarState, MinAtarParams>;
const key = random.key(0);
const full = { useMinimalActionSet: false };

// MinAtar's own program gave a random player with six actions 0.51, 0.49, 0.18, 2.95 and 0.11 in 1,000 to 3,000
// episodes (40 of Freeway); its README has 0.5 for Breakout.
const games = [
  { id: "Breakout-MinAtar", factory: breakout, channels: 4, actions: [0, 1, 3], returns: [0.4, 0.6] },
  { id: "Asterix-MinAtar", factory: asterix, channels: 4, actions: [0, 1, 2, 3, 4], returns: [0.35, 0.8] },
  { id: "Freeway-MinAtar", factory: freeway, channels: 7, actions: [0, 2, 4], returns: [0, 0.5] },
  {
    id: "SpaceInvaders-MinAtar",
    factory: spaceInvaders,
    channels: 6,
    actions: [0, 1, 3, 5],
    returns: [2.3, 3.3],
  },
  {
    id: "Seaquest-MinAtar",
    factory: seaquest,
    channels: 10,
    actions: [0, 1, 2, 3, 4, 5],
    returns: [0.03, 0.2],
  },
] as const;

describe.each(games)("$id", ({ id, factory, channels, actions, returns }) => {
  const create = factory as unknown as (options?: MinAtarOptions) => AnyGame;
  const [env, params] = make(id) as [AnyGame, MinAtarParams];

  it("shows a board with a channel of 0 and 255 for each kind of object, and pays a random player little", () => {
    const space = env.observationSpace(params);
    expect([space.kind, space.dtype, space.shape]).toEqual(["Image", "uint8", [10, 10, channels]]);
    const stats = EpisodeStatsWrapper(AutoResetWrapper(create(full)));
    const length = id === "Freeway-MinAtar" ? 2500 : 400;
    const played = jit((k: Array) => {
      const one = (ownKey: Array) => {
        const { steps } = rollout(stats, length)(ownKey, params);
        const { episodeReturn } = steps.info as unknown as { readonly episodeReturn: Array };
        const isByte = steps.obs.equal(0).or(steps.obs.equal(255)).all();
        const isSeen = steps.obs.equal(255).any([0, 1, 2]);
        const total = np.where(steps.done, episodeReturn, 0).sum();
        return { total, episodes: steps.done.astype("float32").sum(), isByte, isSeen };
      };
      const { total, episodes, isByte, isSeen } = vmap(one)(random.split(k, 64));
      return {
        mean: total.sum().div(episodes.sum()),
        episodes: episodes.sum(),
        isByte: isByte.all(),
        isSeen: isSeen.any(0),
      };
    });
    const { mean, episodes, isByte, isSeen } = played(key);
    expect(isByte.item<boolean>()).toBe(true);
    expect(isSeen.all().item<boolean>()).toBe(true);
    expect(episodes.item()).toBeGreaterThan(60);
    expect(mean.item()).toBeGreaterThanOrEqual(returns[0]);
    expect(mean.item()).toBeLessThan(returns[1]);
  });

  it("has the actions that do something, which mean what they mean among all six", () => {
    const six = create(full);
    const chosen = (of: AnyGame) => {
      const { n } = of.actionSpace(params) as Discrete;
      const [, state] = of.reset(key, params);
      const taken = jit(vmap((action: Array) => of.step(key, state, action, params)[1].lastAction));
      return taken(np.arange(n)).toArray();
    };
    expect(chosen(env)).toEqual(actions);
    expect(chosen(six)).toEqual([0, 1, 2, 3, 4, 5]);
  });
});

describe("every MinAtar game", () => {
  const env = breakout(full);
  const params = env.defaultParams();

  it("repeats the last action as often as stickyActionProb says, and begins with none", () => {
    const often = jit((stickyActionProb: Array) => {
      const taken = (k: Array) => {
        const [, state] = env.reset(k, params);
        const before = { ...state, lastAction: np.int32(4) };
        return env.step(k, before, np.int32(1), { ...params, stickyActionProb })[1].lastAction;
      };
      const last = vmap(taken)(random.split(key, 4000));
      return np
        .stack([last.equal(4), last.equal(1)])
        .astype("float32")
        .mean(1);
    });
    const shares = (probability: number) => often(np.float32(probability)).toArray() as number[];
    expect(shares(0)).toEqual([0, 1]);
    expect(shares(1)).toEqual([1, 0]);
    const [repeated, chosen] = shares(params.stickyActionProb.item());
    expect(repeated).toBeGreaterThan(0.08);
    expect(repeated).toBeLessThan(0.12);
    expect(repeated + chosen).toBeCloseTo(1);
    expect(env.reset(key, params)[1].lastAction.item()).toBe(0);
  });

  it("plays alike alone and among many, with episodes that follow each other", () => {
    const game = AutoResetWrapper(seaquest());
    const short = { ...game.defaultParams(), maxSteps: np.int32(45) };
    const one = (k: Array) => rollout(game, 100)(k, short);
    const both = jit((keys: Array) => ({ together: vmap(one)(keys), apart: lax.map(one, keys) }));
    const { together, apart } = both(random.split(key, 3));
    expect(differences(together, apart)).toEqual([]);
    expect(together.steps.done.any(1).all().item<boolean>()).toBe(true);
  });

  it("refuses unknown options and a picture of many states", () => {
    expect(errorOf(() => breakout({ minimal: true } as MinAtarOptions))).toContain(
      "there is no option `minimal`; did you mean `useMinimalActionSet`?",
    );
    expect(errorOf(() => breakout({ useMinimalActionSet: 1 } as unknown as MinAtarOptions))).toContain(
      "useMinimalActionSet must be true or false, got 1",
    );
    const states = vmap((k: Array) => env.reset(k, params)[1])(random.split(key, 2));
    expect(errorOf(() => render(env, states, params))).toMatch(/needs one environment, but time .*\[2\]/);
  });

  it("draws a square of its own colour for everything on the board", () => {
    const svg = render(env, env.reset(key, params)[1]);
    const count = (color: string) => svg.split(`fill="${color}"`).length - 1;
    expect(["#2563eb", "#f59e0b", "#94a3b8", "#ef4444"].map(count)).toEqual([1, 1, 1, 30]);
  });
});
