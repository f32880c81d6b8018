// An order of steps in which kernels that need not wait for each other come together, for machines whose threads
// wait between kernels that do: all that can be done at first, then all that waits for nothing but that, and so on.
import { sizeOf } from "../../array/index.js";
import type { Buffer, Kernel, Step } from "../kernel.js";
import { accessesOf } from "../plan/accesses.js";
import { loadsOf, mapInside } from "../walk.js";

type KernelStep = Extract<Step, { kind: "kernel" }>;

/** The steps, and those inside of loops and branches, by levels. Kernels stay on their side of loops and branches. */
export function inLevels(steps: readonly Step[]): Step[] {
  const ordered: Step[] = [];
  let run: KernelStep[] = [];
  const end = (): void => {
    ordered.push(...byLevel(run));
    run = [];
  };
  for (const step of steps) {
    // Messages are printed in their order.
    if (step.kind === "kernel" && step.kernel.kind !== "print") run.push(step);
    else {
      end();
      ordered.push(mapInside(step, inLevels));
    }
  }
  end();
  return ordered;
}

/** What is known of a buffer so far: the levels of those that wrote it, and that read it since. */
interface Known {
  written: number;
  read: number;
}

function byLevel(steps: readonly KernelStep[]): KernelStep[] {
  const known = new Map<Buffer, Known>();
  const last = new Map<Buffer, number>();
  steps.forEach(({ kernel }, at) => {
    for (const { buffer } of accessesOf(kernel)) last.set(buffer, at);
  });
  const levels = steps.map(({ kernel }, at) => {
    const accesses = accessesOf(kernel);
    let level = 0;
    for (const { buffer, kind } of accesses) {
      const { written, read } = known.get(buffer) ?? { written: -1, read: -1 };
      level = Math.max(level, written + 1);
      if (kind === "write") level = Math.max(level, read + 1);
      // Whoever uses a buffer last may write over it: it stays behind all others.
      else if (last.get(buffer) === at) level = Math.max(level, read);
    }
    for (const { buffer, kind } of accesses) {
      const before = known.get(buffer) ?? { written: -1, read: -1 };
      known.set(
        buffer,
        kind === "write"
          ? { written: Math.max(level, before.written), read: -1 }
          : { ...before, read: Math.max(level, before.read) },
      );
    }
    return level;
  });
  const placed: Placed[][] = [];
  steps.forEach((step, at) => {
    const { kernel } = step;
    const one = {
      step,
      work: workOf(kernel),
      buffers: new Set(accessesOf(kernel).map(({ buffer }) => buffer)),
      lasts: loadsOf(kernel).all.flatMap(({ buffer }) => (last.get(buffer) === at ? [buffer] : [])),
    };
    place((placed[levels[at]] ??= []), one);
  });
  return placed.flat().map(({ step }) => step);
}

/** A step in its level. */
interface Placed {
  readonly step: KernelStep;
  readonly work: number;
  readonly buffers: ReadonlySet<Buffer>;
  /** Those that nothing behind it uses, and that it loads point by point, so that results may lie there. */
  readonly lasts: readonly Buffer[];
}

/** Multiplications of products that take longer than all else in their level, as a rule. */
const muchWork = 2 ** 17;

/**
 * Multiplications, where there are many: two such products that come one after the other run side by side, where something
 * small between them could have the second one wait for threads of the first.
 */
function workOf(kernel: Kernel): number {
  if (kernel.kind !== "dot") return 0;
  const { batch, rows, columns, depth } = kernel;
  const work = sizeOf([...batch, ...rows, ...columns, ...depth]);
  return work < muchWork ? 0 : work;
}

/** Puts a step behind those of its level, but before those of less work unless it may write over what they read. */
function place(level: Placed[], one: Placed): void {
  let at = level.length;
  const mayPass = ({ work, buffers }: Placed): boolean =>
    work < one.work && !one.lasts.some((buffer) => buffers.has(buffer));
  while (at > 0 && mayPass(level[at - 1])) at--;
  level.splice(at, 0, one);
}
