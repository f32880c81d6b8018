// What a program does from its first to its last kernel, as text for people (VIBE_RL_DUMP=schedule).
import type { Step } from "../kernel.js";
import type { MemoryPlan } from "../plan/arena.js";
import { buffersIn, nameBuffers } from "../show/names.js";
import { worksIn, type Action } from "./actions.js";
import { describeBuffers } from "./describe.js";
import { turns } from "./sharedSort/index.js";
import { lanesOfWarp } from "./types.js";

/** How a program is started, and what its kernels are called. */
export interface Shape {
  readonly blocks: number;
  readonly threads: number;
  readonly kernels: readonly string[];
}

export function showSchedule(
  actions: readonly Action[],
  steps: readonly Step[],
  plan: MemoryPlan,
  { blocks, threads, kernels }: Shape,
): string {
  const name = nameBuffers(buffersIn(steps));
  const numbers = new Map(worksIn(actions).map((action, at) => [action, at]));
  const { start, stride, exchange } = plan.division;
  const bytes = (count: number, what: string) => `${count.toLocaleString("en")} bytes ${what}`;
  const linesOf = (list: readonly Action[]): string[] => list.flatMap(lineOf);
  const inside = (title: string, list: readonly Action[]): string[] => [
    title,
    ...linesOf(list).map((line) => `  ${line}`),
  ];
  const lineOf = (action: Action): string[] => {
    switch (action.kind) {
      case "work": {
        const { work, first, note } = action;
        const number = numbers.get(action) ?? 0;
        const where = first === 0 ? "" : ` (from warp ${first / lanesOfWarp} on)`;
        const title = `${number} ${kernels[number]}: ${note ?? work.describe()}${where}`;
        const buffers = action.kernels.map((kernel) => `    ${describeBuffers(kernel, plan, name)}`);
        return note === null ? [title, ...buffers] : [title];
      }
      case "wait":
        return [action.circle === "block" ? "block meets" : "all blocks meet"];
      case "align":
        return [`warp ${action.warp} meets`];
      case "turn":
        return [];
      case "print":
        return [`print message ${action.kernel.message}`, "block meets"];
      case "tooMuch":
        return inside("where that was too much for a block, the first sorts alone:", action.body);
      case "loop": {
        const { counter, reverse } = action.step;
        const alone = action.warp === null ? "" : `, warp ${action.warp} alone`;
        const title =
          counter.id === turns.id
            ? `${counter.length} times:`
            : `for t${counter.id} < ${counter.length}${reverse ? " backwards" : ""}${alone}:`;
        return inside(title, action.body);
      }
      case "while":
        return [...inside("while:", action.test), ...inside("do:", action.body)];
      case "branch":
        return action.cases.flatMap((one, at) => inside(`case ${at} of ${action.cases.length}:`, one));
    }
  };
  const lines = [
    `${blocks} ${blocks === 1 ? "block" : "blocks"} of ${threads} threads`,
    bytes(plan.fastBytes, "of shared memory in each block (s)"),
    bytes(stride, "of its own for each block (o)"),
    ...(blocks === 1
      ? []
      : [
          bytes(exchange, "in common (c)"),
          bytes(start - exchange, "in common by which blocks exchange something"),
        ]),
    "",
    ...linesOf(actions),
  ];
  return `${lines.join("\n")}\n`;
}
