// The renderer of PTX, NVIDIA's portable assembly.
import {
  divideProgram,
  sizeOf,
  subPrograms,
  type Costs,
  type DividedProgram,
  type Program,
} from "../../array/index.js";
import type { Kernel, Step } from "../kernel.js";
import { takePieces } from "../pieces/pieces.js";
import { align } from "../plan/placing.js";
import type { Renderer } from "../renderer.js";
import { storeDirectly } from "../schedule/direct.js";
import { inLevels } from "../schedule/levels.js";
import { padRows } from "../schedule/pitch.js";
import { makeAhead } from "../simplify/ahead.js";
import { distributeLoops } from "../simplify/distribute.js";
import { readBefore } from "../simplify/latest.js";
import { packRows } from "../simplify/rows.js";
import { joinSiblings } from "../simplify/siblings.js";
import { shiftSlices } from "../simplify/shifted.js";
import { simplifyProgram } from "../simplify/simplify.js";
import { sliceParts } from "../simplify/slices.js";
import { kernelsIn } from "../walk.js";
import { exchangeBytes, stagedIn } from "./exchange/index.js";
import { loopScratch } from "./loop.js";
import { mostThreads, threadsFor } from "./blockSize.js";
import { renderProgram } from "./program.js";
import { sharedSortScratch } from "./sharedSort/index.js";
import { sortScratch } from "./sort.js";
import { stopwatchBytes } from "./stopwatch.js";
import type { PtxProgram, PtxTarget } from "./types.js";

export type { PtxProgram, PtxTarget } from "./types.js";

/** How many words a kernel works in, for blocks of so many threads. */
function scratchOf(kernel: Kernel, parts: number, threads: number): number {
  switch (kernel.kind) {
    case "loop":
      return loopScratch(kernel, threads);
    case "sort":
      return parts === 1 ? sortScratch(kernel, threads) : sharedSortScratch(kernel, parts, threads);
    case "dot":
    case "copy":
    case "print":
    case "exchange":
    case "axisIndex":
      return 0;
  }
}

/**
 * Cycles of what a block does, with all that goes along with it: of a meeting, say, laying out what is exchanged. Six training
 * runs of PPO and DQN on an H200 take 0.93 to 1.04 of what these come to (bench gpu), SAC 1.3.
 */
const costs: Costs = {
  ...{ operation: 17, element: 0.05, multiplication: 0.014 },
  ...{ meeting: 4000, byte: 0.05, gathered: 0.04 },
};
/** The same of a meeting of blocks that are a cluster. */
const clusterMeeting = 2000;

/** So many sums of a block go on with what follows a product; of more, the code would be longer than it is worth. */
const fewSums = 2048;
/** Arrays of more than this share of shared memory hardly ever lie there. */
const largeShare = 1 / 2;
/** What loops leave to be done at once may fill so much of the shared memory of all blocks, array by array. */
const largestShare = 1 / 4;

/** Arrays that take more than this share of shared memory, all together, are looked up row by row. */
const packedShare = 1 / 8;

/** Loops of so many turns in all are worth longer code. */
const oftenRun = 2 ** 10;
/** Of so many equations at most. */
const fewEquations = 300;

/** Whether the iterations of a loop take hardly longer than the waits between their kernels. */
const isSmall = ({ equations }: Program, threads: number): boolean =>
  equations.length <= fewEquations &&
  equations.every(
    (equation) =>
      subPrograms(equation).length === 0 &&
      equation.outputs.every(({ type }) => sizeOf(type.shape) <= 4 * threads),
  );

/** What copies of an array for each block may take: smaller ones are worth no meeting of all blocks whenever they change. */
const mostCopied = 2 ** 26;

/** Functions that a kernel has at most: what blocks do together is one for each time between their meetings. */
const mostFunctions = ({ kind }: Kernel): number => (kind === "exchange" || kind === "sort" ? 3 : 1);

const profileBytes = (steps: readonly Step[]): number =>
  stopwatchBytes * kernelsIn(steps).reduce((sum, kernel) => sum + mostFunctions(kernel), 0);

/** Lines of functions: 1,000 take the driver's compiler 55 ms, which has several at once. (measured on an H200's) */
const usualLines = 2000;

/** PTX for a GPU. */
export function ptxRenderer(target: PtxTarget): Renderer<PtxProgram> {
  const { threads } = target;
  return threads === undefined
    ? {
        ...rendererFor(target, mostThreads),
        suited: (program) => rendererFor(target, threadsFor(program)),
      }
    : rendererFor(target, threads);
}

/** The same for blocks of so many threads. */
const rendererFor = (
  {
    sharedBytes,
    multiprocessors,
    clusterBlocks = 0,
    mostBlocks = multiprocessors,
    isProfiled = false,
    isTraced = false,
    isTf32 = false,
    functionLines = usualLines,
  }: PtxTarget,
  threads: number,
): Renderer<PtxProgram> => ({
  name: "the GPU",
  lanes: 32,
  limits: { memory: 2 ** 40 },
  arrange: (steps, seen) => inLevels(padRows(storeDirectly(steps, seen), seen)),
  sideBySide: {
    isCostlyBehind: (sums) => isTf32 || sums <= fewSums || 4 * sums > largeShare * sharedBytes,
    smallKernels: threads,
    isRowWritten: true,
    turnsAtOnce: (body, length, timesRun) =>
      length % 2 === 0 && length * timesRun >= oftenRun && isSmall(body, threads) ? 2 : 1,
  },
  scratch: (kernel, parts) => scratchOf(kernel, parts, threads),
  fastBytes: sharedBytes,
  divide: (given) => {
    const whole: DividedProgram = { program: simplifyProgram(given), axes: [] };
    const largest = (largestShare * sharedBytes * mostBlocks) / 4;
    const inCommon = mostCopied / (4 * mostBlocks);
    const passes: readonly ((program: Program) => Program)[] = [
      (program) => readBefore(program, inCommon),
      (program) => packRows(program, sharedBytes * packedShare),
      (program) => shiftSlices(program, largest),
      sliceParts,
      simplifyProgram,
      (program) => distributeLoops(program, largest),
      sliceParts,
      simplifyProgram,
      makeAhead,
      joinSiblings,
    ];
    const prepared = (program: Program) => passes.reduce((made, pass) => pass(made), program);
    const divided =
      mostBlocks === 1
        ? null
        : divideProgram(prepared(whole.program), {
            most: mostBlocks,
            near: clusterBlocks,
            costs: (parts) => (parts <= clusterBlocks ? { ...costs, meeting: clusterMeeting } : costs),
          });
    const { program: own, axes } = divided ?? whole;
    const inPieces = takePieces(own, sharedBytes);
    return inPieces === own ? divided : { program: inPieces, axes };
  },
  exchange: exchangeBytes,
  staged: stagedIn,
  onceFrom: mostCopied,
  inRuns: true,
  ...(isProfiled && { margin: (steps) => ({ before: 0, behind: profileBytes(steps) }) }),
  render: (steps, plan) => {
    const profile = isProfiled ? plan.bytes - align(profileBytes(steps)) : null;
    const { parts } = plan.division;
    const isCluster = parts > 1 && parts <= clusterBlocks;
    const blocks = { threads, isCluster, isTf32, functionLines };
    const rendered = renderProgram(steps, plan, blocks, { profile, isTraced });
    return { ...rendered, profile, blocks: parts, threads, isCluster };
  },
  list: ({ text, schedule }) => ({
    schedule: () => ({ suffix: "schedule.txt", text: schedule() }),
    ptx: () => ({ suffix: "ptx", text }),
  }),
});
