// Pictures of the MinAtar games: a square of its own colour for everything on the board.
import { np, type Array } from "../../../array/index.js";
import { colors, picture, rect } from "../../svg.js";
import { side } from "./board.js";

/** A kind of object: its name, its colour, and the side of its square in cells. */
export interface Channel {
  readonly name: string;
  readonly color: string;
  /** Default 0.9. */
  readonly size?: number;
}

/** The side of a trail and of other marks, which may be where an object is. */
export const markSize = 0.4;

const cell = 40;

/** The board as SVG; small squares lie on top of large ones. */
export function boardPicture(channels: readonly Channel[], boards: readonly Array[]): string {
  const squares = channels.map(({ color, size = 0.9 }, at) => {
    const isThere = np.broadcastTo(boards[at], [side, side]).toArray() as boolean[][];
    const shapes = isThere.flatMap((line, y) =>
      line.flatMap((isHere, x) => {
        const [left, top] = [x, y].map((place) => (place + (1 - size) / 2) * cell) as [number, number];
        return isHere ? [rect([left, top], size * cell, size * cell, color, { rx: 4 })] : [];
      }),
    );
    return { size, shapes };
  });
  squares.sort((a, b) => b.size - a.size);
  return picture(side * cell, side * cell, [
    rect([0, 0], side * cell, side * cell, colors.shade),
    ...squares.flatMap(({ shapes }) => shapes),
  ]);
}
