// Sorting: stable, by pairs of a key's bits and the element's position. Short lanes are sorted by insertion, others
// digit by digit, the lowest first (radix sort), which is the same work for every order of the input.
import type { Place, SortKernel } from "../kernel.js";
import { bitsOf, digitBits, shortLane } from "../schedule/sorting.js";
import type { Assembler } from "./assembler.js";
import { addCounters, itemBytes, type Surroundings } from "./pointers.js";

export function renderSort(asm: Assembler, kernel: SortKernel, surroundings: Surroundings): void {
  new SortRenderer(asm, kernel, surroundings).render();
}

class SortRenderer {
  /** Addresses of the two lists of pairs; a pair is a position with the key's bits above it. */
  private readonly pairs: readonly [number, number];
  private readonly tables: number;
  private readonly digit: number;
  /** The first element of the current lane, as a number of elements. */
  private readonly lane: number;
  /** Which list of pairs has the order found so far. */
  private current: 0 | 1 = 0;

  constructor(
    private readonly asm: Assembler,
    private readonly kernel: SortKernel,
    private readonly surroundings: Surroundings,
  ) {
    const base = surroundings.scratchOf(kernel);
    this.pairs = [base, base + kernel.length * 8];
    this.tables = base + kernel.length * 16;
    this.digit = digitBits(kernel.length);
    this.lane = asm.local("i32");
  }

  render(): void {
    const { lanes, stride, outer } = this.kernel;
    const { asm } = this;
    this.count(lanes, (index) => {
      asm.get(index).i32(stride).op("i32.div_u").i32(outer).op("i32.mul");
      asm.get(index).i32(stride).op("i32.rem_u").op("i32.add").set(this.lane);
      this.sortLane();
    });
  }

  /** Code for every number from 0 below `end`, in a local. */
  private count(end: number, body: (index: number) => void): void {
    const { asm } = this;
    const index = asm.local("i32");
    asm.i32(0).set(index);
    asm.loop((again) => {
      body(index);
      asm.get(index).i32(1).op("i32.add").tee(index).i32(end).op("i32.lt_u");
      again();
    });
    asm.release("i32", index);
  }

  private sortLane(): void {
    const { keys, length } = this.kernel;
    if (keys.length === 1 && length <= shortLane) {
      this.sortByInsertion(keys[0]);
      return;
    }
    // By the last key first.
    for (let key = keys.length - 1; key >= 0; key--)
      this.sortByDigits(keys[key], key === keys.length - 1, key === 0);
  }

  // ---- elements ---------------------------------------------------------------------------------------

  /** Pushes the address of an element of a lane, given its number on the stack. */
  private elementAddress({ buffer, offset, counters }: Place): void {
    const { asm } = this;
    const item = itemBytes(buffer);
    if (this.kernel.stride !== 1) asm.i32(this.kernel.stride).op("i32.mul");
    asm.get(this.lane).op("i32.add");
    if (item !== 1) asm.i32(item).op("i32.mul");
    asm.i32(this.surroundings.addressOf(buffer) + offset * item).op("i32.add");
    addCounters(asm, { buffer, counters }, this.surroundings);
  }

  /** Pushes the bits of a key, ordered as unsigned integers like the values they stand for. */
  private pushKey(key: Place, position: number): void {
    const { asm } = this;
    const { dtype } = key.buffer;
    asm.get(position);
    this.elementAddress(key);
    asm.op(itemBytes(key.buffer) === 1 ? "i32.load8_u" : "i32.load");
    if (dtype === "int32") asm.i32(-0x80000000).op("i32.xor");
    if (dtype !== "float32") return;
    const [bits, value] = [asm.local("i32"), asm.local("f32")];
    // Adding zero makes -0 the same as 0.
    asm.op("f32.reinterpret_i32").op("f32.const", 0).op("f32.add").tee(value);
    asm.op("i32.reinterpret_f32").set(bits);
    // NaN is larger than everything; negative numbers are ordered the other way round.
    asm.get(bits).get(bits).i32(31).op("i32.shr_s").i32(-0x80000000).op("i32.or").op("i32.xor");
    asm.i32(-1).get(value).get(value).op("f32.eq").op("select");
    asm.release("i32", bits).release("f32", value);
  }

  /** Turns the bits of a key on the stack into its pair with a position. */
  private pair(position: number): void {
    this.asm.op("i64.extend_i32_u").op("i64.const", 32).op("i64.shl");
    this.asm.get(position).op("i64.extend_i32_u").op("i64.or");
  }

  /** Puts the elements at one position into another, in every array that is asked for. */
  private move(from: number, to: number): void {
    const { asm } = this;
    for (const value of this.kernel.values) {
      const isByte = itemBytes(value.to.buffer) === 1;
      asm.get(to);
      this.elementAddress(value.to);
      asm.get(from);
      if (value.from !== null) {
        this.elementAddress(value.from);
        asm.op(isByte ? "i32.load8_u" : "i32.load");
      }
      asm.op(isByte ? "i32.store8" : "i32.store");
    }
  }

  // ---- short lanes ------------------------------------------------------------------------------------

