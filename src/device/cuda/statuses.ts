// What the driver's statuses mean: CUDA's own words, and what to do.
import type { Koffi } from "../koffi.js";
import { status, type FunctionName } from "./functions.js";

/** As much of a driver as it takes to ask for words. */
interface Speaker {
  readonly koffi: Koffi;
  readonly call: Readonly<Record<FunctionName, (...args: readonly unknown[]) => number>>;
}

const advice: Readonly<Partial<Record<number, string>>> = {
  [status.stubLibrary]:
    "this is the library that programs are linked with, not the driver: install NVIDIA's driver, or name its " +
    "libcuda.so.1 in VIBE_RL_LIBCUDA",
  [status.deviceUnavailable]:
    "another process has the GPU for itself, or it is in prohibited mode: nvidia-smi shows its compute mode",
  [status.noDevice]: "nvidia-smi shows the GPUs that there are; CUDA_VISIBLE_DEVICES may hide them",
  [status.invalidDevice]: "nvidia-smi shows the GPUs that there are; CUDA_VISIBLE_DEVICES may hide them",
  [status.noBinary]: "the program was linked for another GPU; npx vibe-rl cache clear removes what is kept",
  [status.uncorrectable]:
    "the memory of the GPU has an error that cannot be corrected: reset or replace the card",
  [status.invalidPtx]: "please report this",
  [status.outOfResources]:
    "a block needs more registers or shared memory than the GPU has; please report this",
  [status.driverMismatch]:
    "the driver's library and its kernel module are of two versions: restart the machine",
  [status.unknown]: "after a suspend, or an update of the driver, restarting the machine helps",
};

/** CUDA's name and words for a status, and what to do about it if there is something. */
export function explain(driver: Speaker, code: number): string {
  const what = advice[code];
  const told = `${wordsOf(driver, "cuGetErrorName", code) ?? "a status without a name"} (${code}): ${
    wordsOf(driver, "cuGetErrorString", code) ?? "no description"
  }`;
  return what === undefined ? told : `${told}; ${what}`;
}

function wordsOf(
  { koffi, call }: Speaker,
  name: "cuGetErrorName" | "cuGetErrorString",
  code: number,
): string | null {
  const found = new BigUint64Array(1);
  return call[name](code, found) === status.success && found[0] !== 0n ? koffi.decode.string(found[0]) : null;
}

/** Whether nothing can be done with a GPU any more, in this process, after a status (CUDA's "sticky" errors). */
export const isLasting = (code: number): boolean =>
  code === status.uncorrectable ||
  code === status.illegalAddress ||
  code === status.timeout ||
  // Assertions, faults of the hardware, illegal instructions, addresses not aligned, failed launches.
  (code >= 710 && code <= 719 && code !== 712 && code !== 713) ||
  code === status.unknown;

/** Bytes as people say them. */
export const amount = (bytes: number): string =>
  bytes >= 2 ** 30 ? `${(bytes / 2 ** 30).toFixed(2)} GiB` : `${(bytes / 2 ** 20).toFixed(1)} MiB`;
