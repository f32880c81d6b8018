// SpaceInvaders-MinAtar: a cannon shoots at aliens that come down in formation and shoot back.
import { np, type Array } from "../../../array/index.js";
import type { Environment } from "../../environment.js";
import { colors } from "../../svg.js";
import { bitCount, highestBit } from "./bits.js";
import { Action, cellAt, columns, countedDown, last, rows, side, walked } from "./board.js";
import {
  defaultRampingParams,
  minAtar,
  type Game,
  type MinAtarOptions,
  type MinAtarState,
  type RampingParams,
} from "./game.js";
import { markSize } from "./picture.js";

export interface SpaceInvadersState extends MinAtarState {
  /** Column of the cannon, which is in the last row. */
  readonly cannon: Array;
  /** Aliens, the cannon's bullets and theirs: for each column, [10], a bit for each row, the first the lowest. */
  readonly aliens: Array;
  readonly bullets: Array;
  readonly alienBullets: Array;
  /** Whether the aliens move to the right. */
  readonly isRight: Array;
  /** Waves that were shot and made the next one faster, 0 to 6. */
  readonly level: Array;
  /** Steps until the aliens move, until one shoots, and until the cannon can shoot. */
  readonly moveTimer: Array;
  readonly alienShotTimer: Array;
  readonly shotTimer: Array;
}

/** The most steps between two moves, between two shots of aliens, and between two shots of the cannon. */
const [moveInterval, alienShotInterval, shotInterval] = [12, 10, 5];
const maxLevel = 6;

/** A column with aliens or bullets everywhere; one in the last row only. */
const [everyRow, lastRow] = [2 ** side - 1, 2 ** last];

/** Four rows of aliens in the columns 2 to 7. */
const wave = (): Array =>
  np.where(columns().greaterEqual(2).and(columns().less(8)), np.int32(0b1111), np.int32(0));

const hasAny = (bits: Array): Array => bits.notEqual(0).any();

/** The aliens a step further: down where one of them is at the edge that they move to, else sideways. */
function marched({ aliens, isRight }: Pick<SpaceInvadersState, "aliens" | "isRight">) {
  const isAtEdge = np.where(isRight, aliens.slice(last), aliens.slice(0)).notEqual(0);
  const lower = np.leftShift(aliens, 1).and(everyRow).or(np.rightShift(aliens, last));
  const beside = np.where(isRight, np.roll(aliens, 1, 0), np.roll(aliens, -1, 0));
  return {
    aliens: np.where(isAtEdge, lower, beside),
    isRight: isRight.xor(isAtEdge),
    hasLanded: isAtEdge.and(hasAny(aliens.and(lastRow))),
  };
}

/** The lowest alien in the column nearest to the cannon, the left one of two: as bits. */
function shooter(aliens: Array, cannon: Array): Array {
  const distance = columns().sub(cannon).abs().mul(side).add(columns());
  const rank = np.where(aliens.equal(0), np.int32(side * side), distance);
  return np.where(rank.equal(rank.min()), highestBit(aliens), 0);
}

export const spaceInvadersGame: Game<SpaceInvadersState, RampingParams> = {
  name: "SpaceInvaders-MinAtar",
  channels: [
    { name: "cannon", color: colors.blue },
    { name: "alien", color: colors.green },
    { name: "alien that moves left", color: colors.ink, size: markSize },
    { name: "alien that moves right", color: colors.paper, size: markSize },
    { name: "bullet of the cannon", color: colors.orange, size: 0.5 },
    { name: "bullet of an alien", color: colors.red, size: 0.5 },
  ],
  minimalActions: [Action.none, Action.left, Action.right, Action.fire],
  chances: 0,
  defaultParams: defaultRampingParams,
  start(_chances, common) {
    const none = np.zeros([side], { dtype: "int32" });
    return {
      ...common,
      cannon: np.int32(5),
      aliens: wave(),
      bullets: none,
      alienBullets: none,
      isRight: np.bool(false),
      level: np.int32(0),
      moveTimer: np.int32(moveInterval),
      alienShotTimer: np.int32(alienShotInterval),
      shotTimer: np.int32(0),
    };
  },
  advance(state, action, _chances, { ramping }) {
    const shoots = action.equal(Action.fire).and(state.shotTimer.equal(0));
    const muzzle = np.where(columns().equal(state.cannon).and(shoots), np.int32(lastRow), 0);
    const bullets = np.rightShift(state.bullets.or(muzzle), 1);
    const cannon = walked(state.cannon, action, [Action.left, Action.right]);
    const falling = np.leftShift(state.alienBullets, 1).and(everyRow);

    const isMoving = state.moveTimer.equal(0);
    const after = marched(state);
    const aliens = np.where(isMoving, after.aliens, state.aliens);
    const pace = np.minimum(bitCount(state.aliens).sum(), np.subtract(moveInterval, state.level));

    const isCannon = np.where(columns().equal(cannon), np.int32(lastRow), 0);
    const isHit = hasAny(falling.or(state.aliens).or(aliens).and(isCannon));
    const isAnswered = state.alienShotTimer.equal(0);
    const alienBullets = falling.or(np.where(isAnswered, shooter(aliens, cannon), 0));

    const shot = aliens.and(bullets);
    const remaining = aliens.xor(shot);
    const isCleared = hasAny(remaining).not();
    const isFaster = isCleared.and(ramping).and(state.level.less(maxLevel));
    return {
      state: {
        ...state,
        cannon,
        aliens: np.where(isCleared, wave(), remaining),
        bullets: bullets.xor(shot),
        alienBullets,
        isRight: np.where(isMoving, after.isRight, state.isRight),
        level: state.level.add(isFaster.astype("int32")),
        moveTimer: np.where(isMoving, pace, state.moveTimer).sub(1),
        alienShotTimer: np.where(isAnswered, alienShotInterval, state.alienShotTimer).sub(1),
        shotTimer: countedDown(np.where(shoots, shotInterval, state.shotTimer)),
      },
      reward: bitCount(shot).sum(),
      terminated: isHit.or(isMoving.and(after.hasLanded)),
    };
  },
  observe({ cannon, aliens, bullets, alienBullets, isRight }) {
    const board = (bits: Array): Array => np.rightShift(bits, rows()).and(1).notEqual(0);
    const isAlien = board(aliens);
    return [
      cellAt(cannon, last),
      isAlien,
      isAlien.and(isRight.not()),
      isAlien.and(isRight),
      board(bullets),
      board(alienBullets),
    ];
  },
};

/** SpaceInvaders-MinAtar: +1 for each alien. */
export const spaceInvaders = (options: MinAtarOptions = {}): Environment<SpaceInvadersState, RampingParams> =>
  minAtar(spaceInvadersGame, options);
