// Compiled convolutions and their gradients equal interpreted ones. Whole numbers make the sums exact.
import { describe, it } from "vitest";
import { grad, lax, nn, np, type Array } from "vibe-rl/array";
import { expectSame, wholeNumbers } from "./compare.js";

const images = (shape: readonly number[]) => wholeNumbers(shape, "float32", 1);
const kernels = (shape: readonly number[]) => wholeNumbers(shape, "float32", 2);

describe("convolution", () => {
  type Convolution = (x: Array, w: Array) => Array;
  const configurations: Record<string, Convolution> = {
    valid: (x, w) => lax.convGeneralDilated(x, w, [1, 1], "VALID"),
    same: (x, w) => lax.convGeneralDilated(x, w, [1, 1], "SAME"),
    strided: (x, w) => lax.convGeneralDilated(x, w, [2, 3], "VALID"),
    "strided, same": (x, w) => lax.convGeneralDilated(x, w, [3, 2], "SAME"),
    padded: (x, w) =>
      lax.convGeneralDilated(
        x,
        w,
        [1, 2],
        [
          [2, 1],
          [0, 3],
        ],
      ),
    cropped: (x, w) =>
      lax.convGeneralDilated(
        x,
        w,
        [1, 1],
        [
          [-1, 1],
          [0, -2],
        ],
      ),
    "with a spread kernel": (x, w) => lax.convGeneralDilated(x, w, [1, 1], "SAME", { rhsDilation: [2, 3] }),
    "with a spread image": (x, w) =>
      lax.convGeneralDilated(
        x,
        w,
        [1, 1],
        [
          [1, 1],
          [2, 0],
        ],
        { lhsDilation: [2, 3] },
      ),
    "with everything": (x, w) =>
      lax.convGeneralDilated(
        x,
        w,
        [2, 1],
        [
          [3, 2],
          [1, 1],
        ],
        { lhsDilation: [2, 1], rhsDilation: [1, 2] },
      ),
    "channels first": (x, w) =>
      lax.convGeneralDilated(x.transpose([0, 3, 1, 2]), w.transpose([3, 2, 0, 1]), [2, 2], "SAME", {
        dimensionNumbers: ["NCHW", "OIHW", "NCHW"],
      }),
    "in groups": (x, w) =>
      lax.convGeneralDilated(np.concatenate([x, x], 3), w, [1, 1], "VALID", { featureGroupCount: 2 }),
    "followed by relu": (x, w) => nn.relu(lax.convGeneralDilated(x, w, [1, 1], "SAME").add(np.arange(4))),
  };
  const sizes: [image: number[], kernel: number[]][] = [
    [
      [2, 7, 8, 3],
      [3, 2, 3, 4],
    ],
    [
      [1, 6, 6, 1],
      [3, 3, 1, 4],
    ],
    [
      [3, 5, 9, 2],
      [1, 1, 2, 4],
    ],
  ];
  it.each(Object.entries(configurations))("%s, with its gradients", (_, f) => {
    for (const [image, kernel] of sizes) {
      const args = [images(image), kernels(kernel)];
      expectSame(f, args);
      expectSame(
        grad((x: Array, w: Array) => f(x, w).mul(f(x, w)).sum(), { argnums: [0, 1] }),
        args,
      );
    }
  });
  it("of uint8 images", () => {
    const image = wholeNumbers([2, 9, 9, 4], "uint8");
    expectSame(
      (x, w) => lax.convGeneralDilated(x.astype("float32"), w, [2, 2], "VALID"),
      [image, kernels([3, 3, 4, 5])],
    );
  });
  it("pools", () => {
    const pool = (x: Array) =>
      np
        .stack([
          x.slice("::2", "::2"),
          x.slice("1::2", "::2"),
          x.slice("::2", "1::2"),
          x.slice("1::2", "1::2"),
        ])
        .max(0);
    expectSame(
      grad((x: Array) => pool(x).mul(pool(x)).sum()),
      [images([8, 10])],
    );
  });
});
