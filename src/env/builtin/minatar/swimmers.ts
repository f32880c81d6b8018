// Things of Seaquest-MinAtar that move along a row, of which there are never more than two: divers and torpedoes.
import { np, tree, type Array } from "../../../array/index.js";
import { ahead, behind, cellAt, isOnBoard } from "./board.js";

export interface Swimmer {
  /** Column; −1 where there is none. */
  readonly x: Array;
  readonly y: Array;
  readonly isRight: Array;
}

/** The one that came first, and the one that came last. */
export type Pair = readonly [older: Swimmer, newer: Swimmer];

const nobody = (): Swimmer => ({ x: np.int32(-1), y: np.int32(0), isRight: np.bool(false) });

export const noPair = (): Pair => [nobody(), nobody()];

const isThere = ({ x }: Swimmer): Array => x.greaterEqual(0);

const choose = (condition: Array, a: Swimmer, b: Swimmer): Swimmer =>
  tree.map((x, y) => np.where(condition, x, y), a, b);

/** One more, if it is due; the older one of the two has gone by then. */
export const followed = ([older, newer]: Pair, next: Swimmer, isDue: Array): Pair => [
  choose(isDue, newer, older),
  choose(isDue, next, newer),
];

/** The same one, or nobody. */
export const without = (swimmer: Swimmer, isGone: Array): Swimmer => ({
  ...swimmer,
  x: np.where(isGone, -1, swimmer.x),
});

/** One cell further if it moves; off the board it is gone. */
export function swum(swimmer: Swimmer, isMoving: Array): Swimmer {
  const { x, isRight } = swimmer;
  const moved = np.where(isMoving.and(isThere(swimmer)), ahead(x, isRight), x);
  return without({ ...swimmer, x: moved }, isOnBoard(moved).not());
}

export const isAtCell = ({ x, y }: Swimmer, column: Array, row: Array): Array =>
  x.equal(column).and(y.equal(row));

/** Where they are, and where they were before their last move: bool boards. */
export const boardOf = ([older, newer]: Pair): Array => cellAt(older.x, older.y).or(cellAt(newer.x, newer.y));

export function trailOf(pair: Pair): Array {
  const [older, newer] = pair.map((swimmer) =>
    cellAt(np.where(isThere(swimmer), behind(swimmer.x, swimmer.isRight), -1), swimmer.y),
  );
  return older.or(newer);
}
