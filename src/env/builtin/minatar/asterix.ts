// Asterix-MinAtar: collect treasure and keep away from enemies, which both cross the board row by row.
import { np, type Array } from "../../../array/index.js";
import type { Environment } from "../../environment.js";
import { colors } from "../../svg.js";
import { Action, ahead, behind, cellAt, columns, isOnBoard, last, pick, rows, walked } from "./board.js";
import {
  defaultRampingParams,
  minAtar,
  type Game,
  type MinAtarOptions,
  type MinAtarState,
  type RampingParams,
} from "./game.js";
import { markSize } from "./picture.js";

export interface AsterixState extends MinAtarState {
  readonly playerX: Array;
  readonly playerY: Array;
  /** Column of what crosses each row, [10]; −1 where there is nothing. The first and the last row stay empty. */
  readonly x: Array;
  /** Whether it moves to the right, and whether it is treasure, [10] each. */
  readonly isRight: Array;
  readonly isGold: Array;
  /** Steps until something appears, and until everything moves. */
  readonly spawnTimer: Array;
  readonly moveTimer: Array;
}

/** Steps from one level of difficulty to the next, of which there are nine. */
const levelSteps = 102;

/** Steps between appearances and between moves, at the start. */
const [spawnInterval, moveInterval] = [10, 5];

/** Each level shortens the time between appearances, every other one the time between moves. */
function intervals({ time }: MinAtarState, { ramping }: RampingParams) {
  const level = np.where(ramping, np.minimum(time.floorDivide(levelSteps), 9), 0);
  return {
    spawn: np.subtract(spawnInterval, level),
    move: np.subtract(moveInterval, np.rightShift(level, 1)),
  };
}

/** Which of the empty rows is next, by a random number: a bool [10], false everywhere if none is empty. */
function emptyRow(x: Array, chance: Array): Array {
  const row = columns();
  const isEmpty = x.less(0).and(row.greaterEqual(1)).and(row.less(last));
  const count = isEmpty.astype("int32").sum();
  const rank = isEmpty.and(row.less(rows())).astype("int32").sum(1);
  return isEmpty.and(rank.equal(pick(chance, count)));
}

export const asterixGame: Game<AsterixState, RampingParams> = {
  name: "Asterix-MinAtar",
  channels: [
    { name: "player", color: colors.blue },
    { name: "enemy", color: colors.red },
    { name: "trail", color: colors.faint, size: markSize },
    { name: "gold", color: colors.orange },
  ],
  minimalActions: [Action.none, Action.left, Action.up, Action.right, Action.down],
  chances: 3,
  defaultParams: defaultRampingParams,
  start(_chances, common) {
    const nowhere = np.full([10], false, { dtype: "bool" });
    return {
      ...common,
      playerX: np.int32(5),
      playerY: np.int32(5),
      x: np.full([10], -1, { dtype: "int32" }),
      isRight: nowhere,
      isGold: nowhere,
      spawnTimer: np.int32(spawnInterval),
      moveTimer: np.int32(moveInterval),
    };
  },
  advance(state, action, chances, params) {
    const interval = intervals(state, params);
    const isSpawning = state.spawnTimer.equal(0);
    const isMoving = state.moveTimer.equal(0);

    const [goesRight, holdsGold] = [chances.slice(0).less(1 / 2), chances.slice(1).less(1 / 3)];
    const isNew = emptyRow(state.x, chances.slice(2)).and(isSpawning);
    const isRight = np.where(isNew, goesRight, state.isRight);
    const isGold = np.where(isNew, holdsGold, state.isGold);
    const x = np.where(isNew, np.where(goesRight, np.int32(0), np.int32(last)), state.x);

    const playerX = walked(state.playerX, action, [Action.left, Action.right]);
    const playerY = walked(state.playerY, action, [Action.up, Action.down], [1, last - 1]);
    const isPlayersRow = columns().equal(playerY);
    const meets = (at: Array): Array => isPlayersRow.and(at.equal(playerX));

    const isMet = meets(x);
    const remaining = np.where(isMet.and(isGold), -1, x);
    const moved = np.where(isMoving.and(remaining.greaterEqual(0)), ahead(remaining, isRight), remaining);
    const isMetLater = meets(moved);
    const isGone = isOnBoard(moved).not().or(isMetLater.and(isGold));
    const contact = isMet.or(isMetLater);
    return {
      state: {
        ...state,
        playerX,
        playerY,
        x: np.where(isGone, -1, moved),
        isRight,
        isGold,
        spawnTimer: np.where(isSpawning, interval.spawn, state.spawnTimer).sub(1),
        moveTimer: np.where(isMoving, interval.move, state.moveTimer).sub(1),
      },
      reward: contact.and(isGold).any(),
      terminated: contact.and(isGold.not()).any(),
    };
  },
  observe({ playerX, playerY, x, isRight, isGold }) {
    const perRow = (values: Array): Array => values.slice(":", null);
    const isThere = columns().equal(perRow(x));
    const isTrail = columns().equal(perRow(np.where(x.less(0), -1, behind(x, isRight))));
    return [
      cellAt(playerX, playerY),
      isThere.and(perRow(isGold).not()),
      isTrail,
      isThere.and(perRow(isGold)),
    ];
  },
};

/** Asterix-MinAtar: +1 for each treasure. */
export const asterix = (options: MinAtarOptions = {}): Environment<AsterixState, RampingParams> =>
  minAtar(asterixGame, options);
