// Programs as PTX: an entry in which all threads walk through the same actions, with all kernels written out in it. (with a
// function for each kernel, the assembler takes twice as long)
import { itemSize } from "../../array/index.js";
import type { Place, Step } from "../kernel.js";
import type { MemoryPlan } from "../plan/arena.js";
import { worksIn, type Action, type WorkAction } from "./actions.js";
import { Course } from "./course.js";
import { functionsIn } from "./functions.js";
import { Grid } from "./grid.js";
import { Holding } from "./holding.js";
import { inParts } from "./parts.js";
import { showSchedule } from "./schedule.js";
import { inStrands, type Strand } from "./strands.js";
import { Stopwatch } from "./stopwatch.js";
import { KernelText } from "./surroundings.js";
import { PtxText } from "./text.js";
import { Trace } from "./trace.js";
import { controlBytes, lanesOfWarp, type PtxProgram } from "./types.js";

/** How programs are watched while they run. */
export interface Watching {
  /** Where in memory to note how long kernels take; null for nowhere. */
  readonly profile: number | null;
  /** Whether the host is told which kernel runs. */
  readonly isTraced: boolean;
}

/** How blocks go about a program: how many threads each of them has, and whether they are a cluster. */
export interface Blocks {
  readonly threads: number;
  readonly isCluster: boolean;
  /** Whether tensor cores may do products, in TF32. */
  readonly isTf32: boolean;
  /** How many kernels a program has from which on it is written in parts. */
  readonly partedFrom: number;
}

/** The PTX of steps for blocks, and the names of its kernels. */
export function renderProgram(
  steps: readonly Step[],
  plan: MemoryPlan,
  blocks: Blocks,
  watching: Watching,
): Pick<PtxProgram, "texts" | "kernels" | "schedule" | "sharedBytes" | "controlBytes"> {
  // Where a program is traced, all threads wait before every kernel.
  const { threads, isTf32, partedFrom } = blocks;
  const actions = new Course(plan, threads, isTf32, !watching.isTraced).actionsOf(steps);
  const works = worksIn(actions);
  const kernels = works.map(({ kernels: [kernel, ...others] }, at) => {
    const many = others.length === 0 ? "" : `_x${others.length + 1}`;
    return `k${at}_${kernel.name.replaceAll(/\W/g, "_")}${many}`;
  });
  const parts = inParts(actions, partedFrom);
  const shape = { blocks: plan.division.parts, threads, kernels };
  const sharedBytes = Math.ceil(plan.fastBytes / wordsBytes) * wordsBytes;
  const texts = parts.map((part, at) =>
    new ProgramRenderer(plan, blocks, watching, works, kernels, {
      ...{ isFirst: at === 0, isLast: at === parts.length - 1 },
      sharedBytes,
    }).render(part),
  );
  const keptBytes = parts.length > 1 ? sharedBytes * shape.blocks : 0;
  return {
    ...{ texts, kernels, sharedBytes, controlBytes: controlBytes + keptBytes },
    schedule: () => showSchedule(parts, steps, plan, shape),
  };
}

/** Bytes that a thread moves at once. */
const wordsBytes = 16;

/** Which part of a program is written, and how much shared memory goes from one to the next in each block. */
interface Part {
  readonly isFirst: boolean;
  readonly isLast: boolean;
  readonly sharedBytes: number;
}

type ActionOf<Kind extends Action["kind"]> = Extract<Action, { kind: Kind }>;

class ProgramRenderer {
  private readonly out = new PtxText();
  private readonly memory: string;
  private readonly own: string;
  private readonly shared: string;
  private readonly control: string;
  private readonly host: string;
  private readonly thread: string;
  private readonly threads: number;
  /** How blocks meet; null where there is one. */
  private readonly grid: Grid | null;
  private readonly counters = new Map<number, string>();
  private readonly stopwatch: Stopwatch | null;
  private readonly trace: Trace | null;
  private readonly numbers: ReadonlyMap<WorkAction, number>;
  private readonly holding: Holding;
  /** The kernel that was written last. */
  private written = 0;

