// What runs the programs of a run.
import type { JitOptions } from "../array/index.js";
import type { RunnerConfig } from "./config.js";

/** The options of `jit` that say so. */
export type Where = Required<Pick<JitOptions, "device" | "threads" | "matmulPrecision">>;

export const whereOf = ({ device, threads, matmulPrecision }: RunnerConfig): Where => ({
  device,
  threads,
  matmulPrecision,
});
