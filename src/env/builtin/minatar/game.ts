// What the MinAtar games share (Young and Tian 2019, arXiv:1903.03176): sticky actions, two sets of actions, an
// observation with a channel for each kind of object, and a step limit.
import { check, checkOptions, np, random, rules, type Array } from "../../../array/index.js";
import type { Environment } from "../../environment.js";
import { Discrete, Image } from "../../spaces.js";
import { numbersIn } from "../../svg.js";
import { finishStep } from "../episode.js";
import { Action, side } from "./board.js";
import { boardPicture, type Channel } from "./picture.js";

export interface MinAtarOptions {
  /** Whether there are only the actions that do something in the game, or all six. Default true. */
  readonly useMinimalActionSet?: boolean;
}

export interface MinAtarParams {
  /** How likely the last action is taken again in the place of the chosen one. */
  readonly stickyActionProb: Array;
  readonly maxSteps: Array;
}

export interface RampingParams extends MinAtarParams {
  /** Whether the game becomes harder with time. */
  readonly ramping: Array;
}

/** What the state of every game has. */
export interface MinAtarState {
  /** The action that was taken last, of all six; none at the start. */
  readonly lastAction: Array;
  /** Steps since the start. */
  readonly time: Array;
}

/** A game without its surroundings: what happens in a step is a function of the state, the action and the chances. */
export interface Game<S extends MinAtarState, P extends MinAtarParams> {
  readonly name: string;
  /** What the observation shows, channel by channel. */
  readonly channels: readonly Channel[];
  /** The actions that do something. */
  readonly minimalActions: readonly number[];
  /** How many random numbers a start or a step takes, each uniform in [0, 1). */
  readonly chances: number;
  defaultParams(): P;
  start(chances: Array, common: MinAtarState): S;
  /** One step; the action is one of all six. */
  advance(
    state: S,
    action: Array,
    chances: Array,
    params: P,
  ): { readonly state: S; readonly reward: Array; readonly terminated: Array };
  /** Where things are: for each channel a bool board, or what broadcasts to one. */
  observe(state: S): readonly Array[];
}

/** The parameters of all games, with the limit of steps that is Gymnax's. */
export const defaultParams = (maxSteps = 1000): MinAtarParams => ({
  stickyActionProb: np.float32(0.1),
  maxSteps: np.int32(maxSteps),
});

/** The parameters of a game that becomes harder. */
export const defaultRampingParams = (): RampingParams => ({ ...defaultParams(), ramping: np.bool(true) });

/** Bytes, so that networks see 0 and 1 and a replay buffer holds four times as many as of floats. */
const asBytes = (boards: readonly Array[]): Array =>
  np.where(
    np.stack(
      boards.map((board) => np.broadcastTo(board, [side, side])),
      -1,
    ),
    np.uint8(255),
    np.uint8(0),
  );

/** The random numbers of a step: those of the game, and a last one that decides whether the last action is repeated. */
export const stepChances = (key: Array, { chances }: { readonly chances: number }): Array =>
  random.uniform(key, [chances + 1]);

/** The random numbers of a start. */
export const startChances = (key: Array, { chances }: { readonly chances: number }): Array =>
  random.uniform(key, [chances]);

/** A game as an environment. */
export function minAtar<S extends MinAtarState, P extends MinAtarParams>(
  game: Game<S, P>,
  options: MinAtarOptions,
): Environment<S, P> {
  const actions = chosenActions(game, options);
  return {
    name: game.name,
    defaultParams: () => game.defaultParams(),
    observationSpace: () => Image({ height: side, width: side, channels: game.channels.length }),
    actionSpace: () => Discrete(actions.length),
    reset(key) {
      const common = { lastAction: np.int32(Action.none), time: np.int32(0) };
      const state = game.start(startChances(key, game), common);
      return [asBytes(game.observe(state)), state];
    },
    step(key, before, index, params) {
      const chances = stepChances(key, game);
      const chosen = np.int32(actions).slice(index);
      const isSticky = chances.slice(-1).less(params.stickyActionProb);
      const action = np.where(isSticky, before.lastAction, chosen);
      const { state, reward, terminated } = game.advance(before, action, chances.slice(":-1"), params);
      const next: S = { ...state, lastAction: action, time: before.time.add(1) };
      return finishStep(asBytes(game.observe(next)), next, reward.astype("float32"), terminated, params);
    },
    render(state) {
      // Refuses a batch of states.
      numbersIn<keyof MinAtarState>("state", state, "time");
      return boardPicture(game.channels, game.observe(state));
    },
  };
}

function chosenActions(
  { name, minimalActions }: { readonly name: string; readonly minimalActions: readonly number[] },
  options: MinAtarOptions,
): readonly number[] {
  const known = "useMinimalActionSet";
  checkOptions(name, options, [known]);
  const { [known]: isMinimal = true } = options;
  check(name, known, isMinimal, rules.flag);
  return isMinimal ? minimalActions : Object.values(Action);
}
