// The board of the MinAtar games: ten rows of ten cells, the actions on it, and choices made by chance.
import { np, type Array } from "../../../array/index.js";

/** Cells along a side. */
export const side = 10;

/** The last row and column. */
export const last = side - 1;

/** The full set of actions, by number. */
export const Action = { none: 0, left: 1, up: 2, right: 3, down: 4, fire: 5 } as const;

/** The number of each column, [10]. */
export const columns = (): Array => np.arange(side);

/** The number of each row, [10, 1]. */
export const rows = (): Array => columns().slice(":", null);

/** Where the one cell at a column and a row is: a bool board. Off the board there is none. */
export const cellAt = (x: Array | number, y: Array | number): Array =>
  columns().equal(x).and(rows().equal(y));

/** A place along a line after one step towards either end, kept between the ends. */
export function walked(
  place: Array,
  action: Array,
  [back, forth]: readonly [back: number, forth: number],
  [least, most]: readonly [least: number, most: number] = [0, last],
): Array {
  const step = action.equal(forth).astype("int32").sub(action.equal(back).astype("int32"));
  return place.add(step).clip(least, most);
}

/** A place one step further to the right or to the left. */
export const ahead = (x: Array, isRight: Array): Array => x.add(np.where(isRight, np.int32(1), np.int32(-1)));

/** A place one step behind one that moves to the right or to the left. */
export const behind = (x: Array, isRight: Array): Array => ahead(x, isRight.not());

/** Whether a column is on the board. */
export const isOnBoard = (x: Array): Array => x.greaterEqual(0).and(x.less(side));

/** A count-down after one more step: it stays at 0. */
export const countedDown = (timer: Array): Array => np.maximum(timer.sub(1), 0);

/** A whole number below `count` from a uniform random number. */
export const pick = (chance: Array, count: Array | number): Array => chance.mul(count).astype("int32");
