// An order of steps in which kernels that need not wait for each other come together, for machines whose threads
// wait between kernels that do: all that can be done at first, then all that waits for nothing but that, and so on. Kernels of
// one form come together, too, where that delays nothing.
import { sizeOf } from "../../array/index.js";
import type { Buffer, Kernel, Step } from "../kernel.js";
import { accessesOf, overlap, type Access } from "../plan/accesses.js";
import { loadsOf, mapInside } from "../walk.js";
import { formOf } from "./forms.js";
import { areFew, leaveRoom } from "./points.js";
import { isMoving } from "./transfers.js";

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

/** A kernel that must come behind another one, or at least not before it. */
interface Edge {
  readonly to: number;
  readonly distance: 0 | 1;
}

/** An access of one of several kernels. */
interface Use {
  readonly at: number;
  readonly access: Access;
}

const covers = ({ range }: Access, { range: other }: Access): boolean =>
  range.start <= other.start && range.end >= other.end;

/** What each kernel has behind it. */
function edgesOf(steps: readonly KernelStep[], last: ReadonlyMap<Buffer, number>): Edge[][] {
  const edges: Edge[][] = steps.map(() => []);
  const writers = new Map<Buffer, Use[]>();
  const readers = new Map<Buffer, Use[]>();
  steps.forEach(({ kernel }, at) => {
    const accesses = accessesOf(kernel);
    const behind = (access: Access, others: readonly Use[] | undefined, distance: Edge["distance"]) =>
      others?.forEach((other) => {
        if (other.at !== at && overlap(access, other.access)) edges[other.at].push({ to: at, distance });
      });
    for (const access of accesses) {
      const { buffer, kind } = access;
      behind(access, writers.get(buffer), 1);
      if (kind === "write") behind(access, readers.get(buffer), 1);
      // Whoever uses a buffer last may write over it: it stays behind all others, but for exchanges, which have more to wait for.
      else if (last.get(buffer) === at)
        behind(
          { ...access, range: { start: 0, end: buffer.size } },
          readers.get(buffer)?.filter((other) => steps[other.at].kernel.kind !== "exchange"),
          0,
        );
    }
    for (const access of accesses) {
      const { buffer, kind } = access;
      const list = kind === "write" ? writers : readers;
      list.set(buffer, [...(list.get(buffer) ?? []), { at, access }]);
      if (kind === "write")
        readers.set(
          buffer,
          (readers.get(buffer) ?? []).filter((other) => !covers(access, other.access)),
        );
    }
  });
  return edges;
}

/**
 * The first level that each kernel can have if all exchanges of which none waits for another one have the same: the parts of the
 * machine meet once for all of them.
 */
function firstLevels(steps: readonly KernelStep[], edges: readonly (readonly Edge[])[]): number[] {
  const isExchange = steps.map(({ kernel }) => kernel.kind === "exchange");
  /** Exchanges that come one after the other before each kernel. */
  const meetings = steps.map(() => 0);
  const levels = steps.map(() => 0);
  steps.forEach((_, at) => {
    for (const { to } of edges[at])
      meetings[to] = Math.max(meetings[to], meetings[at] + Number(isExchange[at]));
  });
  for (;;) {
    const ofMeeting: number[] = [];
    steps.forEach((_, at) => {
      if (isExchange[at]) ofMeeting[meetings[at]] = Math.max(ofMeeting[meetings[at]] ?? 0, levels[at]);
      for (const { to, distance } of edges[at]) levels[to] = Math.max(levels[to], levels[at] + distance);
    });
    const early = steps.flatMap((_, at) =>
      isExchange[at] && levels[at] < ofMeeting[meetings[at]] ? [at] : [],
    );
    if (early.length === 0) return levels;
    for (const at of early) levels[at] = ofMeeting[meetings[at]];
  }
}

/**
 * What writes into the place of an array that others have read, for nobody here, comes behind the next exchange: other parts of
 * the machine may have read it, too, and for exchanges they meet anyway.
 */
function writeBehindMeetings(
  steps: readonly KernelStep[],
  edges: readonly (readonly Edge[])[],
  levels: number[],
): void {
  const exchanges = steps.flatMap(({ kernel }, at) => (kernel.kind === "exchange" ? [levels[at]] : []));
  const lastRead = new Map<Buffer, number>();
  steps.forEach(({ kernel }, at) => {
    if (kernel.kind !== "copy")
      for (const { buffer, kind } of accessesOf(kernel)) if (kind === "read") lastRead.set(buffer, at);
  });
  const taken = new Set<Buffer>();
  steps.forEach(({ kernel }, at) => {
    if (kernel.kind === "copy") {
      const read = lastRead.get(kernel.from.buffer);
      if (read !== undefined && read < at) taken.add(kernel.to.buffer);
    } else if (exchanges.length > 0) {
      const isForLater = accessesOf(kernel).some(
        ({ buffer, kind }) => kind === "write" && taken.has(buffer) && (lastRead.get(buffer) ?? 0) <= at,
      );
      const later = isForLater ? exchanges.filter((level) => level >= levels[at]) : [];
      if (later.length > 0) levels[at] = Math.min(...later) + 1;
    }
    for (const { to, distance } of edges[at]) levels[to] = Math.max(levels[to], levels[at] + distance);
  });
}

