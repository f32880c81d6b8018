// Steps as PTX: an entry in which all threads walk through the same steps, with all kernels written out in it. (with a
// function for each kernel, the assembler takes twice as long)
import { itemSize } from "../../array/index.js";
import type { CopyKernel, ExchangeKernel, Kernel, Place, SortKernel, Step } from "../kernel.js";
import type { MemoryPlan } from "../plan/arena.js";
import { Meetings, type Touch } from "../schedule/meetings.js";
import { renderCopy, renderShare } from "./copy.js";
import { renderDot } from "./dot/index.js";
import {
  exchangePhases,
  exchangesFrom,
  isInCommon,
  renderAxisIndex,
  startsOnSide,
} from "./exchange/index.js";
import { functionsIn } from "./functions.js";
import { Grid } from "./grid.js";
import { renderLoop } from "./loop.js";
import { Readers } from "./readers.js";
import { sortAlone, sortShare } from "./sharedSort.js";
import { Schedule } from "./schedule.js";
import { renderSort } from "./sort.js";
import { KernelText, type Surroundings } from "./surroundings.js";
import { Stopwatch } from "./stopwatch.js";
import { PtxText } from "./text.js";
import { Trace } from "./trace.js";
import type { PtxProgram } from "./types.js";

/** How programs are watched while they run. */
export interface Watching {
  /** Where in memory to note how long kernels take; null for nowhere. */
  readonly profile: number | null;
  /** Whether the host is told which kernel runs. */
  readonly isTraced: boolean;
}

/** The PTX of steps for a block of so many threads, and the names of its kernels. */
export const renderProgram = (
  steps: readonly Step[],
  plan: MemoryPlan,
  threads: number,
  watching: Watching,
): Pick<PtxProgram, "text" | "kernels" | "schedule"> =>
  new ProgramRenderer(plan, threads, watching).render(steps);

class ProgramRenderer {
  private readonly out = new PtxText();
  readonly memory: string;
  readonly own: string;
  private readonly control: string;
  private readonly host: string;
  /** How often the blocks have met, and which of two places is next for what they hand each other. */
  readonly grid: Grid | null;
  readonly thread: string;
  readonly counters = new Map<number, string>();
  private readonly kernels: string[] = [];
  private readonly stopwatch: Stopwatch | null;
  private readonly trace: Trace | null;
  private readonly schedule = new Schedule();
  private meetings: Meetings;
  private readonly readers: Readers;
  /** Threads that have had something to do since the block last met. */
  private busy = 0;

  constructor(
    private readonly plan: MemoryPlan,
    readonly threads: number,
    { profile, isTraced }: Watching,
  ) {
    const { out } = this;
    this.meetings = new Meetings(plan);
    this.readers = new Readers(plan);
    this.memory = this.parameter("memory");
    this.control = this.parameter("control");
    this.host = this.parameter("host");
    this.thread = out.effect("mov.u32", "b32", "%tid.x");
    const { parts, start, stride } = plan.division;
    const block = out.effect("mov.u32", "b32", "%ctaid.x");
    const first = start === 0 ? this.memory : out.effect("add.u64", "b64", this.memory, String(start));
    const distance = out.effect("mov.u64", "b64", String(stride));
    const far = out.effect("cvt.u64.u32", "b64", block);
    this.own = parts === 1 ? first : out.effect("mad.lo.u64", "b64", far, distance, first);
    this.grid = parts === 1 ? null : new Grid(out, this.control, this.thread, parts);
    this.stopwatch = profile === null ? null : new Stopwatch(out, this.thread, this.memory, profile);
    this.trace = isTraced ? new Trace(out, this.thread, this.host) : null;
  }

  private parameter(name: string): string {
    const { out } = this;
    return out.effect("cvta.to.global.u64", "b64", out.effect("ld.param.u64", "b64", `[${name}]`));
  }

