// Membership among whole numbers is exact, where floats would be rounded.
import { expect, it } from "vitest";
import { jit, np, type Array } from "vibe-rl/array";

it("isin tells neighbouring large integers apart", () => {
  const large = np.uint32([4294967294, 4294967295, 16777217]);
  expect(np.isin(large, [4294967295, 16777216]).toArray()).toEqual([false, true, false]);
  expect(jit((x: Array) => np.isin(x, [4294967295]))(large).toArray()).toEqual([false, true, false]);
});

it("isin takes numbers that the elements' dtype cannot hold, and fractions", () => {
  expect(np.isin(np.uint8([1, 255]), [-1, 255]).toArray()).toEqual([false, true]);
  expect(np.isin(np.int32([1, 2]), [1.5, 2]).toArray()).toEqual([false, true]);
});
