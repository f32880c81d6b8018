// The thread of a device: takes programs, and runs them when it is told to.
import { word, controlOf, writeText, type Control, type LoadRequest, type Request } from "./protocol.js";
import { abortRun, instantiate, runDevice, type DeviceProgram } from "./running.js";

/** The main thread, as this one sees it. */
export interface Port {
  /** Says that this thread has started. */
  readonly tellReady: () => void;
  readonly listen: (hear: (request: Request) => void) => void;
  readonly onEnd: (tell: (code: number) => void) => void;
}

export function serve({ tellReady, listen, onEnd }: Port): void {
  const programs = new Map<number, DeviceProgram>();
  let control: Control | null = null;
  let handled = 0;
  let ended = 0;
  listen((request) => {
    switch (request.kind) {
      case "start":
        control = controlOf(request.control);
        Atomics.store(control.words, word.isReady, 1);
        Atomics.notify(control.words, word.isReady);
        tellReady();
        break;
      case "load":
        programs.set(request.program, load(request));
        break;
      case "drop":
        programs.delete(request.program);
        break;
    }
    handled++;
    if (control !== null) ended = runUntilMessage(control, programs, handled, ended);
  });
  onEnd((code) => {
    if (control !== null) leave(control, programs, code);
  });
}

/** Tells who waits for this thread, now or later, that it is no more: the main thread hears nothing else while it waits. */
function leave(control: Control, programs: ReadonlyMap<number, DeviceProgram>, code: number): void {
  const { words } = control;
  writeText(control, `its thread has ended with code ${code}`);
  Atomics.store(words, word.hasEnded, 1);
  const runs = Atomics.load(words, word.runs);
  if (runs === Atomics.load(words, word.answer)) return;
  const program = programs.get(Atomics.load(words, word.program));
  if (program !== undefined) abortRun(program);
  answer(words, runs);
}

function answer(words: Int32Array, runs: number): void {
  Atomics.store(words, word.answer, runs);
  Atomics.notify(words, word.answer);
}

/** Runs what it is asked to until there are more messages than are handled; returns how many runs have ended. */
function runUntilMessage(
  control: Control,
  programs: ReadonlyMap<number, DeviceProgram>,
  handled: number,
  before: number,
): number {
  const { words } = control;
  for (let ended = before; ;) {
    const bell = Atomics.load(words, word.bell);
    const runs = Atomics.load(words, word.runs);
    // After the runs: what a run needs was posted before it was asked for.
    if (Atomics.load(words, word.messages) !== handled) return ended;
    if (runs === ended) {
      sleep(words, bell);
      continue;
    }
    const program = programs.get(Atomics.load(words, word.program));
    const failure = program === undefined ? { cause: "it has no such program" } : runDevice(program);
    if (failure !== null) writeText(control, messageOf(failure.cause));
    ended = runs;
    answer(words, ended);
  }
}

/** Waits until the bell rings: awake for a while, because the next run often follows at once. */
function sleep(words: Int32Array, bell: number): void {
  for (let spins = Atomics.load(words, word.spins); spins > 0; spins--)
    if (Atomics.load(words, word.bell) !== bell) return;
  Atomics.wait(words, word.bell, bell);
}

/** Compiles in the thread of the device, so that devices do it at the same time; what fails, fails when it is run. */
function load(request: LoadRequest): DeviceProgram {
  try {
    const module = new WebAssembly.Module(request.bytes as BufferSource);
    // Only the first device prints.
    return { ...request, run: instantiate(module, request.memory, () => undefined) };
  } catch (cause) {
    const run = (): never => {
      throw cause;
    };
    return { ...request, run };
  }
}

const messageOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause));
