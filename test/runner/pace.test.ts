// How much work a call is given.
import { expect, it } from "vitest";
import { Pace } from "../../src/runner/pace.js";

/** Units of the calls of a run whose units take so long each, with so much besides in every call. */
function callsOf(secondsOf: (done: number) => number, overhead: number, total: number) {
  const pace = new Pace();
  const calls: { units: number; seconds: number }[] = [];
  for (let done = 0; done < total;) {
    const units = Math.min(total - done, pace.patience);
    const seconds = overhead + units * secondsOf(done);
    pace.tell(units, seconds);
    calls.push({ units, seconds });
    done += units;
  }
  return calls;
}

it("calls grow until they take a quarter of a second", () => {
  const calls = callsOf(() => 1e-4, 1e-3, 50_000);
  expect(calls[0].units).toBe(1);
  expect(Math.max(...calls.map(({ seconds }) => seconds))).toBeLessThan(0.26);
  expect(calls.at(-2)?.units).toBeGreaterThan(2000);
  expect(calls.length).toBeLessThan(40);
});

it("a unit that takes longer than that is a call of its own", () => {
  expect(callsOf(() => 3, 0, 4).map(({ units }) => units)).toEqual([1, 1, 1, 1]);
});

it("work that gets slower is given in smaller pieces", () => {
  const calls = callsOf((done) => (done < 1000 ? 1e-5 : 1e-3), 0, 4000);
  expect(calls.slice(-3, -1).every(({ seconds }) => seconds < 0.26)).toBe(true);
});

it("work that changes is begun with little", () => {
  const pace = new Pace();
  for (let call = 0; call < 8; call++) pace.tell(pace.patience, 1e-4);
  expect(pace.patience).toBeGreaterThan(1000);
  pace.restart();
  expect(pace.patience).toBe(1);
});
