// Tests that take too long for every run of the tests: `npm run test:long` runs them, with all others of their files.
import { it } from "vitest";

export const isLong = process.env.VIBE_RL_TEST_LONG === "1";

/** `it`, only in `npm run test:long`. */
export const itLong = it.skipIf(!isLong);
