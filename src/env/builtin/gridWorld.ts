// GridWorld-v0: walk from the top left of a square grid to the bottom right.
import { np, type Array } from "../../array/index.js";
import type { Environment } from "../environment.js";
import { Box, Discrete } from "../spaces.js";
import { circle, colors, numbersIn, picture, rect, type Point } from "../svg.js";
import { finishStep, parameters } from "./episode.js";

export interface GridRewards {
  /** Reward for reaching the goal. */
  readonly goalReward: Array;
  /** Reward for every other step. */
  readonly stepReward: Array;
  readonly maxSteps: Array;
}

export interface GridWorldParams extends GridRewards {
  /** Cells along a side, at least 2. */
  readonly size: Array;
}

export interface GridWorldState {
  readonly row: Array;
  readonly column: Array;
  readonly time: Array;
}

/** Rewards and step limit of both grid worlds. */
export const defaultRewards = (): GridRewards => parameters({ goalReward: 1, stepReward: -0.01 }, 100);

export const topLeft = (): GridWorldState => ({ row: np.int32(0), column: np.int32(0), time: np.int32(0) });

/** One cell up, right, down or left (actions 0 to 3), staying on the grid; whether that is the goal, and the reward. */
export function walk(
  { row, column, time }: GridWorldState,
  action: Array,
  last: Array,
  { goalReward, stepReward }: GridRewards,
): { readonly state: GridWorldState; readonly atGoal: Array; readonly reward: Array } {
  const is = (direction: number): Array => action.equal(direction).astype("int32");
  const state = {
    row: row.add(is(2)).sub(is(0)).clip(0, last),
    column: column.add(is(1)).sub(is(3)).clip(0, last),
    time: time.add(1),
  };
  const atGoal = state.row.equal(last).and(state.column.equal(last));
  return { state, atGoal, reward: np.where(atGoal, goalReward, stepReward) };
}

const observe = ({ row, column }: GridWorldState, last: Array): Array =>
  np.stack([row, column]).astype("float32").div(last);

export const gridWorld = (): Environment<GridWorldState, GridWorldParams> => ({
  name: "GridWorld-v0",
  defaultParams: () => ({ size: np.int32(5), ...defaultRewards() }),
  observationSpace: () => Box({ low: 0, high: 1, shape: [2] }),
  actionSpace: () => Discrete(4),
  reset(_key, { size }) {
    const state = topLeft();
    return [observe(state, size.sub(1)), state];
  },
  step(_key, before, action, params) {
    const last = params.size.sub(1);
    const { state, atGoal, reward } = walk(before, action, last, params);
    return finishStep(observe(state, last), state, reward, atGoal, params);
  },
  render(state, params) {
    const { row, column } = numbersIn("state", state, "row", "column");
    const { size } = numbersIn("params", params, "size");
    const cell = 380 / size;
    const place = (r: number, c: number): Point => [10 + c * cell, 10 + r * cell];
    const cells = globalThis.Array.from({ length: size * size }, (_, at) => {
      const [r, c] = [Math.floor(at / size), at % size];
      const isGoal = r === size - 1 && c === size - 1;
      return rect(place(r, c), cell - 4, cell - 4, isGoal ? colors.green : colors.shade, { rx: cell / 10 });
    });
    const [x, y] = place(row, column);
    const middle = (cell - 4) / 2;
    return picture(400, 400, [...cells, circle([x + middle, y + middle], cell * 0.3, colors.blue)]);
  },
});
