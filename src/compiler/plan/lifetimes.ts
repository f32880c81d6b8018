// When each buffer holds something that is still needed, as intervals of positions in the order of execution.
import type { Buffer, Counter, Kernel, Step } from "../kernel.js";
import { accessesOf, type Access } from "./accesses.js";
import type { Interval } from "./intervals.js";

/** A kernel at a position: it reads at `position`, writes at `position + 1`. */
export interface PlacedKernel {
  readonly kernel: Kernel;
  readonly position: number;
}

export interface Lifetimes {
  readonly intervals: ReadonlyMap<Buffer, readonly Interval[]>;
  readonly kernels: readonly PlacedKernel[];
  /** The kernels that touch a buffer. */
  readonly users: ReadonlyMap<Buffer, readonly PlacedKernel[]>;
}

/** What happens to one buffer in a stretch of code. */
type Event =
  | {
      readonly kind: "read" | "write";
      readonly start: number;
      readonly end: number;
      readonly isWhole: boolean;
    }
  /** An access that goes along with a loop. */
  | { readonly kind: "read" | "write"; readonly span: Frame; readonly isWhole: false }
  | { readonly kind: "iterations"; readonly frame: Frame }
  | { readonly kind: "cases"; readonly frames: readonly Frame[] };

/** A stretch of code that is run as a whole: the program, a loop's iteration, a branch. */
interface Frame {
  readonly parent: Frame | null;
  /** The loop whose iteration this is. */
  readonly counter: Counter | null;
  readonly events: Map<Buffer, Event[]>;
  /** How this frame shows in its parent's events, made when first needed. */
  readonly asEvent: () => Event;
  start: number;
  end: number;
  /** Where an iteration may be left before its end: behind the test of a while loop. */
  exit: number | null;
}

/** `scratch` says what kernels work in while they run. */
export function findLifetimes(
  steps: readonly Step[],
  inputs: Iterable<Buffer>,
  outputs: Iterable<Buffer>,
  scratch: ReadonlyMap<Kernel, Buffer> = new Map(),
): Lifetimes {
  const kernels: PlacedKernel[] = [];
  const users = new Map<Buffer, PlacedKernel[]>();
  let position = 0;
  const makeFrame = (
    parent: Frame | null,
    counter: Counter | null,
    asEvent: (self: Frame) => Event,
  ): Frame => {
    const frame: Frame = {
      parent,
      counter,
      events: new Map(),
      asEvent: () => asEvent(frame),
      start: position,
      end: position,
      exit: null,
    };
    return frame;
  };
  /** The events of a buffer in a frame; a frame that had none of it becomes an event of its parent. */
  const eventsIn = (frame: Frame, buffer: Buffer): Event[] => {
    const known = frame.events.get(buffer);
    if (known !== undefined) return known;
    const made: Event[] = [];
    frame.events.set(buffer, made);
    if (frame.parent !== null) {
      const event = frame.asEvent();
      const above = eventsIn(frame.parent, buffer);
      if (above[above.length - 1] !== event) above.push(event);
    }
    return made;
  };
  const note = (frame: Frame, placed: PlacedKernel): void => {
    const working = scratch.get(placed.kernel);
    const accesses: Pick<Access, "buffer" | "kind" | "counters" | "isWhole">[] = [
      ...accessesOf(placed.kernel),
    ];
    if (working !== undefined)
      accesses.push({ buffer: working, kind: "write", counters: [], isWhole: false });
    for (const { buffer, kind, counters, isWhole } of accesses) {
      const list = users.get(buffer) ?? [];
      users.set(buffer, list);
      if (list[list.length - 1] !== placed) list.push(placed);
      const at = placed.position + (kind === "write" ? 1 : 0);
      // A buffer that loops go along is in use as a whole from the outermost such loop's start to its end.
      let owner = frame;
      let span: Frame | null = null;
      for (let inner: Frame | null = frame; inner !== null; inner = inner.parent) {
        if (inner.counter !== null && counters.includes(inner.counter)) {
          owner = inner.parent ?? inner;
          span = inner;
        }
      }
      eventsIn(owner, buffer).push(
        span === null ? { kind, start: at, end: at, isWhole } : { kind, span, isWhole: false },
      );
    }
  };

  const walk = (list: readonly Step[], frame: Frame): void => {
    for (const step of list) {
      switch (step.kind) {
        case "kernel": {
          const placed = { kernel: step.kernel, position };
          kernels.push(placed);
          position += 2;
          note(frame, placed);
          break;
        }
        case "loop": {
          const event = once<Event>();
          const inner = makeFrame(frame, step.counter, (self) =>
            event(() => ({ kind: "iterations", frame: self })),
          );
          walk(step.body, inner);
          inner.end = position;
          position += 2;
          break;
        }
        case "while": {
          const event = once<Event>();
          const inner = makeFrame(frame, null, (self) => event(() => ({ kind: "iterations", frame: self })));
          walk(step.test, inner);
          inner.exit = position;
          eventsIn(inner, step.predicate.buffer).push({
            kind: "read",
            start: position,
            end: position,
            isWhole: false,
          });
          position += 2;
          walk(step.body, inner);
          inner.end = position;
          position += 2;
          break;
        }
        case "branch": {
          eventsIn(frame, step.index.buffer).push({
            kind: "read",
            start: position,
            end: position,
            isWhole: false,
          });
          position += 2;
          const event = once<Event>();
          const frames: Frame[] = [];
          for (const branch of step.cases) {
            const inner = makeFrame(frame, null, () => event(() => ({ kind: "cases", frames })));
            frames.push(inner);
            walk(branch, inner);
            inner.end = position;
            position += 2;
          }
          break;
        }
      }
    }
  };

  const root = makeFrame(null, null, () => {
    throw new Error("the outermost code is no event");
  });
  for (const buffer of inputs)
    eventsIn(root, buffer).push({ kind: "write", start: -1, end: -1, isWhole: true });
  walk(steps, root);
  root.end = position;
  for (const buffer of outputs)
    eventsIn(root, buffer).push({ kind: "read", start: position, end: position, isWhole: false });
  const intervals = new Map<Buffer, Interval[]>();
  for (const buffer of root.events.keys()) {
    const found: Interval[] = [];
    findIntervals(root, buffer, false, found);
    intervals.set(buffer, found);
  }
  return { intervals, kernels, users };
}

