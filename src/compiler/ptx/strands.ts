// Actions of a block that different threads do at the same time.
import type { Action } from "./actions.js";
import { lanesOfWarp } from "./types.js";

/** What some of the threads do, from a first one to before another, one after the other. */
export interface Strand {
  readonly first: number;
  readonly end: number;
  readonly actions: Action[];
}

/** Actions, taken apart into groups of strands of different threads, those of the last threads first. */
export function inStrands(actions: readonly Action[], threads: number): Strand[][] {
  const groups: Strand[][] = [];
  let group: Strand[] = [];
  const close = (): void => {
    if (group.length > 0) groups.push(group.sort((a, b) => b.first - a.first));
    group = [];
  };
  for (const action of actions) {
    const { first, end } = threadsOf(action, threads);
    const own = group.find((strand) => strand.first === first && strand.end === end);
    if (own !== undefined) {
      own.actions.push(action);
      continue;
    }
    if (group.some((strand) => first < strand.end && strand.first < end)) close();
    group.push({ first, end, actions: [action] });
  }
  close();
  return groups;
}

/** The threads that have something to do in an action. */
function threadsOf(action: Action, threads: number): { readonly first: number; readonly end: number } {
  const ofWarp = (warp: number) => ({ first: warp * lanesOfWarp, end: (warp + 1) * lanesOfWarp });
  const all = { first: 0, end: threads };
  switch (action.kind) {
    case "work": {
      const end = action.first + action.work.threads;
      // From the last threads on to the first ones: some of them do it before others.
      return end > threads ? all : { first: action.first, end };
    }
    case "align":
      return ofWarp(action.warp);
    case "loop":
      return action.warp === null ? all : ofWarp(action.warp);
    case "wait":
    case "turn":
    case "print":
    case "tooMuch":
    case "while":
    case "branch":
      return all;
  }
}
