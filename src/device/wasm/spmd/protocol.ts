// What the main thread and the thread of a device tell each other: programs in messages, everything else in words of
// memory that both see.
import type { DeviceProgram } from "./running.js";

/** Words of a thread, by their index. */
export const word = {
  /** Grows whenever one of the next two does: what the thread sleeps on. */
  bell: 0,
  /** How many messages were posted. */
  messages: 1,
  /** How many runs were asked for. */
  runs: 2,
  /** The program to run. */
  program: 3,
  /** How often to look for the next run before sleeping. */
  spins: 4,
  /** Whether the thread has started. A cache line further, because the thread writes it and what follows. */
  isReady: 16,
  /** How many runs have ended. */
  answer: 17,
  /** Bytes of the text that says how the last run failed. */
  textBytes: 18,
  /** Whether the thread has ended; the text then says why. */
  hasEnded: 19,
} as const;

const words = 32;
const mostTextBytes = 4096;

/** The words of a thread, and the text behind them. */
export interface Control {
  readonly words: Int32Array<SharedArrayBuffer>;
  readonly text: Uint8Array<SharedArrayBuffer>;
}

export const controlBytes = words * 4 + mostTextBytes;

export const controlOf = (buffer: SharedArrayBuffer): Control => ({
  words: new Int32Array(buffer, 0, words),
  text: new Uint8Array(buffer, words * 4),
});

export function writeText({ words: shared, text }: Control, value: string): void {
  const encoded = new TextEncoder().encode(value).subarray(0, text.length);
  text.set(encoded);
  Atomics.store(shared, word.textBytes, encoded.length);
}

export function readText({ words: shared, text }: Control): string {
  return new TextDecoder().decode(text.slice(0, Atomics.load(shared, word.textBytes)));
}

/** A message to a thread; the first one brings its words. */
export type Request =
  | { readonly kind: "start"; readonly control: SharedArrayBuffer }
  | LoadRequest
  | { readonly kind: "drop"; readonly program: number };

/** A program for a device. */
export interface LoadRequest extends Omit<DeviceProgram, "run"> {
  readonly kind: "load";
  /** What it is called in the words. */
  readonly program: number;
  readonly bytes: Uint8Array;
}