/** A value made at most once. */
function once<T>(): (make: () => T) => T {
  let made: T | undefined;
  return (make) => (made ??= make());
}

/** The first position of an event. */
function startOf(event: Event): number {
  switch (event.kind) {
    case "iterations":
      return event.frame.start;
    case "cases":
      return event.frames[0].start;
    default:
      return "span" in event ? event.span.start : event.start;
  }
}

/** A frame's events of a buffer, with a read at its exit if what is there is needed outside. */
function eventsOf(frame: Frame, buffer: Buffer, isLiveAtExit: boolean): readonly Event[] {
  const events = frame.events.get(buffer) ?? [];
  const { exit } = frame;
  if (!isLiveAtExit || exit === null) return events;
  const isBefore = (event: Event) => startOf(event) < exit;
  return [
    ...events.filter(isBefore),
    { kind: "read", start: exit, end: exit, isWhole: false },
    ...events.filter((event) => !isBefore(event)),
  ];
}

/** Finds when a buffer is in use within a frame; returns whether it is at the frame's start. */
function findIntervals(
  frame: Frame,
  buffer: Buffer,
  isLiveAtEnd: boolean,
  found: Interval[],
  isLiveAtExit = false,
): boolean {
  const events = eventsOf(frame, buffer, isLiveAtExit);
  let end: number | null = isLiveAtEnd ? frame.end : null;
  for (let index = events.length - 1; index >= 0; index--) {
    const event = events[index];
    switch (event.kind) {
      case "read":
      case "write": {
        const at: Interval = "span" in event ? event.span : event;
        end = Math.max(end ?? at.end, at.end);
        // A buffer holds one value, written in one or several parts: the first of them begins it.
        if (event.kind === "write" && (event.isWhole || index === 0)) {
          found.push({ start: at.start, end });
          end = null;
        }
        break;
      }
      case "iterations": {
        const isLiveAfter = end !== null;
        const { frame: iteration } = event;
        const isLeftEarly = iteration.exit !== null;
        const find = (isLiveAtEnd: boolean) => {
          const inside: Interval[] = [];
          const isLiveBefore = findIntervals(
            iteration,
            buffer,
            isLiveAtEnd,
            inside,
            isLiveAfter && isLeftEarly,
          );
          return { inside, isLiveBefore };
        };
        let result = find(isLiveAfter && !isLeftEarly);
        // What an iteration needs from the iteration before stays in use from the end of one to the start of the next.
        if (result.isLiveBefore) result = find(true);
        found.push(...result.inside);
        if (end !== null) found.push({ start: iteration.end, end });
        end = result.isLiveBefore ? iteration.start : null;
        break;
      }
      case "cases": {
        const isLiveAfter = end !== null;
        if (end !== null) found.push({ start: event.frames[event.frames.length - 1].end, end });
        const before = event.frames.map((inner) => findIntervals(inner, buffer, isLiveAfter, found));
        end = before.includes(true) ? event.frames[0].start : null;
        break;
      }
    }
  }
  if (end !== null) found.push({ start: frame.start, end });
  return end !== null;
}
