// What threads do, written down: kernels, the loops and branches around them, and waiting.
import { itemSize } from "../../array/index.js";
import type { Place } from "../kernel.js";
import type { MemoryPlan } from "../plan/arena.js";
import type { Action, WorkAction } from "./actions.js";
import type { Cutting } from "./cutting.js";
import { FunctionFrame, type Frame } from "./frame.js";
import { Holding } from "./holding.js";
import type { Stopwatch } from "./stopwatch.js";
import { inStrands, type Strand } from "./strands.js";
import { KernelText } from "./surroundings.js";
import type { Trace } from "./trace.js";
import { lanesOfWarp } from "./types.js";

/** A program that is being written. */
export interface Writing {
  readonly plan: MemoryPlan;
  readonly threads: number;
  /** The numbers of works, and the names of their kernels. */
  readonly numbers: ReadonlyMap<WorkAction, number>;
  readonly kernels: readonly string[];
  /** How it is cut into functions; null where it is not. */
  readonly cutting: Cutting | null;
  /** How it is watched while it runs. */
  readonly stopwatch: Stopwatch | null;
  readonly trace: Trace | null;
}

type ActionOf<Kind extends Action["kind"]> = Extract<Action, { kind: Kind }>;

/** Actions that are written together: one, or strands beside each other. */
type Together = Action | readonly Strand[];

const togetherIn = (actions: readonly Action[], threads: number): readonly Together[] =>
  inStrands(actions, threads).flatMap((strands): readonly Together[] =>
    strands.length === 1 ? strands[0].actions : [strands],
  );

const actionsOf = (together: Together): readonly Action[] =>
  "kind" in together ? [together] : together.flatMap(({ actions }) => actions);

/** A function that is being written, and what is in it. */
interface Stretch {
  readonly inside: FunctionFrame;
  readonly writer: Writer;
  readonly parts: Together[];
}

export class Writer {
  private readonly holding: Holding;
  /** The kernel that was written last. */
  private written = 0;

  constructor(
    private readonly writing: Writing,
    private readonly frame: Frame,
  ) {
    this.holding = new Holding(writing.threads, (action) => this.textFor(action));
  }

  /** Writes a program, or the body of a long loop, as calls of functions where it is to be cut. */
  writeLong(actions: readonly Action[]): void {
    const { cutting, threads } = this.writing;
    if (cutting === null) {
      this.write(actions);
      return;
    }
    let stretch: Stretch | null = null;
    const end = (): void => {
      if (stretch === null) return;
      const { inside, parts } = stretch;
      if (cutting.isShort(inside.frame.out.length)) parts.forEach((part) => this.writeTogether(part));
      else cutting.add((name) => inside.end(name));
      stretch = null;
    };
    for (const part of togetherIn(actions, threads)) {
      if ("kind" in part && cutting.isInside(part)) {
        end();
        this.writeTogether(part);
        continue;
      }
      if (stretch !== null && cutting.isFull(stretch.inside.frame.out.length, actionsOf(part), actions))
        end();
      stretch ??= this.stretch();
      stretch.writer.writeTogether(part);
      stretch.parts.push(part);
    }
    end();
  }

  private stretch(): Stretch {
    const inside = new FunctionFrame(this.frame, this.writing.plan.division);
    // Functions call none that save no registers either: where they return to would be lost.
    const writer = new Writer({ ...this.writing, cutting: null }, inside.frame);
    return { inside, writer, parts: [] };
  }

  /** The body of an action, which is cut if that is. */
  private writeBody(action: Action, body: readonly Action[]): void {
    if (this.writing.cutting?.isInside(action) === true) this.writeLong(body);
    else this.write(body);
  }

  private write(actions: readonly Action[]): void {
    for (const part of togetherIn(actions, this.writing.threads)) this.writeTogether(part);
  }

  private writeTogether(part: Together): void {
    if ("kind" in part) this.writeOne(part);
    else this.writeBeside(part);
  }

