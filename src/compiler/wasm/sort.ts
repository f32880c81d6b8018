// Sorting by bytes, lowest first (radix sort): stable, and the same work for every order of the input.
import type { DType } from "../../array/index.js";
import type { Place, SortKernel } from "../kernel.js";
import type { Assembler } from "./assembler.js";
import { itemBytes, type Surroundings } from "./pointers.js";

const buckets = 256;
const passes = 4;
const tableBytes = buckets * 4;

/** Words of working memory: keys and positions twice, and a table per pass. */
export const sortScratch = (length: number): number => 4 * length + passes * buckets;

export function renderSort(asm: Assembler, kernel: SortKernel, surroundings: Surroundings): void {
  new SortRenderer(asm, kernel, surroundings).render();
}

class SortRenderer {
  /** Addresses in the working memory; positions and keys change places after every pass. */
  private readonly keys: readonly [number, number];
  private readonly order: readonly [number, number];
  private readonly tables: number;
  /** The first element of the current lane, as a number of elements. */
  private readonly lane: number;

  constructor(
    private readonly asm: Assembler,
    private readonly kernel: SortKernel,
    private readonly surroundings: Surroundings,
  ) {
    const base = surroundings.addressOf(kernel.scratch);
    const array = (index: number) => base + index * kernel.length * 4;
    this.keys = [array(0), array(1)];
    this.order = [array(2), array(3)];
    this.tables = array(4);
    this.lane = asm.local("i32");
  }

  render(): void {
    const { asm, kernel } = this;
    const { lanes, stride, outer } = kernel;
    const index = asm.local("i32");
    asm.i32(0).set(index);
    asm.loop((again) => {
      asm.get(index).i32(stride).op("i32.div_u").i32(outer).op("i32.mul");
      asm.get(index).i32(stride).op("i32.rem_u").op("i32.add").set(this.lane);
      this.sortLane();
      asm.get(index).i32(1).op("i32.add").tee(index).i32(lanes).op("i32.lt_u");
      again();
    });
    asm.release("i32", index);
  }

  /** Runs code for i = 0, 4, 8, … up to 4 · length: the byte offsets of the working arrays. */
  private each(body: (offset: number) => void): void {
    const { asm } = this;
    const offset = asm.local("i32");
    asm.i32(0).set(offset);
    asm.loop((again) => {
      body(offset);
      asm
        .get(offset)
        .i32(4)
        .op("i32.add")
        .tee(offset)
        .i32(this.kernel.length * 4)
        .op("i32.lt_u");
      again();
    });
    asm.release("i32", offset);
  }

  /** Pushes the address of an element of an operand, given its number within the lane on the stack. */
  private elementAddress({ buffer, offset, counters }: Place): void {
    const { asm } = this;
    const item = itemBytes(buffer);
    if (this.kernel.stride !== 1) asm.i32(this.kernel.stride).op("i32.mul");
    asm.get(this.lane).op("i32.add");
    if (item !== 1) asm.i32(item).op("i32.mul");
    asm.i32(this.surroundings.addressOf(buffer) + offset * item).op("i32.add");
    for (const { counter, stride } of counters) {
      asm
        .get(this.surroundings.counterLocal(counter))
        .i32(stride * item)
        .op("i32.mul")
        .op("i32.add");
    }
  }

  private sortLane(): void {
    const { asm, kernel } = this;
    // Positions to begin with.
    this.each((offset) => asm.get(offset).get(offset).i32(2).op("i32.shr_u").op("i32.store", this.order[0]));
    for (let key = kernel.keys - 1; key >= 0; key--) this.sortBy(kernel.operands[key]);
    for (const operand of kernel.operands) this.reorder(operand);
  }

  /** Sorts the positions by one key. The four passes bring them back to where they were. */
  private sortBy(operand: Place): void {
    const { asm } = this;
    const { dtype } = operand.buffer;
    this.each((offset) => {
      asm.get(offset).get(offset).op("i32.load", this.order[0]);
      this.elementAddress(operand);
      asm.op(itemBytes(operand.buffer) === 1 ? "i32.load8_u" : "i32.load");
      this.sortable(dtype);
      asm.op("i32.store", this.keys[0]);
    });
    this.countBytes();
    for (let pass = 0; pass < passes; pass++) this.pass(pass);
  }