  render(steps: readonly Step[]): Pick<PtxProgram, "text" | "kernels" | "schedule"> {
    this.emit(steps);
    this.stopwatch?.stop();
    this.grid?.end();
    this.out.line("ret;");
    const body = this.out.toString();
    const text = [
      ".version 7.8",
      ".target sm_80",
      ".address_size 64",
      ".extern .shared .align 16 .b8 shared[];",
      ...functionsIn(body),
      ".visible .entry vibe_rl_run(.param .u64 memory, .param .u64 control, .param .u64 host)",
      `.maxntid ${this.threads}, 1, 1`,
      ".minnctapersm 1",
      `{\n${body}\n}`,
      "",
    ].join("\n");
    const shape = { blocks: this.plan.division.parts, threads: this.threads };
    return { text, kernels: this.kernels, schedule: () => this.schedule.show(steps, this.plan, shape) };
  }

  private emit(steps: readonly Step[]): void {
    for (let at = 0; at < steps.length;) {
      const exchanges = exchangesFrom(steps, at);
      if (exchanges.length === 0) this.emitStep(steps[at]);
      else this.exchange(exchanges.filter((kernel) => !this.plan.isIdle(kernel)));
      at += Math.max(1, exchanges.length);
    }
  }

  private meetBefore(touches: readonly Touch[]): void {
    if (this.meetings.next(touches)) this.meetBlock();
  }

  /** At the end of an iteration: what it touched would meet what the next one does. */
  private meetIfPending(): void {
    if (!this.meetings.isPending) return;
    this.meetBlock();
    this.meetings.clear();
  }

  /** The threads of the block meet. */
  private meetBlock(): void {
    this.schedule.line("block meets");
    this.out.line("bar.sync 0;");
    this.busy = 0;
  }

  private emitStep(step: Step): void {
    switch (step.kind) {
      case "kernel":
        this.emitKernel(step.kernel);
        break;
      case "loop":
        this.emitLoop(step);
        break;
      case "while":
        this.emitWhile(step);
        break;
      case "branch":
        this.emitBranch(step);
        break;
    }
  }

  private emitLoop({ counter, reverse, body }: Extract<Step, { kind: "loop" }>): void {
    const { out } = this;
    const { length, id } = counter;
    if (length === 0) return;
    // Once before it, rather than in every turn for what was before the first.
    if (length > 1) this.meetIfPending();
    const register = out.effect("mov.u32", "b32", reverse ? String(length - 1) : "0");
    this.counters.set(id, register);
    const start = out.newLabel();
    out.placeLoop(start);
    // What the end of the turn before has read is known only at the end of this one.
    this.readers.areUnknown();
    this.schedule.inside(`for t${id} < ${length}${reverse ? " backwards" : ""}:`, () => {
      this.emit(body);
      this.meetIfPending();
    });
    out.line(`add.s32 ${register}, ${register}, ${reverse ? -1 : 1};`);
    const more = out.effect(
      reverse ? "setp.ge.s32" : "setp.lt.s32",
      "pred",
      register,
      reverse ? "0" : String(length),
    );
    out.line(`@${more} bra.uni ${start};`);
  }

  private emitWhile({ test, predicate, body }: Extract<Step, { kind: "while" }>): void {
    const { out } = this;
    const [start, end] = [out.newLabel(), out.newLabel()];
    this.meetIfPending();
    out.placeLoop(start);
    this.readers.areUnknown();
    this.schedule.inside("while:", () => {
      this.emit(test);
      this.meetBefore([this.meetings.touch(predicate.buffer, false, "all")]);
    });
    const behindTest = this.meetings.fork();
    const holds = out.effect("setp.ne.u32", "pred", this.load(predicate, "u8"), "0");
    out.line(`@!${holds} bra.uni ${end};`);
    this.schedule.inside("do:", () => {
      this.emit(body);
      this.meetIfPending();
    });
    out.line(`bra.uni ${start};`);
    out.place(end);
    // It is left behind the test.
    this.meetings = behindTest;
    this.readers.areUnknown();
  }