  /**
   * What different threads do at the same time. They are told apart once, before all of it: code that is not near comes when
   * somebody gets there, so that nobody should have to pass by that of others.
   */
  private writeBeside(strands: readonly Strand[]): void {
    const { out, thread } = this.frame;
    const end = out.newLabel();
    const labels = strands.map(() => out.newLabel());
    const jump = (from: number, label: string) => {
      // Strands are whole warps.
      if (from < this.writing.threads)
        out.jump(label, out.asUniform(out.effect("setp.ge.u32", "pred", thread, String(from))));
    };
    jump(Math.max(...strands.map(({ end }) => end)), end);
    strands.forEach(({ first }, at) => {
      if (first > 0) jump(first, labels[at]);
    });
    out.line(`bra ${labels[strands.length - 1]};`);
    strands.forEach(({ actions }, at) => {
      out.place(labels[at]);
      out.scope(() => actions.forEach((action) => this.writeOne(action)));
      if (at < strands.length - 1) out.line(`bra ${end};`);
    });
    out.place(end);
  }

  private writeOne(action: Action): void {
    const { out, grid } = this.frame;
    const { stopwatch, kernels } = this.writing;
    switch (action.kind) {
      case "work":
        this.writeWork(action);
        break;
      case "wait":
        stopwatch?.next(Math.min(this.written + 1, kernels.length - 1), true);
        if (action.circle === "block") out.line("bar.sync 0;");
        else grid?.meet();
        break;
      case "align":
        out.line("bar.warp.sync -1;");
        break;
      case "turn":
        grid?.turn();
        break;
      case "print":
        this.print(action);
        break;
      case "tooMuch":
        if (grid !== null) out.when(grid.wasTooMany(), () => this.write(action.body));
        break;
      case "loop":
        this.writeLoop(action);
        break;
      case "while":
        this.writeWhile(action);
        break;
      case "branch":
        this.writeBranch(action);
        break;
    }
  }

  private writeLoop(loop: ActionOf<"loop">): void {
    const { out, thread } = this.frame;
    if (loop.warp === null) {
      this.writeIterations(loop);
      return;
    }
    // The others go on to what does not wait for it.
    const own = out.asUniform(out.pure("shr.u32", "b32", thread, String(Math.log2(lanesOfWarp))));
    out.when(out.pure("setp.eq.u32", "pred", own, String(loop.warp)), () => this.writeIterations(loop));
  }

  private writeIterations(loop: ActionOf<"loop">): void {
    const { out, counters } = this.frame;
    const { step, body } = loop;
    const { counter, reverse } = step;
    const { length, id } = counter;
    // Functions have registers of their own.
    const isCut = this.writing.cutting?.isInside(loop) === true;
    const letGo = isCut ? null : this.holding.begin(step, body);
    const register = out.asUniform(out.effect("mov.u32", "b32", reverse ? String(length - 1) : "0"));
    counters.set(id, register);
    const start = out.newLabel();
    out.placeLoop(start);
    out.scope(() => this.writeBody(loop, body));
    out.line(`add.s32 ${register}, ${register}, ${reverse ? -1 : 1};`);
    const more = out.effect(
      reverse ? "setp.ge.s32" : "setp.lt.s32",
      "pred",
      register,
      reverse ? "0" : String(length),
    );
    out.line(`@${more} bra.uni ${start};`);
    counters.delete(id);
    letGo?.();
  }

  private writeWhile(action: ActionOf<"while">): void {
    const { out } = this.frame;
    const { step, test, body } = action;
    const [start, end] = [out.newLabel(), out.newLabel()];
    out.placeLoop(start);
    out.scope(() => this.write(test));
    const holds = out.effect("setp.ne.u32", "pred", this.load(step.predicate, "u8"), "0");
    out.line(`@!${holds} bra.uni ${end};`);
    out.scope(() => this.writeBody(action, body));
    out.line(`bra.uni ${start};`);
    out.place(end);
  }

