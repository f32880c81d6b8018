// Compiled programs on images of bytes equal interpreted ones.
import { describe, it } from "vitest";
import { lax, np, random, vmap, type Array } from "vibe-rl/array";
import { expectSame } from "./compare.js";

describe("uint8 images", () => {
  const image = random.randint(random.key(0), [2, 7, 5, 3], 0, 256).astype("uint8");
  it("are scaled, cut, stacked and averaged", () => {
    expectSame(
      (x) => [
        x.astype("float32").div(255),
        x.add(200),
        x.slice(":", "1:-1", "::2"),
        np.concatenate([x.slice(":", ":", ":", "1:"), x.slice(":", ":", ":", ":1")], 3),
        np.flip(x, 2),
        x.mean(3),
        x.max([1, 2]),
        np.pad(
          x,
          [
            [0, 0],
            [2, 2],
            [1, 1],
            [0, 0],
          ],
          { constantValues: 9 },
        ),
        x.greater(100),
        np.where(x.greater(100), x, 0),
        x.T,
        x.sum(),
      ],
      [image],
      { rtol: 1e-6 },
    );
  });
  it("are shifted at random", () => {
    const shifted = (key: Array, one: Array) => {
      const start = random.randint(key, [2], 0, 5);
      return lax.dynamicSlice(
        np.pad(
          one,
          [
            [2, 2],
            [2, 2],
            [0, 0],
          ],
          { mode: "edge" },
        ),
        [start.slice(0), start.slice(1), 0],
        one.shape,
      );
    };
    expectSame(vmap(shifted), [random.split(random.key(1), 2), image]);
  });
});
