// Whether the optional package is there: without it, tests of MuJoCo are skipped, and say so by their name.
import { describe } from "vitest";

const isInstalled = await import("@mujoco/mujoco").then(
  () => true,
  () => false,
);

export const describeMujoco = (what: string, tests: () => void): void => {
  describe.skipIf(!isInstalled)(
    isInstalled ? what : `${what} (skipped: @mujoco/mujoco is not installed)`,
    tests,
  );
};
