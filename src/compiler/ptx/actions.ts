// What the threads of a block do and wait for, one thing after the other.
import type { Kernel, StepOf } from "../kernel.js";
import type { BranchAction, WhileAction } from "../schedule/actions.js";
import type { Work } from "./work.js";

type PrintKernel = Extract<Kernel, { kind: "print" }>;

/** Threads do a kernel, a part of it, or several of one form, from one of them on. */
export interface WorkAction {
  readonly kind: "work";
  readonly kernels: readonly Kernel[];
  readonly work: Work;
  readonly first: number;
  /** Whether the threads of all blocks share its points. */
  readonly isOverBlocks: boolean;
  /** What is done of the kernel, in words, if it is not the first of it. */
  readonly note: string | null;
}

export type Action =
  | WorkAction
  | { readonly kind: "wait"; readonly circle: "block" | "grid" }
  /** The lanes of a warp wait for each other. */
  | { readonly kind: "align"; readonly warp: number }
  /** The next exchange goes by the other side. */
  | { readonly kind: "turn" }
  | { readonly kind: "print"; readonly kernel: PrintKernel }
  /** What is done where a sort was too much for a block. */
  | { readonly kind: "tooMuch"; readonly body: readonly Action[] }
  /** A loop; `warp` is the only warp that has anything to do in it, if there is one. */
  | {
      readonly kind: "loop";
      readonly step: StepOf<"loop">;
      readonly warp: number | null;
      readonly body: readonly Action[];
    }
  | WhileAction<Action>
  | BranchAction<Action>;

/** All that threads do in some actions, in order. */
export const worksIn = (actions: readonly Action[]): WorkAction[] =>
  actions.flatMap((action): readonly WorkAction[] => {
    switch (action.kind) {
      case "work":
        return [action];
      case "loop":
      case "tooMuch":
        return worksIn(action.body);
      case "while":
        return worksIn([...action.test, ...action.body]);
      case "branch":
        return action.cases.flatMap(worksIn);
      case "wait":
      case "align":
      case "turn":
      case "print":
        return [];
    }
  });
