// The threads that devices run in: the first device in the one that asks, each other in a thread of its own, which
// stays for later programs.
import { fail } from "../../../array/index.js";
import { hasThreads, os } from "../../../node/index.js";
import { Member } from "./member.js";

const members = new Map<number, Member>();
let isRunning = false;

/** The thread of a device; a new one if there is none, or it is lost. */
function memberOf(device: number): Member {
  const known = members.get(device);
  if (known?.lost === null) return known;
  const member = new Member(device);
  members.set(device, member);
  return member;
}

const others = (devices: number): number[] => Array.from({ length: devices - 1 }, (_, at) => at + 1);

/** The threads of all devices but the first, started. */
export function findMembers(devices: number): Member[] {
  const found = others(devices).map(memberOf);
  for (const member of found) {
    if (hasThreads()) member.waitForStart();
    else if (!member.isReady) {
      fail(
        "spmd",
        "the threads of devices start only while a page is idle: compile with `await`, as precompile and " +
          "spmdAsync do, before the first run",
      );
    }
  }
  return found;
}

/** The same without holding up this thread. */
export async function startMembers(devices: number): Promise<void> {
  await Promise.all(others(devices).map((device) => memberOf(device).start()));
}

/** Does something for which the threads must be free. */
export function occupied<T>(use: () => T): T {
  if (isRunning) fail("spmd", "a program for several devices is running, and cannot start another");
  isRunning = true;
  try {
    return use();
  } finally {
    isRunning = false;
  }
}

/** Processors that threads can run on at the same time. */
export const countProcessors = (): number =>
  hasThreads() ? os.availableParallelism() : globalThis.navigator.hardwareConcurrency;

let isSleepAllowed: boolean | null = null;

/** Whether this thread may sleep on shared memory; the main thread of a page may not. */
export function maySleep(): boolean {
  if (isSleepAllowed === null) {
    try {
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 1, 0);
      isSleepAllowed = true;
    } catch {
      isSleepAllowed = false;
    }
  }
  return isSleepAllowed;
}
