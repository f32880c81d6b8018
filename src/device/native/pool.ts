// The threads that native programs share: one set of workers for each number of them, as long as the process lives.
import { environment, fail } from "../../array/index.js";
import { poolSource, type ParallelWork } from "../../compiler/index.js";
import { os, threads } from "../../node/index.js";
import { libraryOf } from "./build.js";
import type { Steps } from "./commands.js";
import type { Compiler } from "./compiler.js";
import type { Koffi } from "../koffi.js";
import { loadLibrary } from "./library.js";
import { machineOf } from "./machine.js";

/**
 * How many threads a program has: what was asked for, or VIBE_RL_THREADS, or one for each processor if its work is worth
 * them; one where there is nothing to share.
 */
export function threadsFor(asked: number | null, work: ParallelWork): number {
  const count = asked ?? threadsFromEnvironment();
  if (work === "none") return 1;
  return count ?? (work === "much" ? os.availableParallelism() : 1);
}

/** Whether a program is sure to have one thread, whatever its work. */
export const isForOneThread = (asked: number | null): boolean =>
  !threads.isMainThread || (asked ?? threadsFromEnvironment() ?? os.availableParallelism()) === 1;

function threadsFromEnvironment(): number | null {
  const text = environment("VIBE_RL_THREADS");
  if (text === undefined) return null;
  const count = Number(text);
  if (Number.isSafeInteger(count) && count >= 1) return count;
  return fail("VIBE_RL_THREADS", `must be a whole number of at least 1, got ${JSON.stringify(text)}`, null);
}

/** Starts workers, or finds those that were started. */
let startWorkers: ((count: number) => bigint | null) | null = null;

/** The address of a set of threads; null: the one that calls does all the work. */
export function* poolOf(
  koffi: Koffi,
  compiler: Compiler,
  count: number,
  flags: readonly string[],
): Steps<bigint | null> {
  // Workers serve one program at a time, and other JavaScript threads of this process would be asking at the same time.
  if (count === 1 || !threads.isMainThread) return null;
  startWorkers ??= yield* workers(koffi, compiler, flags);
  return (
    startWorkers(count) ??
    fail("native", `the system does not give ${count} threads; set threads, or VIBE_RL_THREADS, to fewer`)
  );
}

function* workers(
  koffi: Koffi,
  compiler: Compiler,
  flags: readonly string[],
): Steps<(count: number) => bigint | null> {
  const source = { name: "threads", units: [poolSource], flags };
  const library = loadLibrary(koffi, yield* libraryOf(source, compiler, yield* machineOf(compiler)));
  const start = library.func("vibe_rl_pool", "void *", ["int"]);
  return (count) => start(count) as bigint | null;
}
