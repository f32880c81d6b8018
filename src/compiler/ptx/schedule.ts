// What a program does from its first to its last kernel, noted while it is rendered, as text for people (VIBE_RL_DUMP=schedule).
import type { Kernel, Step } from "../kernel.js";
import type { MemoryPlan } from "../plan/arena.js";
import { buffersIn, nameBuffers } from "../show/names.js";
import { describeBuffers, describeWork } from "./describe.js";

/** One thing that happens, so many loops and branches deep; texts are made when somebody wants to see them. */
type Event = { readonly depth: number } & (
  | { readonly kind: "line"; readonly text: string }
  | {
      readonly kind: "kernel";
      readonly number: number;
      readonly title: string;
      readonly kernel: Kernel;
      readonly note: string | null;
    }
);

/** How a program is started. */
export interface Shape {
  readonly blocks: number;
  readonly threads: number;
}

export class Schedule {
  private readonly events: Event[] = [];
  private depth = 0;

  line(text: string): void {
    this.events.push({ depth: this.depth, kind: "line", text });
  }

  /** A line, and what happens in what it begins. */
  inside(text: string, happens: () => void): void {
    this.line(text);
    this.depth++;
    happens();
    this.depth--;
  }

  /** A function is called for a kernel, or, as a note says, for a part of it. */
  kernel(number: number, title: string, kernel: Kernel, note: string | null): void {
    this.events.push({ depth: this.depth, kind: "kernel", number, title, kernel, note });
  }

  /** Everything, in its order. */
  show(steps: readonly Step[], plan: MemoryPlan, { blocks, threads }: Shape): string {
    const name = nameBuffers(buffersIn(steps));
    const { start, stride, exchange } = plan.division;
    const bytes = (count: number, what: string) => `${count.toLocaleString("en")} bytes ${what}`;
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
    ];
    for (const event of this.events) {
      const indent = "  ".repeat(event.depth);
      if (event.kind === "line") lines.push(indent + event.text);
      else {
        const { number, title, kernel, note } = event;
        lines.push(`${indent}${number} ${title}: ${note ?? describeWork(kernel, plan, threads)}`);
        if (note === null) lines.push(`${indent}    ${describeBuffers(kernel, plan, name)}`);
      }
    }
    return `${lines.join("\n")}\n`;
  }
}
