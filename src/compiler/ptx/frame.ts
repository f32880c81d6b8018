// What code goes by wherever it is: registers with the program's addresses, counters of loops, how blocks meet. Functions are
// handed them, and hand back what changes.
import type { Division } from "../plan/arena.js";
import { Grid } from "./grid.js";
import { PtxText, type RegisterKind } from "./text.js";

export interface Frame {
  readonly out: PtxText;
  /** Addresses: of the memory that blocks have in common, this block's own, what blocks meet by, the host's words. */
  readonly memory: string;
  readonly own: string;
  readonly control: string;
  readonly host: string;
  /** Where shared memory begins. */
  readonly shared: string;
  /** The number of the thread in its block. */
  readonly thread: string;
  /** How blocks meet; null where there is one. */
  readonly grid: Grid | null;
  /** The counters of the loops around, by their numbers. */
  readonly counters: Map<number, string>;
}

/** Where a block's own memory is: of the first block, and how far it is to that of the next. */
export type Lying = Pick<Division, "parts" | "start" | "stride">;

/** Where the memory of this block begins. */
function ownMemory(out: PtxText, memory: string, { parts, start, stride }: Lying): string {
  const first = start === 0 ? memory : out.effect("add.u64", "b64", memory, String(start));
  if (parts === 1) return first;
  const block = out.effect("cvt.u64.u32", "b64", out.effect("mov.u32", "b32", "%ctaid.x"));
  const distance = out.effect("mov.u64", "b64", String(stride));
  return out.effect("mad.lo.u64", "b64", block, distance, first);
}

/** The frame of an entry with parameters `memory`, `control` and `host`. */
export function entryFrame(lying: Lying, isCluster: boolean): Frame {
  const out = new PtxText();
  const parameter = (name: string): string =>
    out.effect("cvta.to.global.u64", "b64", out.effect("ld.param.u64", "b64", `[${name}]`));
  const memory = parameter("memory");
  const control = parameter("control");
  const host = parameter("host");
  const thread = out.effect("mov.u32", "b32", "%tid.x");
  // Handed around once, so that the assembler keeps it: it would ask the machine anew in every kernel, which takes long.
  const address = out.effect("mov.u32", "b32", "shared");
  const shared = out.effect("shfl.sync.idx.b32", "b32", address, "0", "31", "-1");
  const own = ownMemory(out, memory, lying);
  const blocks = lying.parts;
  const grid = blocks === 1 ? null : Grid.begun({ out, control, thread, blocks }, isCluster);
  return { out, memory, own, control, host, shared, thread, grid, counters: new Map() };
}

/**
 * Registers of the caller that a function leaves as they were: hardly any. Otherwise functions would save dozens at their start,
 * and restore them. (with none at all the assembler warns, or refuses: where the call came from is in two of them)
 */
const preserved = 4;
/** Bytes of a word that a function hands back. */
const wordBytes = 4;

/** A function of code inside a frame, in which it has registers of its own. */
export class FunctionFrame {
  readonly frame: Frame;
  /** Registers outside that it is handed, and their kinds. */
  private readonly handed: (readonly [register: string, kind: RegisterKind])[] = [];

  constructor(
    private readonly outer: Frame,
    lying: Lying,
  ) {
    const out = new PtxText();
    const take = (register: string, kind: RegisterKind): string => {
      this.handed.push([register, kind]);
      return out.effect(`ld.param.${kind}`, kind, `[p${this.handed.length - 1}]`);
    };
    const memory = take(outer.memory, "b64");
    const control = take(outer.control, "b64");
    const host = take(outer.host, "b64");
    const shared = take(outer.shared, "b32");
    const thread = out.effect("mov.u32", "b32", "%tid.x");
    const own = ownMemory(out, memory, lying);
    const counters = new Map<number, string>();
    for (const [id, register] of outer.counters) counters.set(id, out.asUniform(take(register, "b32")));
    const grid = outer.grid?.within(out, control, thread, (word) => take(word, "b32")) ?? null;
    this.frame = { out, memory, own, control, host, shared, thread, grid, counters };
  }

  /** Ends it, and calls it from outside: its text, under a name. */
  end(name: string): string {
    const { outer, frame, handed } = this;
    const changing = frame.grid?.changing ?? [];
    changing.forEach((word, at) => frame.out.line(`st.param.b32 [after+${wordBytes * at}], ${word};`));
    frame.out.line("ret;");
    const { out, grid } = outer;
    const isAnswering = changing.length > 0;
    out.line("{");
    handed.forEach(([register, kind], at) =>
      out.line(`.param .${kind} a${at}; st.param.${kind} [a${at}], ${register};`),
    );
    const given = handed.map((_, at) => `a${at}`).join(", ");
    if (isAnswering) out.line(".param .align 16 .b8 back[16];");
    out.line(`call.uni ${isAnswering ? "(back), " : ""}${name}, (${given});`);
    grid?.changing.forEach((word, at) => out.line(`ld.param.b32 ${word}, [back+${wordBytes * at}];`));
    out.line("}");
    const parameters = handed.map(([, kind], at) => `.param .${kind} p${at}`).join(", ");
    return [
      `.visible .func ${isAnswering ? "(.param .align 16 .b8 after[16]) " : ""}${name}(${parameters})`,
      `.abi_preserve ${preserved}`,
      `{\n${frame.out.toString()}\n}`,
    ].join("\n");
  }
}