/** The level of each kernel: the first that it can have, or a later one that has a kernel of its form. */
function levelsOf(steps: readonly KernelStep[], last: ReadonlyMap<Buffer, number>): number[] {
  const edges = edgesOf(steps, last);
  const levels = firstLevels(steps, edges);
  writeBehindMeetings(steps, edges, levels);
  const ofForm = new Map<string, number[]>();
  steps.forEach(({ kernel }, at) => {
    const key = formOf(kernel)?.key;
    if (key === undefined) return;
    const group = ofForm.get(key) ?? [];
    group.push(at);
    ofForm.set(key, group);
  });
  const alike = [...ofForm.values()].filter(({ length }) => length > 1);
  for (let hasMoved = true; hasMoved;) {
    hasMoved = false;
    for (const group of alike)
      for (const at of group) {
        const latest = Math.min(...edges[at].map(({ to, distance }) => levels[to] - distance));
        const better = group
          .map((other) => levels[other])
          .filter((level) => level > levels[at] && level <= latest);
        if (better.length === 0) continue;
        levels[at] = Math.min(...better);
        hasMoved = true;
      }
  }
  putBesideFew(steps, edges, levels);
  return levels;
}

/** Kernels of few points go where others leave room for them, on other threads, rather than where some keep all busy. */
function putBesideFew(
  steps: readonly KernelStep[],
  edges: readonly (readonly Edge[])[],
  levels: number[],
): void {
  const at = Array.from({ length: Math.max(0, ...levels) + 1 }, (): Kernel[] => []);
  steps.forEach(({ kernel }, index) => at[levels[index]].push(kernel));
  const move = (index: number, to: number): void => {
    const { kernel } = steps[index];
    const from = at[levels[index]];
    from.splice(from.indexOf(kernel), 1);
    (at[to] ??= []).push(kernel);
    levels[index] = to;
  };
  // What only hands on a value to the next iteration may come as late as any.
  const isHandingOn = (index: number) => steps[index].kernel.kind === "copy" && edges[index].length === 0;
  for (let index = steps.length - 1; index >= 0; index--) {
    const { kernel } = steps[index];
    const level = levels[index];
    if (kernel.kind !== "loop" || !areFew([kernel]) || leaveRoom(at[level])) continue;
    const behind = edges[index].filter(({ to }) => !isHandingOn(to));
    const latest = Math.min(...behind.map(({ to, distance }) => levels[to] - distance));
    const better = at.findLastIndex(
      (kernels, other) => other > level && other <= latest && leaveRoom(kernels),
    );
    if (better < 0) continue;
    move(index, better);
    for (const { to, distance } of edges[index])
      if (levels[to] < better + distance) move(to, better + distance);
  }
}

function byLevel(steps: readonly KernelStep[]): KernelStep[] {
  const last = new Map<Buffer, number>();
  steps.forEach(({ kernel }, at) => {
    for (const { buffer } of accessesOf(kernel)) last.set(buffer, at);
  });
  const levels = levelsOf(steps, last);
  const placed: Placed[][] = [];
  steps.forEach((step, at) => {
    const { kernel } = step;
    const one = {
      step,
      form: kindOf(kernel),
      work: workOf(kernel),
      buffers: new Set(accessesOf(kernel).map(({ buffer }) => buffer)),
      lasts: loadsOf(kernel).all.flatMap(({ buffer }) => (last.get(buffer) === at ? [buffer] : [])),
    };
    place((placed[levels[at]] ??= []), one);
  });
  return placed.flat().map(({ step }) => step);
}

/** What kernels are alike in that are better done together: their form, that they move elements, or that blocks meet for them. */
function kindOf(kernel: Kernel): string | null {
  if (kernel.kind === "exchange") return kernel.kind;
  return isMoving(kernel) ? "move" : (formOf(kernel)?.key ?? null);
}

/** A step in its level. */
interface Placed {
  readonly step: KernelStep;
  readonly form: string | null;
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

/**
 * Puts a step behind those of its form, or else behind all of its level, but before those of less work unless it may write
 * over what they read.
 */
function place(level: Placed[], one: Placed): void {
  const alike = one.form === null ? -1 : level.findLastIndex(({ form }) => form === one.form);
  if (alike >= 0) {
    level.splice(alike + 1, 0, one);
    return;
  }
  let at = level.length;
  const mayPass = ({ work, buffers }: Placed): boolean =>
    work < one.work && !one.lasts.some((buffer) => buffers.has(buffer));
  while (at > 0 && mayPass(level[at - 1])) at--;
  level.splice(at, 0, one);
}
