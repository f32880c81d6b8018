// An order of steps in which kernels that need not wait for each other come together, for machines whose threads
// wait between kernels that do: all that can be done at first, then all that waits for nothing but that, and so on.
import type { Buffer, Step } from "../kernel.js";
import { accessesOf } from "../plan/accesses.js";

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
      ordered.push(insideInLevels(step));
    }
  }
  end();
  return ordered;
}

function insideInLevels(step: Step): Step {
  switch (step.kind) {
    case "kernel":
      return step;
    case "loop":
      return { ...step, body: inLevels(step.body) };
    case "while":
      return { ...step, test: inLevels(step.test), body: inLevels(step.body) };
    case "branch":
      return { ...step, cases: step.cases.map(inLevels) };
  }
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
  const order = steps.map((step, at) => ({ step, level: levels[at] }));
  return order.sort((a, b) => a.level - b.level).map(({ step }) => step);
}