  constructor(
    private readonly plan: MemoryPlan,
    private readonly blocks: Blocks,
    { profile, isTraced }: Watching,
    works: readonly WorkAction[],
    private readonly kernels: readonly string[],
    private readonly part: Part,
  ) {
    const { out } = this;
    this.threads = blocks.threads;
    this.holding = new Holding(blocks.threads, (action) => this.textFor(action));
    this.numbers = new Map(works.map((work, at) => [work, at]));
    this.memory = this.parameter("memory");
    this.control = this.parameter("control");
    this.host = this.parameter("host");
    this.thread = out.effect("mov.u32", "b32", "%tid.x");
    // Handed around once, so that the assembler keeps it: it would ask the machine anew in every kernel, which takes long.
    const shared = out.effect("mov.u32", "b32", "shared");
    this.shared = out.effect("shfl.sync.idx.b32", "b32", shared, "0", "31", "-1");
    const { parts, start, stride } = plan.division;
    const block = out.effect("mov.u32", "b32", "%ctaid.x");
    const first = start === 0 ? this.memory : out.effect("add.u64", "b64", this.memory, String(start));
    const distance = out.effect("mov.u64", "b64", String(stride));
    const far = out.effect("cvt.u64.u32", "b64", block);
    this.own = parts === 1 ? first : out.effect("mad.lo.u64", "b64", far, distance, first);
    this.grid =
      parts === 1 ? null : new Grid(out, this.control, this.thread, parts, blocks.isCluster, !part.isFirst);
    this.stopwatch = profile === null ? null : new Stopwatch(out, this.thread, this.memory, profile);
    this.trace = isTraced ? new Trace(out, this.thread, this.host) : null;
  }

  private parameter(name: string): string {
    const { out } = this;
    return out.effect("cvta.to.global.u64", "b64", out.effect("ld.param.u64", "b64", `[${name}]`));
  }

  render(actions: readonly Action[]): string {
    const { isFirst, isLast } = this.part;
    this.written = Math.min(...worksIn(actions).map((work) => this.numbers.get(work) ?? 0));
    if (!isFirst) {
      this.moveShared("back");
      this.out.line("bar.sync 0;");
    }
    this.write(actions);
    this.stopwatch?.stop();
    if (!isLast) {
      this.out.line("bar.sync 0;");
      this.moveShared("away");
    }
    this.grid?.end(!isLast);
    this.out.line("ret;");
    const body = this.out.toString();
    const { isCluster, threads } = this.blocks;
    return [
      ".version 7.8",
      `.target ${isCluster ? "sm_90" : "sm_80"}`,
      ".address_size 64",
      ".extern .shared .align 16 .b8 shared[];",
      ...functionsIn(body),
      ".visible .entry vibe_rl_run(.param .u64 memory, .param .u64 control, .param .u64 host)",
      `.maxntid ${threads}, 1, 1`,
      ".minnctapersm 1",
      ...(isCluster ? [`.reqnctapercluster ${this.plan.division.parts}, 1, 1`] : []),
      `{\n${body}\n}`,
      "",
    ].join("\n");
  }

  /** Moves a block's shared memory to where it is kept between two parts, or back. */
  private moveShared(way: "away" | "back"): void {
    const { out, control, shared, thread, threads } = this;
    const bytes = this.part.sharedBytes;
    const block = out.effect("mov.u32", "b32", "%ctaid.x");
    const kept = out.effect("mad.wide.u32", "b64", block, String(bytes), control);
    const first = out.effect("mul.lo.u32", "b32", thread, String(wordsBytes));
    out.loop(first, String(bytes), String(threads * wordsBytes), (offset) => {
      const near = out.effect("add.u32", "b32", shared, offset);
      const far = out.effect("add.u64", "b64", kept, out.effect("cvt.u64.u32", "b64", offset));
      const places = [`shared.v4.u32 [${near}]`, `global.v4.u32 [${far}+${controlBytes}]`];
      const [from, to] = (way === "away" ? places : places.toReversed()).map((place) => place.split(" "));
      const words = `{${Array.from({ length: 4 }, () => out.register("b32")).join(", ")}}`;
      out.line(`ld.${from[0]} ${words}, ${from[1]};`);
      out.line(`st.${to[0]} ${to[1]}, ${words};`);
    });
  }

  private write(actions: readonly Action[]): void {
    for (const strands of inStrands(actions, this.threads)) {
      const [only] = strands;
      if (strands.length === 1) only.actions.forEach((action) => this.writeOne(action));
      else this.writeBeside(strands);
    }
  }