  private emitBranch({ index, cases }: Extract<Step, { kind: "branch" }>): void {
    const { out } = this;
    this.meetBefore([this.meetings.touch(index.buffer, false, "all")]);
    const chosen = this.load(index, "u32");
    const before = this.meetings;
    const end = out.newLabel();
    const ways = cases.map((steps, at) => {
      this.meetings = before.fork();
      this.readers.areUnknown();
      const next = out.newLabel();
      if (at < cases.length - 1) {
        const isOther = out.effect("setp.gt.s32", "pred", chosen, String(at));
        out.line(`@${isOther} bra.uni ${next};`);
      }
      this.schedule.inside(`case ${at} of ${cases.length}:`, () => this.emit(steps));
      out.line(`bra.uni ${end};`);
      out.place(next);
      return this.meetings;
    });
    out.place(end);
    before.join(ways);
    this.meetings = before;
    this.readers.areUnknown();
  }

  /** What all threads read at a place. */
  private load({ buffer, offset, counters }: Place, type: "u8" | "u32"): string {
    const { out, plan } = this;
    const bytes = itemSize(buffer.dtype);
    let place = out.effect("mov.u64", "b64", String((plan.addresses.get(buffer) ?? 0) + offset * bytes));
    for (const { counter, stride } of counters)
      place = out.effect(
        "mad.wide.s32",
        "b64",
        this.counters.get(counter.id) as string,
        String(stride * bytes),
        place,
      );
    if (plan.fast.has(buffer)) {
      const base = out.effect("mov.u32", "b32", "shared");
      const low = out.effect("cvt.u32.u64", "b32", place);
      return out.effect(`ld.shared.${type}`, "b32", `[${out.effect("add.u32", "b32", low, base)}]`);
    }
    const base = plan.division.common.has(buffer) ? this.memory : this.own;
    return out.effect(`ld.global.${type}`, "b32", `[${out.effect("add.u64", "b64", place, base)}]`);
  }

  private emitKernel(kernel: Kernel): void {
    if (this.plan.isIdle(kernel)) return;
    switch (kernel.kind) {
      case "loop":
        this.call(kernel, (text) => renderLoop(text, kernel));
        break;
      case "dot":
        this.call(kernel, (text) => renderDot(text, kernel));
        break;
      case "sort":
        if (this.plan.division.sorts.has(kernel)) this.sortTogether(kernel);
        else this.call(kernel, (text) => renderSort(text, kernel));
        break;
      case "copy":
        if (this.plan.division.common.has(kernel.to.buffer)) this.share(kernel);
        else this.call(kernel, (text) => renderCopy(text, kernel, this.mayOverlap(kernel.from, kernel.to)));
        break;
      case "print":
        this.print(kernel);
        break;
      case "exchange":
        this.exchange([kernel]);
        break;
      case "axisIndex":
        this.call(kernel, (text) => renderAxisIndex(text, kernel));
        break;
    }
  }

  /** Hands out a result, of which each block copies its share, once all have read what may be in its place. */
  private share(kernel: CopyKernel): void {
    if (this.readers.mayRead([kernel.to.buffer])) this.meetAll();
    this.call(kernel, (text) => renderShare(text, kernel));
  }

  /** All blocks meet. */
  private meetAll(): void {
    this.schedule.line("all blocks meet");
    this.grid?.meet();
    this.meetings.clear();
    this.busy = 0;
    this.readers.haveMet();
  }

