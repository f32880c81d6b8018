// Plays an environment and a reference side by side, with the same actions and chances, and tells where they differ.
import { jit, lax, np, random, tree, vmap, type Array } from "vibe-rl/array";
import type { Environment, MinAtarParams, MinAtarState } from "vibe-rl/env";
import { startChances, stepChances, type Game } from "../../../src/env/builtin/minatar/game.js";
import type { Reference } from "./reference.js";

export interface Match<S, R extends Reference> {
  readonly environments: number;
  readonly steps: number;
  /** The reference of an environment, from the chances of its start. */
  readonly reference: (chances: readonly number[], environment: number) => R;
  /** The next action, of all six. Default: any. */
  readonly policy?: (state: S, key: Array) => Array;
  /** Whether the game goes on after its end, which is the only way to see all of it. Default false. */
  readonly isImmortal?: boolean;
  /** The first state of an environment, from the one that it would have. */
  readonly prepare?: (state: S, environment: Array) => S;
  /** Called after every step of a reference. */
  readonly watch?: (reference: R) => void;
}

interface Played {
  readonly differences: readonly string[];
  /** Of all environments and steps. */
  readonly reward: number;
  readonly ends: number;
}

const anyAction = (_state: unknown, key: Array): Array => random.randint(key, [], 0, 6);

/** The environment must have all six actions. */
export function play<S extends MinAtarState, P extends MinAtarParams, R extends Reference>(
  env: Environment<S, P>,
  game: Game<S, P>,
  params: P,
  match: Match<S, R>,
): Played {
  const told = jit((key: Array) => record(env, game, params, match, key))(random.key(3));
  const width = 100 * game.channels.length;
  const { obs, reward, terminated, action, chances, starts, firstChances } = tree.map(
    (leaf) => leaf.data(),
    told,
  );
  const perStep = game.chances + 1;
  const stickiness = params.stickyActionProb.item();
  const slice = (data: ArrayLike<number | boolean>, at: number, count: number): number[] =>
    globalThis.Array.from({ length: count }, (_, index) => Number(data[at * count + index]));
  const differences: string[] = [];
  let [total, ends] = [0, 0];
  for (let environment = 0; environment < match.environments; environment++) {
    let reference = match.reference(slice(firstChances, environment, game.chances), environment);
    let lastAction = 0;
    for (let step = 0; step < match.steps; step++) {
      const at = environment * match.steps + step;
      const luck = slice(chances, at, perStep);
      if (luck[perStep - 1] >= stickiness) lastAction = action[at];
      const outcome = reference.step(lastAction, luck);
      match.watch?.(reference);
      total += outcome.reward;
      const board = new Uint8Array(width);
      reference.draw((channel, x, y) => (board[(y * 10 + x) * game.channels.length + channel] = 255));
      const wrong = board.findIndex((byte, place) => byte !== obs[at * width + place]);
      const where = `environment ${environment}, step ${step}`;
      if (wrong >= 0) differences.push(`${where}: ${placeIn(game, wrong)}`);
      if (outcome.reward !== reward[at]) {
        differences.push(`${where}: reward ${String(reward[at])} in place of ${outcome.reward}`);
      }
      if (outcome.terminated !== Boolean(terminated[at])) {
        differences.push(`${where}: terminated ${String(terminated[at])}`);
      }
      if (differences.length > 0) return { differences, reward: total, ends };
      if (outcome.terminated) ends++;
      if (outcome.terminated && match.isImmortal !== true) {
        reference = match.reference(slice(starts, at, game.chances), environment);
        lastAction = 0;
      }
    }
  }
  return { differences, reward: total, ends };
}

function placeIn(
  { channels }: { readonly channels: readonly { readonly name: string }[] },
  at: number,
): string {
  const [cell, channel] = [Math.floor(at / channels.length), at % channels.length];
  return `${channels[channel].name} at column ${cell % 10}, row ${Math.floor(cell / 10)}`;
}

/** All steps of all environments, as a traceable function. */
function record<S extends MinAtarState, P extends MinAtarParams, R extends Reference>(
  env: Environment<S, P>,
  game: Game<S, P>,
  params: P,
  { environments, steps, policy = anyAction, isImmortal = false, prepare }: Match<S, R>,
  key: Array,
) {
  const one = (ownKey: Array, environment: Array) => {
    const [startKey, runKey] = random.split(ownKey);
    const [, start] = env.reset(startKey, params);
    const [, told] = lax.scan(
      (before: S, stepKey: Array) => {
        const [actionKey, envKey, restartKey] = random.split(stepKey, 3);
        const action = policy(before, actionKey);
        const [obs, next, reward, , { terminated }] = env.step(envKey, before, action, params);
        const [, fresh] = env.reset(restartKey, params);
        const after = isImmortal ? next : (tree.map((a, b) => np.where(terminated, a, b), fresh, next) as S);
        const luck = { chances: stepChances(envKey, game), starts: startChances(restartKey, game) };
        return [after, { obs, reward, terminated, action, ...luck }];
      },
      prepare?.(start, environment) ?? start,
      random.split(runKey, steps),
    );
    return { ...told, firstChances: startChances(startKey, game) };
  };
  return vmap(one)(random.split(key, environments), np.arange(environments));
}
