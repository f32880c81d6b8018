// What loops have in registers: what works in them read each time, and nothing in them changes.
import type { Place, StepOf } from "../kernel.js";
import { accessesOf } from "../plan/accesses.js";
import { kernelsIn } from "../walk.js";
import { worksIn, type Action, type WorkAction } from "./actions.js";
import { registerLimit } from "./dot/layout.js";
import type { KernelText } from "./surroundings.js";
import type { Held, Steady } from "./work.js";

/**
 * The share of the registers that may be taken by what is the same in all turns of a loop, and the one that is left for
 * everything besides that and what works take. (measured: with more, the assembler runs out of them, and tries for seconds)
 */
const [heldShare, otherShare] = [1 / 4, 1 / 5];

export class Holding {
  /** What is in registers in the loops that are being written. */
  readonly held = new Map<Steady, Held>();
  /** Registers that it takes. */
  private taken = 0;

  constructor(
    private readonly threads: number,
    private readonly textFor: (action: WorkAction) => KernelText,
  ) {}

  /** Reads what a loop is to have in registers, as far as there are enough of them, until what is returned is called. */
  begin(step: StepOf<"loop">, body: readonly Action[]): () => void {
    const accesses = kernelsIn([step]).flatMap((kernel) => accessesOf(kernel));
    const changed = new Set(accesses.flatMap(({ kind, buffer }) => (kind === "write" ? [buffer] : [])));
    const isSame = ({ buffer, counters }: Place) =>
      !changed.has(buffer) && counters.every(({ counter }) => counter.id !== step.counter.id);
    const known = new Map<string, Held>();
    const before = this.taken;
    const limit = registerLimit(this.threads);
    const inWorks = Math.max(0, ...worksIn(body).map(({ work }) => work.registers ?? 0));
    const most = Math.min(heldShare * limit, (1 - otherShare) * limit - inWorks);
    const found: Steady[] = [];
    for (const action of body) {
      if (action.kind !== "work") continue;
      for (const steady of action.work.steady ?? []) {
        const { place, words, load } = steady;
        const key = `${action.first} ${steady.key}`;
        if (!isSame(place) || (this.taken + words > most && !known.has(key))) continue;
        if (!known.has(key)) {
          known.set(key, load(this.textFor(action)));
          this.taken += words;
        }
        this.held.set(steady, known.get(key) as Held);
        found.push(steady);
      }
    }
    return () => {
      this.taken = before;
      found.forEach((steady) => this.held.delete(steady));
    };
  }
}
