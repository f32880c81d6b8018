// Processes side by side: what each of them prints is kept apart, and what ends this process ends all of them.
import { spawn } from "node:child_process";

/** What runs, and what it has printed up to now. */
const running = new Map();
/** Lines that are shown of what had to be ended. */
const shownLines = 5;
// Who leads a group of processes can be ended with all that it has started. Windows has no such groups.
const hasGroups = process.platform !== "win32";

function end({ pid }) {
  try {
    process.kill(hasGroups ? -pid : pid);
  } catch {
    // It has ended by itself.
  }
}

for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
  process.once(signal, () => {
    for (const [child, printed] of running) {
      end(child);
      const last = printed().trimEnd().split("\n").slice(-shownLines).join("\n");
      console.log(`\n${child.spawnargs.slice(1).join(" ")} was ended; its last lines:\n${last}`);
    }
    process.exit(1);
  });
}

/** Runs a command to its end: its exit code, and all that it printed. */
export function run(command, args, options = {}) {
  const child = spawn(command, args, {
    stdio: ["ignore", "pipe", "pipe"],
    detached: hasGroups,
    ...options,
  });
  let output = "";
  running.set(child, () => output);
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding("utf8").on("data", (text) => (output += text));
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => {
      running.delete(child);
      resolve({ code: code ?? 1, output });
    });
  });
}

/** Starts jobs, the first ones first, each as soon as as many of all places are free as it takes; all results. */
export async function inPlaces(places, jobs, start) {
  let free = places;
  const underWay = new Set();
  const results = [];
  for (const job of jobs) {
    while (free < job.places) await Promise.race(underWay);
    free -= job.places;
    const result = start(job).finally(() => {
      free += job.places;
      underWay.delete(result);
    });
    underWay.add(result);
    results.push(result);
  }
  return Promise.all(results);
}
