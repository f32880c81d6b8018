// A device's program, run such that no other device waits for one that has failed. Threads of devices begin with this
// file, and load nothing of the compiler.

/** A device's part of a program, as the thread that runs it sees it. */
export interface DeviceProgram {
  readonly device: number;
  readonly memory: WebAssembly.Memory;
  /** The address of the word that is not 0 when a device has failed. */
  readonly abort: number;
  /** Addresses of the words that others wait on for this device. */
  readonly arrivals: readonly number[];
  readonly run: () => void;
}

const wordsOf = ({ buffer }: WebAssembly.Memory): Int32Array => new Int32Array(buffer);

/** Makes machine code ready to run in a memory; `print` is called with the number of a message. */
export function instantiate(
  module: WebAssembly.Module,
  memory: WebAssembly.Memory,
  print: (message: number) => void,
): () => void {
  return new WebAssembly.Instance(module, { host: { memory, print } }).exports.run as () => void;
}

/** Runs a device's part. If it fails, the others stop; returns the error of the device that has failed first. */
export function runDevice(program: DeviceProgram): { readonly cause: unknown } | null {
  try {
    program.run();
    return null;
  } catch (cause) {
    return abortRun(program) ? { cause } : null;
  }
}

/** Stops the other devices of a run that this one cannot finish; returns whether it is the first such device. */
export function abortRun({ device, memory, abort, arrivals }: DeviceProgram): boolean {
  const shared = wordsOf(memory);
  const isFirst = Atomics.compareExchange(shared, abort / 4, 0, device + 1) === 0;
  for (const address of arrivals) Atomics.notify(shared, address / 4);
  return isFirst;
}

/** The device that has failed first in the last run, if any; afterwards all can meet again. */
export function recover(
  { memory, abort }: DeviceProgram,
  arrivals: readonly (readonly number[])[],
): number | null {
  const shared = wordsOf(memory);
  const failed = Atomics.load(shared, abort / 4);
  if (failed === 0) return null;
  for (const address of arrivals.flat()) Atomics.store(shared, address / 4, 0);
  Atomics.store(shared, abort / 4, 0);
  return failed - 1;
}
