// What blocks do of several sorts, as turns of one loop.
import type { SortKernel } from "../../kernel.js";
import type { Action } from "../actions.js";
import { turns } from "./again.js";
import type { SharedSortWorks } from "./index.js";

/** What is done of one sort, and what of that are its works. */
interface Sorted {
  readonly works: SharedSortWorks;
  readonly actions: readonly Action[];
}

/** What actions are, whatever they are done with. */
const formOf = (actions: readonly Action[]): string =>
  actions
    .map((action) => {
      if (action.kind === "tooMuch") return `tooMuch(${formOf(action.body)})`;
      return action.kind === "wait" ? action.circle : action.kind;
    })
    .join();

/**
 * The actions of sorts that follow each other, given the works of all as turns of a loop: what the first one waits for, and the
 * loop. Null where there is one sort, or where others wait for something else than the first does.
 */
export function asLoop(
  sorts: readonly SortKernel[],
  [{ works, actions }, ...others]: readonly Sorted[],
  all: SharedSortWorks,
): readonly Action[] | null {
  const begun = actions.findIndex(({ kind }) => kind === "work");
  const body = actions.slice(begun);
  if (others.length === 0 || others.some((other) => formOf(other.actions) !== formOf(body))) return null;
  const asOne = (action: Action): Action => {
    if (action.kind === "tooMuch") return { ...action, body: action.body.map(asOne) };
    if (action.kind !== "work") return action;
    const phase = (["deal", "take", "alone"] as const).find((name) => works[name] === action.work);
    return phase === undefined ? action : { ...action, kernels: sorts, work: all[phase] };
  };
  const counter = { ...turns, length: sorts.length };
  return [
    ...actions.slice(0, begun),
    {
      ...{ kind: "loop", step: { kind: "loop", counter, reverse: false, body: [] }, warp: null },
      body: body.map(asOne),
    },
  ];
}