  /** Bits that are ordered as unsigned integers like the values they stand for. */
  private sortable(dtype: DType): void {
    const { asm } = this;
    if (dtype === "int32") asm.i32(-0x80000000).op("i32.xor");
    if (dtype !== "float32") return;
    const [bits, value] = [asm.local("i32"), asm.local("f32")];
    // Adding zero makes -0 the same as 0.
    asm
      .op("f32.reinterpret_i32")
      .op("f32.const", 0)
      .op("f32.add")
      .tee(value)
      .op("i32.reinterpret_f32")
      .set(bits);
    // NaN is larger than everything; negative numbers are ordered the other way round.
    asm.get(bits).get(bits).i32(31).op("i32.shr_s").i32(-0x80000000).op("i32.or").op("i32.xor");
    asm.i32(-1).get(value).get(value).op("f32.eq").op("select");
    asm.release("i32", bits).release("f32", value);
  }

  /** Counts how often each byte occurs at each of the four places. */
  private countBytes(): void {
    const { asm } = this;
    const [key, slot] = [asm.local("i32"), asm.local("i32")];
    asm
      .i32(this.tables)
      .i32(0)
      .i32(passes * tableBytes)
      .op("memory.fill");
    this.each((offset) => {
      asm.get(offset).op("i32.load", this.keys[0]).set(key);
      for (let pass = 0; pass < passes; pass++) {
        this.pushSlot(key, pass);
        asm
          .tee(slot)
          .get(slot)
          .op("i32.load", this.tables + pass * tableBytes)
          .i32(1)
          .op("i32.add");
        asm.op("i32.store", this.tables + pass * tableBytes);
      }
    });
    asm.release("i32", key).release("i32", slot);
  }

  /** Pushes the offset in a table of the byte that a pass sorts by. */
  private pushSlot(key: number, pass: number): void {
    this.asm
      .get(key)
      .i32(pass * 8)
      .op("i32.shr_u")
      .i32(0xff)
      .op("i32.and")
      .i32(2)
      .op("i32.shl");
  }

  /** Moves keys and positions to where their byte belongs. */
  private pass(pass: number): void {
    const { asm } = this;
    const [from, to] = pass % 2 === 0 ? [0, 1] : [1, 0];
    const table = this.tables + pass * tableBytes;
    // Counts become the first place of each byte, as byte offsets.
    const [slot, sum, count] = [asm.local("i32"), asm.local("i32"), asm.local("i32")];
    asm.i32(0).set(slot).i32(0).set(sum);
    asm.loop((again) => {
      asm.get(slot).op("i32.load", table).set(count);
      asm.get(slot).get(sum).op("i32.store", table);
      asm.get(sum).get(count).i32(2).op("i32.shl").op("i32.add").set(sum);
      asm.get(slot).i32(4).op("i32.add").tee(slot).i32(tableBytes).op("i32.lt_u");
      again();
    });
    const key = sum;
    const target = count;
    this.each((offset) => {
      asm.get(offset).op("i32.load", this.keys[from]).set(key);
      this.pushSlot(key, pass);
      asm.tee(slot).op("i32.load", table).set(target);
      asm.get(slot).get(target).i32(4).op("i32.add").op("i32.store", table);
      asm.get(target).get(key).op("i32.store", this.keys[to]);
      asm.get(target).get(offset).op("i32.load", this.order[from]).op("i32.store", this.order[to]);
    });
    [slot, sum, count].forEach((local) => asm.release("i32", local));
  }

  /** Puts an operand's elements into the order found. */
  private reorder(operand: Place): void {
    const { asm } = this;
    const isByte = itemBytes(operand.buffer) === 1;
    const load = isByte ? "i32.load8_u" : "i32.load";
    this.each((offset) => {
      asm.get(offset).get(offset).op("i32.load", this.order[0]);
      this.elementAddress(operand);
      asm.op(load).op("i32.store", this.keys[0]);
    });
    this.each((offset) => {
      asm.get(offset).i32(2).op("i32.shr_u");
      this.elementAddress(operand);
      asm
        .get(offset)
        .op("i32.load", this.keys[0])
        .op(isByte ? "i32.store8" : "i32.store");
    });
  }
}
