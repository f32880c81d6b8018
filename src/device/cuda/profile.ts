// How long the kernels of programs take, where VIBE_RL_CUDA_PROFILE asks for it: added up over all runs, and told when the
// process ends.
import { environment } from "../../array/index.js";
import { onThreadEnd } from "../../node/index.js";
import type { Engine } from "./engine.js";
import type { Loaded } from "./launch.js";
import type { CudaMemory } from "./memory.js";

/** Whether programs that are compiled now are to measure their kernels. */
export const isProfiled = (): boolean => environment("VIBE_RL_CUDA_PROFILE") !== undefined;

/** What a kernel has taken in all runs, and waiting before it. */
interface Times {
  readonly kernel: string;
  cycles: number;
  count: number;
  waited: number;
}

/** What all runs of a program have taken. */
interface Profile {
  readonly name: string;
  runs: number;
  readonly times: readonly Times[];
}

const profiles: Profile[] = [];

function newProfile(name: string, kernels: readonly string[]): Profile {
  if (profiles.length === 0) onThreadEnd(() => profiles.forEach(tell));
  const profile = {
    name,
    runs: 0,
    times: kernels.map((kernel) => ({ kernel, cycles: 0, count: 0, waited: 0 })),
  };
  profiles.push(profile);
  return profile;
}

/** Words of 64 bits: cycles and how often the kernel has run, and the same of waiting before it. */
const entryWords = 4;

/** Measures the runs of a program that was rendered for it; null if it was not. */
export function profilerOf(
  { device, fetching }: Engine,
  { name, launch }: Loaded,
  memory: CudaMemory,
): { readonly begin: () => void; readonly end: () => void } | null {
  if (launch.profile === null) return null;
  const offset = BigInt(launch.profile);
  const profile = newProfile(name, launch.kernels);
  const words = new BigUint64Array(entryWords * launch.kernels.length);
  return {
    begin: () => {
      const code = device.driver.call.cuMemsetD8Async(
        memory.address + offset,
        0,
        words.byteLength,
        device.work,
      );
      device.check(code, `clearing the times of ${name}`);
    },
    end: () => {
      fetching.read(memory.address + offset, new Uint8Array(words.buffer));
      profile.runs++;
      profile.times.forEach((times, at) => {
        times.cycles += Number(words[entryWords * at]);
        times.count += Number(words[entryWords * at + 1]);
        times.waited += Number(words[entryWords * at + 2]);
      });
    },
  };
}

/** Writes a profile to stderr, the kernels that took longest first. */
function tell(profile: Profile): void {
  for (const line of linesOf(profile)) {
    // oxlint-disable-next-line no-console
    console.error(line);
  }
}

/** A profile as a table. */
export function linesOf({ name, runs, times }: Profile): string[] {
  const all = times.reduce((sum, { cycles, waited }) => sum + cycles + waited, 0);
  const rows = [...times]
    .sort((a, b) => b.cycles + b.waited - a.cycles - a.waited)
    .filter(({ count }) => count > 0)
    .map(({ kernel, cycles, count, waited }) => {
      const each = (sum: number) => Math.round(sum / count).toLocaleString("en");
      const share = `${((100 * (cycles + waited)) / Math.max(1, all)).toFixed(1)} %`;
      return [share, each(cycles), each(waited), count.toLocaleString("en"), kernel];
    });
  const table = [["share", "cycles each", "waiting before", "times", "kernel"], ...rows];
  const widths = [0, 1, 2, 3].map((column) => Math.max(...table.map((row) => row[column].length)));
  return [
    `${name}: ${runs.toLocaleString("en")} runs, ${all.toLocaleString("en")} cycles of the first block`,
    ...table.map((row) => row.map((cell, column) => cell.padStart(widths[column] ?? 0)).join("  ")),
  ];
}