  private sortByInsertion(key: Place): void {
    const { asm } = this;
    const { length } = this.kernel;
    const [place, from] = [asm.local("i32"), asm.local("i32")];
    const [inserted, other] = [asm.local("i64"), asm.local("i64")];
    const [list] = this.pairs;
    this.count(length, (index) => {
      this.pushKey(key, index);
      this.pair(index);
      asm.set(inserted);
      asm.get(index).i32(3).op("i32.shl").set(place);
      // Larger ones move up, from the place before downwards.
      asm.block((leave) => {
        asm.loop((again) => {
          asm.get(place).op("i32.eqz");
          leave();
          asm.get(place).i32(8).op("i32.sub").op("i64.load", list).tee(other);
          asm.get(inserted).op("i64.le_u");
          leave();
          asm.get(place).get(other).op("i64.store", list);
          asm.get(place).i32(8).op("i32.sub").set(place);
          asm.i32(1);
          again();
        });
      });
      asm.get(place).get(inserted).op("i64.store", list);
    });
    this.count(length, (index) => {
      asm.get(index).i32(3).op("i32.shl").op("i32.load", list).set(from);
      this.move(from, index);
    });
    asm.release("i32", place).release("i32", from).release("i64", inserted).release("i64", other);
  }

  // ---- digit by digit ---------------------------------------------------------------------------------

  private sortByDigits(key: Place, isFirst: boolean, isLast: boolean): void {
    const passes = Math.ceil(bitsOf(key.buffer.dtype) / this.digit);
    this.countDigits(key, passes);
    const [position, target] = [this.asm.local("i32"), this.asm.local("i32")];
    const pair = this.asm.local("i64");
    for (let pass = 0; pass < passes; pass++) {
      this.count(this.kernel.length, (index) =>
        this.pass(
          { key, pass, index, position, target, pair },
          { isFresh: pass === 0, hasOrder: !isFirst, isFinal: isLast && pass === passes - 1 },
        ),
      );
      this.current = this.current === 0 ? 1 : 0;
    }
    this.asm.release("i32", position).release("i32", target).release("i64", pair);
  }

  /** Pushes where a table has the digit of a pass, of a key on the stack. */
  private digitSlot(pass: number): void {
    const { asm, digit } = this;
    if (pass > 0) asm.i32(pass * digit).op("i32.shr_u");
    asm
      .i32(2 ** digit - 1)
      .op("i32.and")
      .i32(2)
      .op("i32.shl");
  }

  private tableOf(pass: number): number {
    return this.tables + pass * 2 ** this.digit * 4;
  }

  /** Counts how often each digit occurs at each place, and from that where the first of each belongs. */
  private countDigits(key: Place, passes: number): void {
    const { asm } = this;
    const size = 2 ** this.digit;
    const [bits, slot, sum] = [asm.local("i32"), asm.local("i32"), asm.local("i32")];
    asm
      .i32(this.tables)
      .i32(0)
      .i32(passes * size * 4);
    asm.op("memory.fill");
    this.count(this.kernel.length, (index) => {
      this.pushKey(key, index);
      asm.set(bits);
      for (let pass = 0; pass < passes; pass++) {
        asm.get(bits);
        this.digitSlot(pass);
        asm.tee(slot).get(slot).op("i32.load", this.tableOf(pass)).i32(1).op("i32.add");
        asm.op("i32.store", this.tableOf(pass));
      }
    });
    for (let pass = 0; pass < passes; pass++) {
      asm.i32(0).set(sum);
      this.count(size, (digit) => {
        asm.get(digit).i32(2).op("i32.shl").tee(slot).op("i32.load", this.tableOf(pass)).set(bits);
        asm.get(slot).get(sum).op("i32.store", this.tableOf(pass));
        asm.get(sum).get(bits).op("i32.add").set(sum);
      });
    }
    asm.release("i32", bits).release("i32", slot).release("i32", sum);
  }

  /** One element's way to where its digit belongs. */
  private pass(
    locals: {
      readonly key: Place;
      readonly pass: number;
      readonly index: number;
      readonly position: number;
      readonly target: number;
      readonly pair: number;
    },
    { isFresh, hasOrder, isFinal }: { isFresh: boolean; hasOrder: boolean; isFinal: boolean },
  ): void {
    const { asm } = this;
    const { key, pass, index, position, target, pair } = locals;
    const [from, to] = this.current === 0 ? this.pairs : [this.pairs[1], this.pairs[0]];
    // The first pass makes the pairs, in the order of the keys before.
    if (isFresh) {
      if (hasOrder) asm.get(index).i32(3).op("i32.shl").op("i32.load", from).set(position);
      else asm.get(index).set(position);
      this.pushKey(key, position);
      asm.tee(target);
      this.pair(position);
      asm.set(pair).get(target);
    } else {
      asm.get(index).i32(3).op("i32.shl").op("i64.load", from).tee(pair);
      asm.op("i64.const", 32).op("i64.shr_u").op("i32.wrap_i64");
    }
    const slot = asm.local("i32");
    this.digitSlot(pass);
    asm.tee(slot).op("i32.load", this.tableOf(pass)).set(target);
    asm.get(slot).get(target).i32(1).op("i32.add").op("i32.store", this.tableOf(pass));
    asm.release("i32", slot);
    if (!isFinal) {
      asm.get(target).i32(3).op("i32.shl").get(pair).op("i64.store", to);
      return;
    }
    asm.get(pair).op("i32.wrap_i64").set(position);
    this.move(position, target);
  }
}
