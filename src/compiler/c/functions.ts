// The functions of a program's kernels, in translation units that are compiled at the same time.
import type { Kernel } from "../kernel.js";
import type { MemoryPlan } from "../plan/arena.js";
import { countersOf } from "../walk.js";
import { FormulaFunctions } from "./formulas.js";
import { prelude } from "./prelude.js";
import { sortPrelude } from "./sort.js";
import {
  counterName,
  grainOf,
  KernelText,
  type CTarget,
  type Sharing,
  type Workplace,
} from "./surroundings.js";

/** A kernel's function: what it is called like, and all of it. */
interface CFunction {
  readonly head: string;
  readonly body: string;
}

/** How much C a translation unit should have at least, so that several are worth it. */
const unitLength = 60_000;
const mostUnits = 4;

export class KernelFunctions {
  private readonly functions: CFunction[] = [];
  private readonly formulas = new FormulaFunctions();
  /** Of which numbers of rows threads have their own. */
  private readonly counts = new Set<number>();

  constructor(
    private readonly plan: MemoryPlan,
    private readonly target: CTarget,
  ) {}

  /** Adds the function of a kernel, and returns how it is called, given where it works if it has to be told. */
  define(
    kernel: Kernel,
    sharing: Sharing,
    workplace: Workplace,
    render: (text: KernelText) => void,
  ): (scratch: string) => string {
    const counters = countersOf(kernel).map(counterName);
    const text = new KernelText(this.target, this.formulas, this.plan, sharing, workplace);
    render(text);
    const name = `k${this.functions.length}_${kernel.name.replaceAll(/\W/g, "_")}`;
    const isGiven = workplace === "given";
    const params = [
      "char *memory",
      ...[...counters, ...shareParams(sharing)].map((one) => `long ${one}`),
      ...(isGiven ? ["float *scratch"] : []),
    ];
    const values = ["memory", ...counters, ...this.shareValues(sharing)];
    const head = `KERNEL void ${name}(${params.join(", ")})`;
    this.functions.push({
      head,
      body: [`${head} {`, ...text.declarations, text.out.toString(), "}"].join("\n"),
    });
    return (scratch) => `${name}(${[...values, ...(isGiven ? [scratch] : [])].join(", ")})`;
  }

  /** What a call hands over so that a thread does its share. */
  private shareValues(sharing: Sharing): string[] {
    if (typeof sharing === "string") return shareParams(sharing);
    this.counts.add(sharing.count);
    return [`from${sharing.count}`, `to${sharing.count}`];
  }

  /** Declarations of what calls hand over: from where to where the rows of thread `part` go. */
  get rowBounds(): string[] {
    const grain = grainOf(this.target);
    return [...this.counts].map((count) => {
      const first = (part: string) => `firstRow(${count}, ${grain}, ${part}, parts)`;
      return `const long from${count} = ${first("part")}, to${count} = ${first("part + 1")};`;
    });
  }

  /** Translation units; the first ends with what calls the functions. */
  units(support: readonly string[], caller: readonly string[]): string[] {
    const beginning = [prelude(this.target.lanes), sortPrelude, this.formulas.text].join("\n");
    const length = this.functions.reduce((sum, { body }) => sum + body.length, 0);
    const count = Math.min(mostUnits, Math.max(1, Math.ceil(length / unitLength)));
    const heads = this.functions.map(({ head }) => `${head};`);
    return shares(this.functions, count).map((share, at) => {
      const bodies = share.map(({ body }) => body);
      return at === 0
        ? [beginning, ...support, ...heads, ...bodies, ...caller, ""].join("\n")
        : [beginning, ...bodies, ""].join("\n");
    });
  }
}

/** By what names a kernel's function knows which share of it a thread does. */
function shareParams(sharing: Sharing): string[] {
  if (sharing === "alone") return [];
  return sharing === "units" ? ["part", "parts"] : ["rowFrom", "rowTo"];
}

/** Functions in so many shares of about the same length. */
function shares(functions: readonly CFunction[], count: number): CFunction[][] {
  const found = Array.from({ length: count }, () => ({ length: 0, functions: [] as CFunction[] }));
  for (const one of [...functions].sort((a, b) => b.body.length - a.body.length)) {
    const least = found.reduce((best, share) => (share.length < best.length ? share : best));
    least.functions.push(one);
    least.length += one.body.length;
  }
  return found.map((share) => share.functions);
}
