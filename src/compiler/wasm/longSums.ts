// Long sums: blocks and their totals.
import { cutOf, type Regime } from "../schedule/sums.js";
import type { Assembler } from "./assembler.js";

/** Runs code again and again: the loop of that number, as many iterations as it has. */
export type Repeat = (loop: number, body: () => void) => void;

/**
 * Runs code that adds to sums in locals, over nested loops with so many iterations each, from the outermost inwards.
 * It must write its loops by the function it is handed.
 */
export function sumOver(
  asm: Assembler,
  sums: readonly number[],
  iterations: readonly number[],
  regimes: readonly Regime[],
  add: (repeat: Repeat) => void,
): void {
  const cut = sums.length === 0 ? null : cutOf(iterations, regimes);
  if (cut === null) {
    add((loop, body) => asm.repeat(iterations[loop], body));
    return;
  }
  const totals = sums.map((sum) =>
    cut.isCompensated ? new CompensatedTotal(asm, sum) : new Total(asm, sum),
  );
  const endBlock = () => totals.forEach((total) => total.takeIn());
  add((loop, body) => {
    const count = iterations[loop];
    if (loop !== cut.loop) {
      asm.repeat(count, body);
      return;
    }
    asm.repeat(Math.floor(count / cut.iterations), () => {
      asm.repeat(cut.iterations, body);
      endBlock();
    });
    asm.repeat(count % cut.iterations, body);
    if (count % cut.iterations > 0) endBlock();
  });
  endBlock();
  totals.forEach((total) => total.finish());
}

/** The total of blocks whose sums come in a local. */
class Total {
  protected readonly total: number;

  constructor(
    protected readonly asm: Assembler,
    protected readonly sum: number,
  ) {
    this.total = asm.local("v128");
    asm.vector(zero).set(this.total);
  }

  /** Takes in a block's sum, which starts again from zero. */
  takeIn(): void {
    const { asm, sum, total } = this;
    asm.run`${total} ${sum} f32x4.add = ${total}`.vector(zero).set(sum);
  }

  /** Puts the total where the sum was. */
  finish(): void {
    this.asm.get(this.total).set(this.sum).release("v128", this.total);
  }
}

/** A total that knows by how much it is too large. */
class CompensatedTotal extends Total {
  private readonly excess: number;

  constructor(asm: Assembler, sum: number) {
    super(asm, sum);
    this.excess = asm.local("v128");
    asm.vector(zero).set(this.excess);
  }

  override takeIn(): void {
    const { asm, sum, total, excess } = this;
    asm.withLocals(1, (next) => {
      asm.run`${sum} ${excess} f32x4.sub = ${sum} ${total} ${sum} f32x4.add = ${next}`;
      asm.run`${next} ${total} f32x4.sub ${sum} f32x4.sub = ${excess}`;
      // Infinity minus itself is no excess.
      asm.run`${excess} ${excess} ${excess} f32x4.eq v128.and = ${excess} ${next} = ${total}`;
      asm.vector(zero).set(sum);
    });
  }

  override finish(): void {
    super.finish();
    this.asm.release("v128", this.excess);
  }
}

const zero = [0, 0, 0, 0] as const;
