// SyncVecEnv over environments that answer with promises: one that never answers is named in time. The clock is a fake.
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { SyncVecEnv, type HostEnv } from "vibe-rl/vecEnv";
import { slowly, Walk, walking } from "./games.js";

beforeEach(() => vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const never = () => new Promise<never>(() => undefined);
const timeoutMs = 500;

/** Three environments, of which the second is another one. */
const withSecond = (second: HostEnv, options: object = { timeoutMs }) =>
  SyncVecEnv([() => slowly(new Walk(), 2), () => second, () => new Walk()], options);

/** What a call throws at last, and what it has done just before its time is over. */
async function failureOf(call: () => unknown, ms = timeoutMs): Promise<unknown> {
  let error: unknown = "pending";
  void (async () => {
    try {
      await call();
      error = "nothing was thrown";
    } catch (thrown) {
      error = thrown;
    }
  })();
  await vi.advanceTimersByTimeAsync(ms - 1);
  expect(error).toBe("pending");
  await vi.advanceTimersByTimeAsync(1);
  return error;
}

const late = (ms = timeoutMs) =>
  expect.objectContaining({
    index: 1,
    environment: "Walk",
    message: `SyncVecEnv: environment 1 (Walk): has not answered within ${ms} ms (timeoutMs)`,
  }) as unknown;

describe("SyncVecEnv names an environment that never answers", () => {
  it("to a step", async () => {
    const vec = withSecond(walking({ step: never }));
    await vec.reset(0);
    expect(await failureOf(() => vec.step(new Int32Array(3)))).toEqual(late());
    expect(() => vec.step(new Int32Array(3))).toThrow("step() comes after a failure");
    await vec.close();
    expect(vi.getTimerCount()).toBe(0);
  });

  it("to the reset at the beginning, or after an episode", async () => {
    expect(await failureOf(() => withSecond(walking({ reset: never })).reset(0))).toEqual(late());
    const walk = new Walk(1);
    const vec = withSecond(walk);
    await vec.reset(0);
    Object.assign(walk, { reset: never });
    expect(await failureOf(() => vec.step(new Int32Array(3)))).toEqual(late());
  });

  it("to getState, setState, render and close", async () => {
    const all = (name: keyof HostEnv) =>
      SyncVecEnv([() => new Walk(), () => walking({ [name]: never })], { timeoutMs });
    expect(await failureOf(() => all("getState").getState?.())).toEqual(late());
    const states = await SyncVecEnv([() => new Walk(), () => new Walk()]).getState?.();
    expect(await failureOf(() => all("setState").setState?.(states))).toEqual(late());
    expect(await failureOf(() => all("render").render?.(1))).toEqual(late());
    expect(await failureOf(() => all("close").close())).toEqual(late());
  });

  it("within a minute by default, with all others that owe an answer", async () => {
    const vec = SyncVecEnv([() => new Walk(), ...[1, 2].map(() => () => walking({ step: never }))]);
    await vec.reset(0);
    expect(await failureOf(() => vec.step(new Int32Array(3)), 60_000)).toMatchObject({
      index: 1,
      reason: "has not answered within 60000 ms (timeoutMs), nor have 2",
    });
  });

  it("and not one whose picture failed before", async () => {
    const failing = walking({ render: () => Promise.reject(new Error("no pen")) });
    const vec = SyncVecEnv([() => failing, () => walking({ step: never })], { timeoutMs });
    await vec.reset(0);
    await expect(vec.render?.(0)).rejects.toThrow("no pen");
    expect(await failureOf(() => vec.step(new Int32Array(2)))).toEqual(late());
  });
});

describe("SyncVecEnv with a limit", () => {
  it("leaves no timer behind where all have answered, and sets none where they answer at once", async () => {
    const vec = withSecond(new Walk());
    const waiting = vec.reset(0);
    expect(vi.getTimerCount()).toBe(1);
    await waiting;
    await vec.step(new Int32Array(3));
    expect(vi.getTimerCount()).toBe(0);
    const atOnce = SyncVecEnv([() => new Walk()]);
    void atOnce.reset(0);
    void atOnce.step(new Int32Array(1));
    expect(vi.getTimerCount()).toBe(0);
  });

  it("does not mind what comes too late, be it an answer or an error", async () => {
    const fail = () => new Promise((_, reject) => void setTimeout(() => reject(new Error("late")), 900));
    const vec = withSecond(walking({ step: fail }));
    await vec.reset(0);
    expect(await failureOf(() => vec.step(new Int32Array(3)))).toEqual(late());
    // An unhandled rejection would fail the test.
    await vi.advanceTimersByTimeAsync(1000);
  });

  it("waits for ever only where it is told to", async () => {
    const vec = withSecond(walking({ step: never }), { timeoutMs: Infinity });
    await vec.reset(0);
    void vec.step(new Int32Array(3));
    expect(vi.getTimerCount()).toBe(0);
  });

  it("refuses limits that are none", () => {
    for (const given of [0, -1, NaN, 2 ** 31, "1"]) {
      expect(() => withSecond(new Walk(), { timeoutMs: given })).toThrow(
        "SyncVecEnv: timeoutMs must be a positive number below 2147483648, or Infinity, got ",
      );
    }
  });
});
