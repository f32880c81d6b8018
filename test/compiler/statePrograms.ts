// Random programs of nested loops and branches whose states are all arrays of one type, so that every turn may
// exchange them, pass them on, or overwrite one while another still needs it.
import fc from "fast-check";
import { lax, np, type Array } from "vibe-rl/array";

export interface StateInstruction {
  readonly op: keyof typeof operations | "scan" | "while" | "cond";
  /** Which values it takes, counted from the last. */
  readonly a: number;
  readonly b: number;
  /** How many parts the state of a loop has, and which way they go from turn to turn. */
  readonly parts: number;
  readonly shift: number;
  readonly turns: number;
  readonly bodies: readonly (readonly StateInstruction[])[];
}

const size = 9;

/** Small whole numbers, which floats hold exactly. */
const bounded = (x: Array): Array => x.clip(-9, 9);

/** Arrays to an array of the same type; `i` is the number of the turn of the loop around. */
const operations = {
  sum: (a: Array, b: Array) => bounded(a.add(b)),
  difference: (a: Array, b: Array) => bounded(a.sub(b)),
  larger: (a: Array, b: Array) => np.maximum(a, b),
  chosen: (a: Array, b: Array) => np.where(a.greater(b), np.flip(a), b),
  reversed: (a: Array) => np.flip(a),
  rolled: (a: Array) => np.roll(a, 1, 0),
  neighbours: (a: Array, b: Array) =>
    bounded(np.pad(a.slice("1:"), [[0, 1]]).add(np.pad(b.slice(":-1"), [[1, 0]]))),
  set: (a: Array, b: Array, i: Array) => a.at(i.mod(size)).set(b.slice(i.add(1).mod(size))),
  added: (a: Array, b: Array, i: Array) => bounded(a.at(i.mod(size)).add(b.max())),
  replaced: (a: Array, b: Array, i: Array) => lax.dynamicUpdateSlice(a, b.slice("2:6"), [i]),
  gathered: (a: Array, b: Array) => a.slice(b.astype("int32")),
  scattered: (a: Array, b: Array) => bounded(a.at(b.astype("int32")).add(1)),
  sorted: (a: Array) => np.sort(a),
  accumulated: (a: Array) => bounded(np.cumsum(a)),
  centred: (a: Array, b: Array) => bounded(a.sub(b.max())),
  product: (a: Array, b: Array) => bounded(np.matmul(np.outer(a, b), a)),
  counted: (a: Array, _: Array, i: Array) => bounded(a.add(i)),
  constant: () => np.ones([size]),
};

/** Runs instructions; the result is all values. */
function run(instructions: readonly StateInstruction[], values: readonly Array[], i: Array): Array[] {
  const all = [...values];
  const last = (at: number): Array => all[all.length - 1 - (at % all.length)];
  for (const instruction of instructions) {
    const { op, a, b, parts, shift, turns, bodies } = instruction;
    const start = globalThis.Array.from({ length: parts }, (_, part) => last(a + part * b));
    /** The state after a turn: what the body has computed last, moved on by some places. */
    const next = (body: number, state: readonly Array[], turn: Array): Array[] => {
      const computed = run(bodies[body] ?? [], [...all, ...state], turn);
      return state.map((_, part) => computed[computed.length - 1 - ((part + shift) % Math.max(1, parts))]);
    };
    if (op === "scan") {
      const [end, rows] = lax.scan(
        (state: Array[], turn: Array) => [next(0, state, turn), state[0]],
        start,
        np.arange(turns),
        { reverse: shift % 2 === 1 },
      );
      all.push(...end, bounded(rows.sum(0)));
    } else if (op === "while") {
      const { state } = lax.whileLoop(
        ({ turn, state: now }) => turn.less(turns).and(now[0].sum().less(60)),
        ({ turn, state: now }) => ({ turn: turn.add(1), state: next(0, now, turn) }),
        { turn: np.int32(0), state: start },
      );
      all.push(...state);
    } else if (op === "cond") {
      const branch = (body: number) => (state: Array[]) => next(body, state, i);
      all.push(...lax.cond(last(b).sum().add(i).greater(0), branch(0), branch(1), start));
    } else all.push(operations[op](last(a), last(b), i));
  }
  return all;
}

/** The function of three arrays that instructions stand for: their last values. */
export const toStateFunction =
  (instructions: readonly StateInstruction[]) =>
  (...inputs: Array[]): Array[] =>
    run(instructions, inputs, np.int32(2)).slice(-4);

/** Three arrays of small whole numbers. */
export const stateArguments = (seed: number): Array[] =>
  [0, 1, 2].map((part) =>
    np.array(Float32Array.from({ length: size }, (_, at) => ((at * 7 + seed * 5 + part * 3) % 11) - 5)),
  );

/** Random lists of instructions. */
export function statePrograms(): fc.Arbitrary<readonly StateInstruction[]> {
  const plain = Object.keys(operations) as (keyof typeof operations)[];
  const numbers = {
    a: fc.nat(5),
    b: fc.nat(5),
    parts: fc.integer({ min: 1, max: 3 }),
    shift: fc.nat(3),
    turns: fc.nat(4),
  };
  const nested = (depth: number): fc.Arbitrary<StateInstruction> => {
    const simple = fc.record({ op: fc.constantFrom(...plain), ...numbers, bodies: fc.constant([]) });
    if (depth === 0) return simple;
    const bodies = fc.array(fc.array(nested(depth - 1), { maxLength: 5 }), { minLength: 2, maxLength: 2 });
    const compound = fc.record({ op: fc.constantFrom("scan", "while", "cond"), ...numbers, bodies });
    return fc.oneof({ arbitrary: simple, weight: 3 }, { arbitrary: compound, weight: 1 });
  };
  return fc.array(nested(3), { minLength: 1, maxLength: 8 });
}