  /** Exchanges that do not wait for each other go through the same meetings. */
  private exchange(kernels: readonly ExchangeKernel[]): void {
    const { grid, plan } = this;
    if (grid === null) throw new Error("a program for several devices is rendered for one block");
    const { division } = plan;
    if (kernels.length === 0) return;
    const gathers = kernels.filter((kernel) => isInCommon(kernel, division));
    const gathered = gathers.flatMap(({ pulls }) => pulls.map(({ to }) => to.buffer));
    if (this.readers.mayRead(gathered)) this.meetAll();
    const { starts } = startsOnSide(kernels, division.parts);
    const all = kernels.map((kernel, at) => exchangePhases(kernel, division, starts[at]));
    const meetings = Math.max(...all.map((phases) => phases.length)) - 1;
    for (let turn = 0; turn <= meetings; turn++) {
      if (turn > 0) this.meetAll();
      all.forEach((phases, at) => {
        const phase = phases[turn] ?? null;
        if (phase !== null) this.call(kernels[at], phase, turn === 0 ? null : "goes on");
      });
    }
    grid.turn();
  }

  /** Sorts by all blocks, or by the first where keys are spread too unevenly. */
  private sortTogether(kernel: SortKernel): void {
    const { grid, out } = this;
    if (grid === null) throw new Error("a sort of several blocks is rendered for one");
    const { division } = this.plan;
    if (this.readers.mayRead(kernel.values.map(({ to }) => to.buffer))) this.meetAll();
    this.call(kernel, (text) => sortShare(text, kernel, division));
    this.meetAll();
    out.when(grid.wasTooMany(), () =>
      this.schedule.inside("where that was too much for a block, the first sorts alone:", () => {
        this.call(kernel, (text) => sortAlone(text, kernel, division), "a network of all keys");
        this.meetAll();
      }),
    );
  }

  private mayOverlap(from: Place, to: Place): boolean {
    const [a, b] = [from, to].map(({ buffer }) => this.meetings.touch(buffer, true, "all"));
    return a.start < b.end && b.start < a.end;
  }

  /** Writes down a kernel; `note` says what is done of it, if it is not the first of it, for people. */
  private call(kernel: Kernel, render: (text: KernelText) => void, note: string | null = null): void {
    const { out, plan, threads } = this;
    this.meetBefore(this.meetings.touchesOf(kernel, "all"));
    const name = `k${this.kernels.length}_${kernel.name.replaceAll(/\W/g, "_")}`;
    this.schedule.kernel(this.kernels.length, name, kernel, note);
    this.trace?.next(this.kernels.length);
    this.stopwatch?.next(this.kernels.length);
    this.kernels.push(name);
    out.line(`// ${name}`);
    out.scope(() => {
      const text = new KernelText(out, plan, threads, this.surroundings());
      render(text);
      this.busy += text.busy;
    });
    this.readers.note(kernel);
  }

  private surroundings(): Surroundings {
    const { memory, own, grid, counters } = this;
    return { memory, own, grid, counters, thread: this.threadBehind() };
  }

  /**
   * The number of the thread, counted from the first that has had nothing to do since the block last met: kernels that few
   * threads do run at the same time.
   */
  private threadBehind(): string {
    const { out, thread, threads } = this;
    const behind = this.busy % threads;
    if (behind === 0) return thread;
    const moved = out.effect("add.u32", "b32", thread, String(threads - behind));
    return out.effect("and.b32", "b32", moved, String(threads - 1));
  }

  /** Tells the host of a message, and waits until it has been printed. */
  private print(kernel: Extract<Kernel, { kind: "print" }>): void {
    const { out, host } = this;
    this.meetBlock();
    this.meetings.clear();
    this.schedule.line(`print message ${kernel.message}`);
    const block = out.effect("mov.u32", "b32", "%ctaid.x");
    const isFirst = out.effect("setp.eq.u32", "pred", out.effect("or.b32", "b32", this.thread, block), "0");
    out.when(isFirst, () => {
      out.line("membar.sys;");
      out.line(`st.volatile.global.u32 [${host}], ${kernel.message + 1};`);
      const again = out.newLabel();
      out.place(again);
      const word = out.effect("ld.volatile.global.u32", "b32", `[${host}]`);
      out.line(`@${out.effect("setp.ne.u32", "pred", word, "0")} bra ${again};`);
    });
    this.meetBlock();
  }
}
