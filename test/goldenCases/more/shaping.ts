// Moving, repeating, padding and taking apart.
import { lax, np } from "vibe-rl/array";
import type { MoreCases } from "./cases.js";

const modes = ["edge", "reflect", "symmetric", "wrap"] as const;

export const shapingCases: MoreCases = {
  roll: (x) => [np.roll(x, [1, -2], [0, 1]), np.roll(x, 1, [0, 1]), np.roll(np.roll(x, 1, 1), 2, 1)],
  "roll traced": (x, s) => [np.roll(x, s), np.roll(x, s, 1), np.roll(x, np.stack([s, s.neg()]), [0, 1])],
  "repeat counts": (x) => [np.repeat(x, [2, 0, 3], 0), x.repeat(np.int32([1, 2, 0, 1]), 1), np.repeat(x, 2)],
  "repeat traced": (x, counts) =>
    [5, 3, 8].map((totalRepeatLength) => np.repeat(x, counts, 0, { totalRepeatLength })),
  diagonal: (x) => [
    np.diagonal(x),
    np.diagonal(x, 1, 1, 2),
    np.diagonal(x, -1, 2, 0),
    np.trace(x),
    np.trace(x, 1, 2, 1),
  ],
  "topK axis": (x) => [...lax.topK(x, 2, { axis: 1 }), ...lax.topK(x, 1, { axis: 0 })],
  pad: (x) => [
    np.pad(x, [[1, 2]]),
    np.pad(
      x,
      [
        [0, 1],
        [2, 0],
      ],
      { constantValues: 3 },
    ),
    ...modes.map((mode) =>
      np.pad(
        x,
        [
          [1, 2],
          [3, 1],
        ],
        { mode },
      ),
    ),
  ],
  "pad far": (x) => modes.map((mode) => np.pad(x, 7, { mode })),
  arrayEqual: (x) => [np.arrayEqual(x, x), np.arrayEqual(x, x, { equalNan: true })],
  "einsum lists": (x, y) => [
    np.einsum(x, [0, 1], y, [2, 1], [2, 0]),
    np.einsum(x, [0, 1], y, [2, 1]),
    np.einsum(x, ["...", 1], ["...", 1]),
  ],
  "unstack append": (x) => [
    ...np.unstack(x),
    ...np.unstack(x, { axis: 1 }),
    np.append(x, x.slice(":1")),
    np.append(x, x.slice(":1"), 0),
  ],
  splits: (x) => [...np.arraySplit(x, 3, 2), ...np.hsplit(x, 3), ...np.vsplit(x, 2), ...np.dsplit(x, [1, 3])],
};
