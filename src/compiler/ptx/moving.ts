// Moving elements through registers, many of them under way at the same time: memory that other blocks have written takes
// its time to answer.
import { loadsFrom, type KernelText, type Reference } from "./surroundings.js";

/** Words that a thread has under way at most. */
const mostWords = 48;

/** Elements of 32 bits, or bytes, that move from one place to another, the same distance apart on both sides. */
export interface Move {
  /** How many there are. */
  readonly size: number;
  readonly bytes: 1 | 4;
  /** Whether four words at a time can be moved. */
  readonly isWide: boolean;
  /** Where an element is, at an index that is a register, and so many elements further. */
  readonly from: (index: string, further: number) => Reference;
  readonly to: (index: string, further: number) => Reference;
}

/** A piece of a move that each thread does once. */
interface Piece {
  readonly move: Move;
  /** Elements at a time, and before the first. */
  readonly width: number;
  readonly start: number;
}

/** Moves everything, shared out among the threads of the block. All moves are independent of each other. */
export function moveAll(text: KernelText, moves: readonly Move[]): void {
  const { threads, out, thread } = text;
  const pieces: Piece[] = [];
  for (const move of moves) {
    const width = move.isWide ? 4 : 1;
    const round = threads * width;
    const rounds = Math.ceil(move.size / round);
    // What would be too long to write out is done in a loop first.
    const most = Math.floor(mostWords / width);
    const looped = rounds > 2 * most ? Math.floor((rounds - 1) / most) : 0;
    if (looped > 0)
      out.loop("0", String(looped * most * round), String(most * round), (first) => {
        const index = text.sum([
          { operand: first, factor: 1 },
          { operand: thread, factor: width },
        ]).register as string;
        const whole = Array.from({ length: most }, (_, at) => at * round);
        // The last round, which may not be whole, comes behind.
        const values = whole.map((further) => load(text, move.from(index, further), move, width, null));
        whole.forEach((further, at) => store(text, move.to(index, further), move, values[at], null));
      });
    for (let at = looped * most; at < rounds; at++) pieces.push({ move, width, start: at * round });
  }
  let group: Piece[] = [];
  let words = 0;
  const flush = () => {
    if (group.length > 0) movePieces(text, group);
    [group, words] = [[], 0];
  };
  for (const piece of pieces) {
    if (words + piece.width > mostWords) flush();
    group.push(piece);
    words += piece.width;
  }
  flush();
}

function movePieces(text: KernelText, pieces: readonly Piece[]): void {
  const { out, thread, threads } = text;
  const found = pieces.map(({ move, width, start }) => {
    const index = width === 1 ? thread : out.pure("shl.b32", "b32", thread, "2");
    const isWhole = start + threads * width <= move.size;
    const condition = isWhole ? null : out.pure("setp.lt.s32", "pred", index, String(move.size - start));
    return { move, width, index, start, condition };
  });
  const values = found.map(({ move, width, index, start, condition }) =>
    load(text, move.from(index, start), move, width, condition),
  );
  found.forEach(({ move, index, start, condition }, at) =>
    store(text, move.to(index, start), move, values[at], condition),
  );
}

const only = (condition: string | null): string => (condition === null ? "" : `@${condition} `);

function load(
  { out }: KernelText,
  reference: Reference,
  { bytes }: Move,
  width: number,
  condition: string | null,
): string[] {
  const words = Array.from({ length: width }, () => out.register("b32"));
  const from = `${only(condition)}ld.${loadsFrom(reference)}`;
  if (width === 4) out.line(`${from}.v4.u32 {${words.join(", ")}}, ${reference.text};`);
  else out.line(`${from}.${bytes === 1 ? "u8" : "u32"} ${words[0]}, ${reference.text};`);
  return words;
}

function store(
  { out }: KernelText,
  { space, text }: Reference,
  { bytes }: Move,
  words: readonly string[],
  condition: string | null,
): void {
  if (words.length === 4) out.line(`${only(condition)}st.${space}.v4.u32 ${text}, {${words.join(", ")}};`);
  else out.line(`${only(condition)}st.${space}.${bytes === 1 ? "u8" : "u32"} ${text}, ${words[0]};`);
}
