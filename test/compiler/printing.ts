// What programs print.
import { expect, vi } from "vitest";
import { debug, jit, lax, np, type Array } from "vibe-rl/array";

/** Fails unless messages from loops and branches of a device come in order, and a program stops where printing fails. */
export function expectPrintsInOrder(device: string): void {
  const lines: string[] = [];
  const log = vi.spyOn(console, "log").mockImplementation((line: string) => void lines.push(line));
  const f = (x: Array) =>
    lax.foriLoop(
      0,
      3,
      (i, y: Array) => {
        debug.print("{i}: {y}", { i, y });
        return lax.cond(
          i.equal(1),
          (z: Array) => {
            debug.print("one");
            return z.mul(2);
          },
          (z: Array) => z.add(1),
          y,
        );
      },
      x,
    );
  const run = jit(f, { device });
  expect(run(np.array([1, 2])).toArray()).toEqual([5, 7]);
  expect(lines).toEqual(["0: [1,2]", "1: [2,3]", "one", "2: [4,6]"]);
  const [smallest, one] = Float64Array.of(Number.MIN_VALUE, 1);
  log.mockImplementation(() => {
    throw new Error(smallest * one === 0 ? "JavaScript loses small numbers" : "no paper");
  });
  expect(() => run(np.array([1, 2]))).toThrow("no paper");
}
