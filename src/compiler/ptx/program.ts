// Programs as PTX: an entry in which all threads walk through the same actions. Kernels are written out in it, and long programs
// cut into a few functions. (with a function for each kernel, the assembler takes twice as long)
import type { Step } from "../kernel.js";
import type { MemoryPlan } from "../plan/arena.js";
import { worksIn } from "./actions.js";
import { Course } from "./course.js";
import { Cutting } from "./cutting.js";
import { entryFrame } from "./frame.js";
import { functionsIn } from "./functions.js";
import { showSchedule } from "./schedule.js";
import { Stopwatch } from "./stopwatch.js";
import { Trace } from "./trace.js";
import { registerLimit } from "./dot/layout.js";
import type { PtxProgram } from "./types.js";
import { Writer } from "./writer.js";

/** How programs are watched while they run. */
export interface Watching {
  /** Where in memory to note how long kernels take; null for nowhere. */
  readonly profile: number | null;
  /** Whether the host is told which kernel runs. */
  readonly isTraced: boolean;
}

/** How blocks go about a program: how many threads each of them has, and whether they are a cluster. */
export interface Blocks {
  readonly threads: number;
  readonly isCluster: boolean;
  /** Whether tensor cores may do products, in TF32. */
  readonly isTf32: boolean;
  /** How many lines a function has at most, about, into which long programs are cut; null for no functions. */
  readonly functionLines: number | null;
}

/** The PTX of steps for blocks, and the names of its kernels. */
export function renderProgram(
  steps: readonly Step[],
  plan: MemoryPlan,
  { threads, isCluster, isTf32, functionLines }: Blocks,
  { profile, isTraced }: Watching,
): Pick<PtxProgram, "text" | "registers" | "kernels" | "schedule" | "sharedBytes"> {
  // Where a program is traced, all threads wait before every kernel.
  const actions = new Course(plan, threads, isTf32, !isTraced).actionsOf(steps);
  const works = worksIn(actions);
  const kernels = works.map(({ kernels: [kernel, ...others] }, at) => {
    const many = others.length === 0 ? "" : `_x${others.length + 1}`;
    return `k${at}_${kernel.name.replaceAll(/\W/g, "_")}${many}`;
  });
  const { parts } = plan.division;
  const frame = entryFrame(plan.division, isCluster);
  const { out, thread, memory, host, grid } = frame;
  const isWatched = profile !== null || isTraced;
  const cutting = functionLines === null || isWatched ? null : Cutting.of(actions, functionLines);
  const stopwatch = profile === null ? null : new Stopwatch(out, thread, memory, profile);
  new Writer(
    {
      ...{ plan, threads, kernels, cutting, stopwatch },
      numbers: new Map(works.map((work, at) => [work, at])),
      trace: isTraced ? new Trace(out, thread, host) : null,
    },
    frame,
  ).writeLong(actions);
  stopwatch?.stop();
  grid?.end();
  out.line("ret;");
  const body = out.toString();
  const functions = cutting?.functions ?? [];
  const text = [
    `.version ${functions.length > 0 ? "9.0" : "7.8"}`,
    `.target ${isCluster ? "sm_90" : "sm_80"}`,
    ".address_size 64",
    ".extern .shared .align 16 .b8 shared[];",
    ...functionsIn([body, ...functions].join("\n")),
    ...functions,
    ".visible .entry vibe_rl_run(.param .u64 memory, .param .u64 control, .param .u64 host)",
    `.maxntid ${threads}, 1, 1`,
    ".minnctapersm 1",
    ...(isCluster ? [`.reqnctapercluster ${parts}, 1, 1`] : []),
    `{\n${body}\n}`,
    "",
  ].join("\n");
  const sharedBytes = Math.ceil(plan.fastBytes / wordsBytes) * wordsBytes;
  return {
    ...{ text, kernels, sharedBytes },
    registers: functions.length > 0 ? registerLimit(threads) : null,
    schedule: () => showSchedule(actions, steps, plan, { blocks: parts, threads, kernels }),
  };
}

/** Bytes that a thread moves at once. */
const wordsBytes = 16;
