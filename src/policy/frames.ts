// Policies that look at several observations at once, given one at a time: the last few side by side along the last axis,
// oldest first, as FrameStackWrapper has them. An episode begins with its first one repeated.
import { check, fail, itemSize, rules, viewBytes, type DType, type Shape } from "../array/index.js";
import { obsReader } from "./observations.js";
import type { PlainObs } from "./types.js";

/** How frames make up an observation: in each of `rows`, `count` frames of `width` numbers side by side. */
export interface FrameLayout {
  readonly count: number;
  readonly rows: number;
  readonly width: number;
}

/** How frames make up observations of a shape; refused where they do not. */
export function frameLayout(operation: string, shape: Shape, count: number): FrameLayout {
  check(operation, "frameStack", count, rules.whole(1));
  const last = shape.at(-1) ?? 1;
  if (last % count !== 0) {
    fail(
      operation,
      `frameStack is ${count}, but the last axis of observations [${shape.join()}] is no multiple of it`,
    );
  }
  return {
    count,
    rows: shape.slice(0, -1).reduce((product, extent) => product * extent, 1),
    width: last / count,
  };
}

export interface Frames {
  /** The observation that a frame makes with those before it; a whole observation is taken as it is. */
  see(obs: PlainObs): PlainObs;
  /** Begins an episode: the next frame is its first. */
  reset(): void;
}

/** Keeps the last frames of an episode. */
export function keepFrames(shape: Shape, dtype: DType, { count, rows, width }: FrameLayout): Frames {
  const size = rows * width * count;
  const storage = (length: number) => viewBytes(dtype, new ArrayBuffer(itemSize(dtype) * length), 0, length);
  const [stack, frame] = [storage(size), storage(size / count)];
  const reader = obsReader([...shape.slice(0, -1), width], dtype);
  let isFirst = true;
  const push = (): void => {
    for (let row = 0; row < rows; row++) {
      const [start, end] = [row * width * count, (row + 1) * width * count];
      const part = frame.subarray(row * width, (row + 1) * width);
      if (!isFirst) stack.copyWithin(start, start + width, end);
      for (let at = isFirst ? start : end - width; at < end; at += width) stack.set(part, at);
    }
    isFirst = false;
  };
  return {
    see: (obs) => {
      if (numbersIn(obs) !== size / count) return obs;
      reader.write(obs, frame);
      push();
      return stack;
    },
    reset: () => {
      isFirst = true;
    },
  };
}

/** How many numbers plain data have. */
function numbersIn(obs: PlainObs): number {
  if (typeof obs !== "object" || obs === null) return -1;
  const isNested = Array.isArray(obs) && typeof obs[0] === "object";
  return isNested ? (obs as readonly unknown[]).flat(8).length : obs.length;
}
