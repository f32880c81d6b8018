// Freeway-MinAtar: a chicken crosses eight lanes of cars.
import { np, type Array } from "../../../array/index.js";
import type { Environment } from "../../environment.js";
import { colors } from "../../svg.js";
import { Action, ahead, behind, cellAt, columns, countedDown, last, pick, side, walked } from "./board.js";
import {
  defaultParams,
  minAtar,
  type Game,
  type MinAtarOptions,
  type MinAtarParams,
  type MinAtarState,
} from "./game.js";
import { markSize } from "./picture.js";

export interface FreewayState extends MinAtarState {
  /** Row of the chicken; its column is 4. */
  readonly y: Array;
  /** Steps until the chicken can move again. */
  readonly moveTimer: Array;
  /** The car of each row, [10]: its column, −1 in the first and the last row, which have none. */
  readonly carX: Array;
  readonly isRight: Array;
  /** Steps that a car waits between moves, 1 to 5, and how many of them are left. */
  readonly carPace: Array;
  readonly carTimer: Array;
}

const chickenX = 4;
const chickenPace = 3;

/** The game is over after this many steps. */
const duration = 2500;

/** Direction and pace of a car in each row. */
function traffic(chances: Array): Pick<FreewayState, "isRight" | "carPace" | "carTimer"> {
  const choice = pick(chances, 10);
  const carPace = choice.mod(5).add(1);
  return { isRight: choice.less(5), carPace, carTimer: carPace };
}

const isLane = (): Array => columns().greaterEqual(1).and(columns().less(last));

/** A column on a board whose ends are joined. */
const wrapped = (x: Array): Array => np.where(x.less(0), last, np.where(x.greater(last), 0, x));

export const freewayGame: Game<FreewayState, MinAtarParams> = {
  name: "Freeway-MinAtar",
  channels: [
    { name: "chicken", color: colors.orange },
    { name: "car", color: colors.blue },
    ...["#7f1d1d", "#b91c1c", "#ef4444", "#f87171", "#fca5a5"].map((color, at) => ({
      name: `trail of a car of pace ${at + 1}`,
      color,
      size: markSize,
    })),
  ],
  minimalActions: [Action.none, Action.up, Action.down],
  chances: side,
  defaultParams: () => defaultParams(duration),
  start: (chances, common) => ({
    ...common,
    y: np.int32(last),
    moveTimer: np.int32(chickenPace),
    carX: np.where(isLane(), np.int32(0), -1),
    ...traffic(chances),
  }),
  advance(state, action, chances) {
    const walks = state.moveTimer.equal(0);
    const walkedTo = walked(state.y, np.where(walks, action, Action.none), [Action.up, Action.down]);
    const tries = action.equal(Action.up).or(action.equal(Action.down));
    const isAcross = walkedTo.equal(0);
    const y = np.where(isAcross, last, walkedTo);

    const fresh = traffic(chances);
    const isRight = np.where(isAcross, fresh.isRight, state.isRight);
    const carPace = np.where(isAcross, fresh.carPace, state.carPace);
    const waiting = np.where(isAcross, fresh.carTimer, state.carTimer);
    const drives = waiting.equal(0);
    const carX = np.where(drives.and(isLane()), wrapped(ahead(state.carX, isRight)), state.carX);
    const isHit = columns()
      .equal(y)
      .and(state.carX.equal(chickenX).or(carX.equal(chickenX)))
      .any();
    return {
      state: {
        ...state,
        y: np.where(isHit, last, y),
        moveTimer: countedDown(np.where(walks.and(tries), chickenPace, state.moveTimer)),
        carX,
        isRight,
        carPace,
        carTimer: np.where(drives, carPace, waiting.sub(1)),
      },
      reward: isAcross,
      terminated: state.time.greaterEqual(duration - 1),
    };
  },
  observe({ y, carX, isRight, carPace }) {
    const perRow = (values: Array): Array => values.slice(":", null);
    const trailX = np.where(carX.less(0), -1, wrapped(behind(carX, isRight)));
    const isTrail = columns().equal(perRow(trailX));
    const paces = [1, 2, 3, 4, 5];
    return [
      cellAt(chickenX, y),
      columns().equal(perRow(carX)),
      ...paces.map((pace) => isTrail.and(perRow(carPace.equal(pace)))),
    ];
  },
};

/** Freeway-MinAtar: +1 for each crossing. */
export const freeway = (options: MinAtarOptions = {}): Environment<FreewayState, MinAtarParams> =>
  minAtar(freewayGame, options);
