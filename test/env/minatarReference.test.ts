// The MinAtar games against their rules as plain programs, step by step: every cell, reward and end.
import { describe, expect, it } from "vitest";
import { np, random, type Array } from "vibe-rl/array";
import { asterix, breakout, freeway, seaquest, spaceInvaders, type SeaquestState } from "vibe-rl/env";
import { asterixGame } from "../../src/env/builtin/minatar/asterix.js";
import { breakoutGame } from "../../src/env/builtin/minatar/breakout.js";
import { freewayGame } from "../../src/env/builtin/minatar/freeway.js";
import { seaquestGame } from "../../src/env/builtin/minatar/seaquest.js";
import { spaceInvadersGame } from "../../src/env/builtin/minatar/spaceInvaders.js";
import { play } from "./minatar/compare.js";
import { down, fire, left, none, right, up } from "./minatar/reference.js";
import { asterixReference } from "./minatar/referenceAsterix.js";
import { breakoutReference } from "./minatar/referenceBreakout.js";
import { freewayReference } from "./minatar/referenceFreeway.js";
import { SeaquestReference } from "./minatar/referenceSeaquest.js";
import { spaceInvadersReference } from "./minatar/referenceSpaceInvaders.js";

const all = { useMinimalActionSet: false };

/** One of some actions. */
const oneOf = (key: Array, ...actions: number[]): Array =>
  np.int32(actions).slice(random.randint(key, [], 0, actions.length));

/** An action that brings a place nearer to a target. */
const towards = (place: Array, target: Array, less: number, more: number): Array =>
  np.where(target.less(place), less, np.where(target.greater(place), more, none)).astype("int32");

describe("the environment follows the rules, step by step, in", () => {
  it("Breakout with a random player, and with one that follows the ball until the wall is gone", () => {
    const reference = breakoutReference;
    const params = breakoutGame.defaultParams();
    const rounds = { environments: 16, steps: 200, reference };
    const random1 = play(breakout(all), breakoutGame, params, rounds);
    expect(random1.differences).toEqual([]);
    expect(random1.ends).toBeGreaterThan(100);
    const follow = play(
      breakout(all),
      breakoutGame,
      { ...params, stickyActionProb: np.float32(0) },
      {
        environments: 4,
        steps: 1200,
        reference,
        policy: ({ paddle, ballX, stepX }, key) =>
          towards(
            paddle,
            np.where(random.bernoulli(key, 0.5), ballX, ballX.add(stepX).clip(0, 9)),
            left,
            right,
          ),
      },
    );
    expect(follow.differences).toEqual([]);
    expect(follow.reward / (follow.ends + 4)).toBeGreaterThan(30);
  });

  it("Asterix, until it is as fast as it gets", () => {
    const params = asterixGame.defaultParams();
    const game = { environments: 8, steps: 400, reference: () => asterixReference() };
    const short = play(asterix(all), asterixGame, params, game);
    expect(short.differences).toEqual([]);
    expect(short.ends).toBeGreaterThan(10);
    const long = { ...game, environments: 4, steps: 1200, isImmortal: true };
    expect(play(asterix(all), asterixGame, params, long).differences).toEqual([]);
  });

  it("Freeway, to its end", () => {
    const { differences, reward, ends } = play(freeway(all), freewayGame, freewayGame.defaultParams(), {
      environments: 2,
      steps: 2600,
      reference: freewayReference,
      policy: (_state, key) => oneOf(key, none, up, up, up, up, down),
    });
    expect(differences).toEqual([]);
    expect(reward).toBeGreaterThan(20);
    expect(ends).toBe(2);
  });

  it("Space Invaders, at all difficulties", () => {
    const params = spaceInvadersGame.defaultParams();
    const short = { environments: 8, steps: 300, reference: () => spaceInvadersReference() };
    expect(play(spaceInvaders(all), spaceInvadersGame, params, short).differences).toEqual([]);
    const levels = [0, 2, 4, 5];
    const { differences, reward } = play(spaceInvaders(all), spaceInvadersGame, params, {
      environments: levels.length,
      steps: 1000,
      isImmortal: true,
      prepare: (state, environment) => ({ ...state, level: np.int32(levels).slice(environment) }),
      reference: (_chances, environment) => spaceInvadersReference({ level: levels[environment] }),
      policy: (_state, key) => oneOf(key, none, left, right, fire, fire, fire),
    });
    expect(differences).toEqual([]);
    expect(reward / levels.length).toBeGreaterThan(48);
  });

  it("Seaquest with a random player", () => {
    const { differences, ends } = play(seaquest(all), seaquestGame, seaquestGame.defaultParams(), {
      environments: 16,
      steps: 250,
      reference: () => new SeaquestReference(),
    });
    expect(differences).toEqual([]);
    expect(ends).toBeGreaterThan(20);
  });

  it("Seaquest with one that rescues divers, at all difficulties", () => {
    const levels = [0, 1, 3, 5, 12, 17, 18, 19];
    const seen = { crowd: 0, level: 0, torpedoes: 0, divers: 0 };
    const { differences, reward } = play(seaquest(all), seaquestGame, seaquestGame.defaultParams(), {
      environments: levels.length,
      steps: 800,
      isImmortal: true,
      prepare: (state, environment) => ({ ...state, level: np.int32(levels).slice(environment) }),
      reference: (_chances, environment) => new SeaquestReference({ level: levels[environment] }),
      policy: chaseDivers,
      watch(reference) {
        seen.crowd = Math.max(seen.crowd, reference.crowd);
        seen.level = Math.max(seen.level, reference.level);
        seen.torpedoes = Math.max(seen.torpedoes, reference.counts.torpedoes);
        seen.divers = Math.max(seen.divers, reference.counts.divers);
      },
    });
    expect(differences).toEqual([]);
    expect(seen.crowd).toBeGreaterThan(1);
    expect(seen).toMatchObject({ level: 19, torpedoes: 2, divers: 2 });
    expect(reward).toBeGreaterThan(100);
  });
});

/** Mostly towards the diver that came last, or up with six on board; else shooting, or anything. */
function chaseDivers({ x, y, divers: [, diver], rescued }: SeaquestState, key: Array): Array {
  const [modeKey, actionKey, axisKey] = random.split(key, 3);
  const aim = np.where(
    random.bernoulli(axisKey),
    towards(x, diver.x, left, right),
    towards(y, diver.y, up, down),
  );
  const wanted = np.where(rescued.equal(6), up, np.where(diver.x.less(0), fire, aim));
  return np.where(random.bernoulli(modeKey, 0.7), wanted, oneOf(actionKey, left, up, right, down, fire));
}
