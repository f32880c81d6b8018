// The fish and submarines of Seaquest-MinAtar on a board of whole numbers.
//
// A cell has four bits for each number of steps until its enemies move, 0 to 5: 0 for nobody, 15 for a fish, and
// 1 to 11 for a submarine, by the step at which it appeared, modulo 11, since it shoots every 11 steps. No two
// enemies of a cell move at the same step: those of a row have one direction and one speed and appear one after
// the other, at x = 0 or 9. (The speed rises three times, while at least 14 steps lie between two appearances: not
// long enough for one to catch up with the one before it.)
import { np, type Array } from "../../../array/index.js";
import { lowestBit } from "./bits.js";
import { cellAt, columns, last } from "./board.js";

export interface Fleet {
  /** The enemies of each cell, [10, 10]. */
  readonly enemies: Array;
  /** Whether those of a row move to the right, [10]. */
  readonly isRight: Array;
}

const fish = 15;
const shotInterval = 11;
/** The lowest bit of each four. */
const ones = 0x111111;

/** The lowest bit of every four that hold somebody. */
const occupied = (cells: Array): Array =>
  cells.or(np.rightShift(cells, 1)).or(np.rightShift(cells, 2)).or(np.rightShift(cells, 3)).and(ones);

/** The lowest bit of every four that hold a kind of enemy. */
const having = (cells: Array, kind: Array | number): Array =>
  occupied(cells.xor(np.multiply(kind, ones))).xor(ones);

const perRow = (values: Array): Array => values.slice(":", null);

/** A board whose cells have moved one to the right or to the left; what leaves the board is gone. */
function shifted(board: Array, isRight: Array): Array {
  const toRight = np.where(columns().equal(0), 0, np.roll(board, 1, 1));
  const toLeft = np.where(columns().equal(last), 0, np.roll(board, -1, 1));
  return np.where(isRight, toRight, toLeft);
}

/** Whether there is a fish and a submarine in each cell, and whether one was there before its last move. */
export function seen({ enemies, isRight }: Fleet) {
  const allFish = having(enemies, fish);
  return {
    isFish: allFish.notEqual(0),
    isSub: occupied(enemies).notEqual(allFish),
    isTrail: shifted(enemies, perRow(isRight.not())).notEqual(0),
  };
}

interface Arrival {
  /** Whether the time has come; what happens by chance counts only then. */
  readonly isDue: Array;
  readonly isRight: Array;
  readonly isSub: Array;
  readonly row: Array;
  /** The present step, and the steps that it waits before each move. */
  readonly time: Array;
  readonly pace: Array;
}

/** One more enemy, unless those in its row move in the other direction. */
export function joined({ enemies, isRight }: Fleet, arrival: Arrival): Fleet {
  const isRow = columns().equal(arrival.row);
  const isOpposed = enemies.notEqual(0).any(1).and(isRight.xor(arrival.isRight)).and(isRow).any();
  const isNew = arrival.isDue.and(isOpposed.not());
  const kind = np.where(arrival.isSub, arrival.time.mod(shotInterval).add(1), fish);
  const place = cellAt(np.where(arrival.isRight, 0, last), arrival.row).and(isNew);
  const newcomer = np.leftShift(kind, arrival.pace.mul(4));
  return {
    enemies: enemies.or(np.where(place, newcomer, 0)),
    isRight: np.where(isRow.and(isNew), arrival.isRight, isRight),
  };
}

/** The fleet after a torpedo at a cell: without the fish that moves first, or else the submarine that does. */
export function struck(
  { enemies, isRight }: Fleet,
  { x, y }: { readonly x: Array; readonly y: Array },
): { readonly fleet: Fleet; readonly isHit: Array } {
  const isCell = cellAt(x, y);
  const cell = np.where(isCell, enemies, 0).sum();
  const allFish = having(cell, fish);
  const first = lowestBit(np.where(allFish.notEqual(0), allFish, occupied(cell)));
  const others = np.where(isCell, enemies.and(first.mul(15).not()), enemies);
  return { fleet: { enemies: others, isRight }, isHit: cell.notEqual(0) };
}

/** The fleet a step later: those whose time has come are in the next cell, and wait again. */
export function advanced({ enemies, isRight }: Fleet, pace: Array): Fleet {
  const arriving = shifted(enemies.and(15), perRow(isRight));
  return { enemies: np.rightShift(enemies, 4).or(np.leftShift(arriving, pace.mul(4))), isRight };
}

/** The bullets that submarines fire in a step: in each cell 1 for one to the left, 2 for one to the right. */
export function fired({ enemies, isRight }: Fleet, time: Array): Array {
  const isShooting = having(enemies, time.add(1).mod(shotInterval).add(1)).notEqual(0);
  return np.where(isShooting, np.where(perRow(isRight), np.int32(2), np.int32(1)), 0);
}

/** Bullets after one more step. */
export const flown = (bullets: Array): Array =>
  shifted(bullets.and(1), np.bool(false)).or(shifted(bullets.and(2), np.bool(true)));

/** Whether something is at a cell. */
export const isAt = (board: Array, x: Array, y: Array): Array => board.notEqual(0).and(cellAt(x, y)).any();
