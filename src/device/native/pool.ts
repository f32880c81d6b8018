// The threads that native programs share: one set of workers for each number of them, as long as the process lives.
import { environment, fail } from "../../array/index.js";
import { poolSource } from "../../compiler/index.js";
import { os, threads } from "../../node/index.js";
import { libraryOf } from "./build.js";
import type { Steps } from "./commands.js";
import type { Compiler } from "./compiler.js";
import type { Koffi } from "./koffi.js";
import { loadLibrary } from "./library.js";
import { machineOf } from "./machine.js";

/** How many threads a program may have: what was asked for, or VIBE_RL_THREADS, or one for each processor. */
export function threadsFor(asked: number | null): number {
  if (asked !== null) return asked;
  const text = environment("VIBE_RL_THREADS");
  if (text === undefined) return os.availableParallelism();
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
