// Rows become columns, in registers.
import type { Assembler } from "./assembler.js";

/** Four locals as the rows of a matrix, transposed in place. */
export function transpose(asm: Assembler, lines: readonly number[]): void {
  const [a, b, c, d] = lines;
  const [low, high] = [asm.local("v128"), asm.local("v128")];
  asm.get(a).get(b).shuffle([0, 4, 1, 5]).set(low);
  asm.get(a).get(b).shuffle([2, 6, 3, 7]).set(high);
  asm.get(c).get(d).shuffle([0, 4, 1, 5]).set(a);
  asm.get(c).get(d).shuffle([2, 6, 3, 7]).set(b);
  asm.get(high).get(b).shuffle([0, 1, 4, 5]).set(c);
  asm.get(high).get(b).shuffle([2, 3, 6, 7]).set(d);
  asm.get(low).get(a).shuffle([2, 3, 6, 7]).set(b);
  asm.get(low).get(a).shuffle([0, 1, 4, 5]).set(a);
  asm.release("v128", low).release("v128", high);
}

/** Two locals with x0 y0 x1 y1 and x2 y2 x3 y3 become x0 … x3 and y0 … y3. */
export function unzip(asm: Assembler, [a, b]: readonly number[]): void {
  const columns = asm.local("v128");
  asm.get(a).get(b).shuffle([0, 2, 4, 6]).set(columns);
  asm.get(a).get(b).shuffle([1, 3, 5, 7]).set(b);
  asm.get(columns).set(a).release("v128", columns);
}

/** The other way round. */
export function zip(asm: Assembler, [a, b]: readonly number[]): void {
  const rows = asm.local("v128");
  asm.get(a).get(b).shuffle([0, 4, 1, 5]).set(rows);
  asm.get(a).get(b).shuffle([2, 6, 3, 7]).set(b);
  asm.get(rows).set(a).release("v128", rows);
}
