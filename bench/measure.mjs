// Timing of things that compete on one machine, and tables of the results.
import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

/** Milliseconds that a call takes. */
export function timeOf(run) {
  const start = performance.now();
  run();
  return performance.now() - start;
}

/** Milliseconds of processor time that a call takes, on all threads: what other work on the machine takes is left out. */
export function processorTimeOf(run) {
  const start = process.cpuUsage();
  run();
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1000;
}

/** Milliseconds of processor time that ended child processes have taken, and theirs; on Linux, elsewhere NaN. */
function childrenTime() {
  try {
    const stat = readFileSync("/proc/self/stat", "utf8");
    const [user, system] = stat
      .slice(stat.lastIndexOf(")") + 2)
      .split(" ")
      .slice(13, 15)
      .map(Number);
    // The kernel tells them in hundredths of a second.
    return (user + system) * 10;
  } catch {
    return NaN;
  }
}

/** What a call takes by the clock, and of processors, with all processes that it starts and waits for. */
export function timesOf(run) {
  const before = childrenTime();
  let processorMs = 0;
  const ms = timeOf(() => {
    processorMs = processorTimeOf(run);
  });
  return { ms, processorMs: processorMs + childrenTime() - before };
}

/**
 * The best time of each runner, in milliseconds. Each first runs until V8 has had the time to optimise it; then
 * they take turns, so that whatever else the machine does meets all of them.
 */
export async function compete(runners, { warmMs = 300, rounds = 7, time = timeOf } = {}) {
  for (const run of runners) {
    for (let spent = 0; spent < warmMs; spent += timeOf(run));
    // Optimised code arrives from another thread.
    await sleep(20);
  }
  const best = runners.map(() => Infinity);
  for (let round = 0; round < rounds; round++) {
    runners.forEach((run, index) => {
      best[index] = Math.min(best[index], time(run));
    });
  }
  return best;
}

/** Three digits that matter. */
export function digits(value) {
  if (value >= 1000) return Math.round(Number(value.toPrecision(3))).toLocaleString("en");
  return value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2);
}

/** A row of a table: the first cell to the left, the others to the right. */
export const row = (widths, cells) =>
  widths
    .map((width, at) => (at === 0 ? cells[at].padEnd(width) : (cells[at] ?? "").padStart(width)))
    .join(" ");
