// PixelGridWorld-v0: the grid world seen as a picture, for convolutional networks.
import { check, np, rules, type Array } from "../../array/index.js";
import type { Environment } from "../environment.js";
import { Discrete, Image } from "../spaces.js";
import { numbersIn, picture, rect, type Point } from "../svg.js";
import { finishStep } from "./episode.js";
import { defaultRewards, topLeft, walk, type GridRewards, type GridWorldState } from "./gridWorld.js";

export interface PixelGridWorldOptions {
  /** Cells along a side. Default 5. */
  readonly size?: number;
  /** Pixels along the side of a cell. Default 8. */
  readonly cellPixels?: number;
}

/** The size decides the shape of the picture, so it is chosen here and is no parameter. */
export function pixelGridWorld({ size = 5, cellPixels = 8 }: PixelGridWorldOptions = {}): Environment<
  GridWorldState,
  GridRewards
> {
  for (const [name, value, least] of [
    ["size", size, 2],
    ["cellPixels", cellPixels, 1],
  ] as const) {
    check("pixelGridWorld", name, value, rules.whole(least));
  }
  const side = size * cellPixels;
  const last = size - 1;

  /** Black, with the goal in green and the agent in white. */
  const observe = ({ row, column }: GridWorldState): Array => {
    const cells = np.arange(side).floorDivide(cellPixels);
    const square = (r: Array | number, c: Array | number): Array =>
      cells
        .equal(r)
        .slice(":", null, null)
        .and(cells.equal(c).slice(null, ":", null));
    const isGreen = np.arange(3).equal(1);
    const isLit = square(row, column).or(square(last, last).and(isGreen));
    return np.where(isLit, np.uint8(255), np.uint8(0));
  };

  return {
    name: "PixelGridWorld-v0",
    defaultParams: defaultRewards,
    observationSpace: () => Image({ height: side, width: side, channels: 3 }),
    actionSpace: () => Discrete(4),
    reset() {
      const state = topLeft();
      return [observe(state), state];
    },
    step(_key, before, action, params) {
      const { state, atGoal, reward } = walk(before, action, np.int32(last), params);
      return finishStep(observe(state), state, reward, atGoal, params);
    },
    render(state) {
      const { row, column } = numbersIn("state", state, "row", "column");
      const cell = 400 / size;
      const place = (r: number, c: number): Point => [c * cell, r * cell];
      return picture(400, 400, [
        rect([0, 0], 400, 400, "#000000"),
        rect(place(last, last), cell, cell, "#00ff00"),
        rect(place(row, column), cell, cell, "#ffffff"),
      ]);
    },
  };
}