  /**
   * What different threads do at the same time. They are told apart once, before all of it: code that is not near comes when
   * somebody gets there, so that nobody should have to pass by that of others.
   */
  private writeBeside(strands: readonly Strand[]): void {
    const { out, thread } = this;
    const end = out.newLabel();
    const labels = strands.map(() => out.newLabel());
    const jump = (from: number, label: string) => {
      // Strands are whole warps.
      if (from < this.threads)
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
    const { out, grid } = this;
    switch (action.kind) {
      case "work":
        this.writeWork(action);
        break;
      case "wait":
        this.stopwatch?.next(Math.min(this.written + 1, this.kernels.length - 1), true);
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

  private writeLoop({ step, warp, body }: ActionOf<"loop">): void {
    const { out, thread } = this;
    const { counter, reverse } = step;
    const { length, id } = counter;
    if (warp !== null) {
      // The others go on to what does not wait for it.
      const own = out.asUniform(out.pure("shr.u32", "b32", thread, String(Math.log2(lanesOfWarp))));
      out.when(out.pure("setp.eq.u32", "pred", own, String(warp)), () =>
        this.writeLoop({ kind: "loop", step, warp: null, body }),
      );
      return;
    }
    const letGo = this.holding.begin(step, body);
    const register = out.asUniform(out.effect("mov.u32", "b32", reverse ? String(length - 1) : "0"));
    this.counters.set(id, register);
    const start = out.newLabel();
    out.placeLoop(start);
    out.scope(() => this.write(body));
    out.line(`add.s32 ${register}, ${register}, ${reverse ? -1 : 1};`);
    const more = out.effect(
      reverse ? "setp.ge.s32" : "setp.lt.s32",
      "pred",
      register,
      reverse ? "0" : String(length),
    );
    out.line(`@${more} bra.uni ${start};`);
    letGo();
  }

  private writeWhile({ step, test, body }: ActionOf<"while">): void {
    const { out } = this;
    const [start, end] = [out.newLabel(), out.newLabel()];
    out.placeLoop(start);
    out.scope(() => this.write(test));
    const holds = out.effect("setp.ne.u32", "pred", this.load(step.predicate, "u8"), "0");
    out.line(`@!${holds} bra.uni ${end};`);
    out.scope(() => this.write(body));
    out.line(`bra.uni ${start};`);
    out.place(end);
  }

  private writeBranch({ step, cases }: ActionOf<"branch">): void {
    const { out } = this;
    const chosen = this.load(step.index, "u32");
    const end = out.newLabel();
    cases.forEach((actions, at) => {
      const next = out.newLabel();
      if (at < cases.length - 1) {
        const isOther = out.effect("setp.gt.s32", "pred", chosen, String(at));
        out.line(`@${isOther} bra.uni ${next};`);
      }
      out.scope(() => this.write(actions));
      out.line(`bra.uni ${end};`);
      out.place(next);
    });
    out.place(end);
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
      const low = out.effect("cvt.u32.u64", "b32", place);
      return out.effect(`ld.shared.${type}`, "b32", `[${out.effect("add.u32", "b32", low, this.shared)}]`);
    }
    const base = plan.division.common.has(buffer) ? this.memory : this.own;
    return out.effect(`ld.global.${type}`, "b32", `[${out.effect("add.u64", "b64", place, base)}]`);
  }

  private writeWork(action: WorkAction): void {
    const { out } = this;
    const number = this.numbers.get(action) ?? 0;
    this.written = Math.max(this.written, number);
    this.trace?.next(number);
    this.stopwatch?.next(number);
    out.line(`// ${this.kernels[number]}`);
    out.scope(() => action.work.write(this.textFor(action), this.holding.held));
  }

  /** What a work is written with. */
  private textFor({ first, isOverBlocks }: WorkAction): KernelText {
    const { out, plan, threads, memory, own, shared, grid, counters } = this;
    const inBlock = this.threadBehind(first);
    const parts = isOverBlocks ? plan.division.parts : 1;
    const block = () => out.effect("mov.u32", "b32", "%ctaid.x");
    const thread = parts === 1 ? inBlock : out.effect("mad.lo.s32", "b32", block(), String(threads), inBlock);
    const surroundings = { memory, own, shared, thread, grid, counters };
    return new KernelText(out, plan, parts * threads, surroundings);
  }

  /** The number of the thread, counted from another one on: what few threads do goes on at the same time on different ones. */
  private threadBehind(first: number): string {
    const { out, thread, threads } = this;
    if (first === 0) return thread;
    const moved = out.effect("add.u32", "b32", thread, String(threads - first));
    return out.effect("and.b32", "b32", moved, String(threads - 1));
  }

  /** Tells the host of a message, and waits until it has been printed. */
  private print({ kernel }: ActionOf<"print">): void {
    const { out, host } = this;
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
    out.line("bar.sync 0;");
  }
}
