// The line that tells how a run is going.
import { afterEach, describe, expect, it, vi } from "vitest";
import { clock, progressFacts, progressLine, progressView } from "../../src/cli/progress.js";

const progress = {
  ...{ step: 25_000, total: 100_000, stepsPerSecond: 76_432, secondsLeft: 61.2 },
  ...{ episodeReturn: 195.4, evalReturn: null },
};

afterEach(() => vi.useRealTimers());

describe("the progress line", () => {
  it("says how far, how fast, how long and how well", () => {
    expect(progressFacts(progress)).toBe(" 25% 25,000/100,000 76k steps/s 1:01 left  return 195  eval –");
    const slow = {
      ...progress,
      stepsPerSecond: 96.4,
      secondsLeft: 7207,
      episodeReturn: -1.5,
      evalReturn: 12.345,
    };
    expect(progressFacts(slow)).toBe(" 25% 25,000/100,000 96 steps/s 2:00:07 left  return -1.50  eval 12.35");
    const fast = progressFacts({ ...progress, stepsPerSecond: 2.34e6 });
    expect(fast).toContain("2.3M steps/s");
  });

  it("is not done before it is done", () => {
    expect(progressFacts({ ...progress, step: 99_999 })).toMatch(/^ 99%/);
    expect(progressLine({ ...progress, step: 99_999 }, 120)).toContain("░");
    expect(progressLine({ ...progress, step: 100_000 }, 120)).toMatch(/^█{24} 100%/);
  });

  it("has a bar as wide as there is room, and never wraps", () => {
    expect(progressLine(progress, 120)).toMatch(/^█{6}░{18} {2}25% /);
    for (let columns = 1; columns < 130; columns++) {
      expect(progressLine(progress, columns).length).toBeLessThan(Math.max(2, columns));
    }
  });

  it("tells times as clocks do", () => {
    expect([0, 59.6, 61, 3600, -1].map(clock)).toEqual(["0:00", "1:00", "1:01", "1:00:00", "0:00"]);
  });
});

describe("the progress view", () => {
  /** What is written for progress at these milliseconds. */
  function shown(isInteractive: boolean, times: readonly number[]): string[] {
    vi.useFakeTimers({ toFake: ["performance"] });
    const written: string[] = [];
    const view = progressView({ isInteractive, columns: 90, write: (text) => void written.push(text) });
    let now = 0;
    for (const time of times) {
      vi.advanceTimersByTime(time - now);
      now = time;
      view.show(progress);
    }
    view.show({ ...progress, step: progress.total });
    view.end();
    return written;
  }

  it("redraws one line on a terminal, but not too often, and leaves it in the end", () => {
    const written = shown(true, [0, 10, 50, 100, 130, 200]);
    expect(written).toHaveLength(5);
    for (const text of written.slice(0, -1)) {
      expect(text.slice(0, 5)).toBe("\r\u001b[2K");
      expect(text).not.toContain("\n");
    }
    expect(written.at(-2)).toContain("100%");
    expect(written.at(-1)).toBe("\n");
  });

  it("writes a plain line now and then elsewhere", () => {
    const written = shown(false, [0, 100, 4999, 5001, 6000]);
    expect(written).toHaveLength(3);
    for (const text of written) expect(text).toMatch(/^[ \d]{3}% \d[ -~–]+\n$/);
  });
});