  private writeBranch(action: ActionOf<"branch">): void {
    const { out } = this.frame;
    const { step, cases } = action;
    const chosen = this.load(step.index, "u32");
    const end = out.newLabel();
    cases.forEach((actions, at) => {
      const next = out.newLabel();
      if (at < cases.length - 1) {
        const isOther = out.effect("setp.gt.s32", "pred", chosen, String(at));
        out.line(`@${isOther} bra.uni ${next};`);
      }
      out.scope(() => this.writeBody(action, actions));
      out.line(`bra.uni ${end};`);
      out.place(next);
    });
    out.place(end);
  }

  /** What all threads read at a place. */
  private load({ buffer, offset, counters }: Place, type: "u8" | "u32"): string {
    const { plan } = this.writing;
    const { out, memory, own, shared, counters: known } = this.frame;
    const bytes = itemSize(buffer.dtype);
    let place = out.effect("mov.u64", "b64", String((plan.addresses.get(buffer) ?? 0) + offset * bytes));
    for (const { counter, stride } of counters)
      place = out.effect(
        "mad.wide.s32",
        "b64",
        known.get(counter.id) as string,
        String(stride * bytes),
        place,
      );
    if (plan.fast.has(buffer)) {
      const low = out.effect("cvt.u32.u64", "b32", place);
      return out.effect(`ld.shared.${type}`, "b32", `[${out.effect("add.u32", "b32", low, shared)}]`);
    }
    const base = plan.division.common.has(buffer) ? memory : own;
    return out.effect(`ld.global.${type}`, "b32", `[${out.effect("add.u64", "b64", place, base)}]`);
  }

  private writeWork(action: WorkAction): void {
    const { out } = this.frame;
    const { numbers, kernels, trace, stopwatch } = this.writing;
    const number = numbers.get(action) ?? 0;
    this.written = Math.max(this.written, number);
    trace?.next(number);
    stopwatch?.next(number);
    out.line(`// ${kernels[number]}`);
    out.scope(() => action.work.write(this.textFor(action), this.holding.held));
  }

  /** What a work is written with. */
  private textFor({ first, isOverBlocks }: WorkAction): KernelText {
    const { plan, threads } = this.writing;
    const { out, memory, own, shared, grid, counters } = this.frame;
    const inBlock = this.threadBehind(first);
    const parts = isOverBlocks ? plan.division.parts : 1;
    const block = () => out.effect("mov.u32", "b32", "%ctaid.x");
    const thread = parts === 1 ? inBlock : out.effect("mad.lo.s32", "b32", block(), String(threads), inBlock);
    const surroundings = { memory, own, shared, thread, grid, counters };
    return new KernelText(out, plan, parts * threads, surroundings);
  }

  /** The number of the thread, counted from another one on: what few threads do goes on at the same time on different ones. */
  private threadBehind(first: number): string {
    const { threads } = this.writing;
    const { out, thread } = this.frame;
    if (first === 0) return thread;
    const moved = out.effect("add.u32", "b32", thread, String(threads - first));
    return out.effect("and.b32", "b32", moved, String(threads - 1));
  }

  /** Tells the host of a message, and waits until it has been printed. */
  private print({ kernel }: ActionOf<"print">): void {
    const { out, host, thread } = this.frame;
    const block = out.effect("mov.u32", "b32", "%ctaid.x");
    const isFirst = out.effect("setp.eq.u32", "pred", out.effect("or.b32", "b32", thread, block), "0");
    out.when(isFirst, () => {
      out.line("membar.sys;");
      out.line(`st.volatile.global.u32 [${host}], ${kernel.message + 1};`);
      const again = out.newLabel();
      out.place(again);
      const word = out.effect("ld.volatile.global.u32", "b32", `[${host}]`);
      out.line(`@${out.effect("setp.ne.u32", "pred", word, "0")} bra ${again};`);
    });
    out.line("bar.sync 0;");
  }
}
