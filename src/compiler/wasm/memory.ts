// Loads and stores of vectors: in order, spread out, backwards, the same for all lanes, or anywhere.
import type { Address, Combine, Expression, Store } from "../kernel.js";
import type { Assembler } from "./assembler.js";
import type { Operands } from "./operations.js";
import type { Opcode } from "./opcodes.js";
import { itemBytes, pushPointer, type Access, type Pointers } from "./pointers.js";
import type { Neighbours } from "./strided.js";
import { transpose, unzip, zip } from "./transpose.js";

export class MemoryAccess {
  constructor(
    private readonly asm: Assembler,
    private readonly pointers: Pointers,
    /** The axis that vectors run along, if any. */
    private readonly vectorAxis: number | null,
    private readonly operands: Operands,
  ) {}

  /** Elements between neighbouring lanes. */
  strideOf({ strides }: Address): number {
    return this.vectorAxis === null ? 0 : (strides[this.vectorAxis] ?? 0);
  }

  /** Whether a group of neighbours can be loaded or stored by rows. */
  isByRows([first]: Neighbours<{ readonly address: Address }>): boolean {
    return !this.isScattered(first.address);
  }

  /** Locals with the columns of a group, four rows of them. */
  loadRows(group: Neighbours<{ readonly address: Address }>): number[] {
    const { asm } = this;
    const [{ address }] = group;
    const access = this.prepare(address);
    const rows = this.rowStarts(group).map((lane) => {
      const row = asm.local("v128");
      asm.op("v128.load", this.pushAddress(address, access, lane)).set(row);
      return row;
    });
    if (group.length === 4) transpose(asm, rows);
    else unzip(asm, rows);
    return rows;
  }

  /** Stores the columns of a group from locals, four rows of them. */
  storeRows(group: Neighbours<{ readonly address: Address }>, columns: readonly number[]): void {
    const { asm } = this;
    const [{ address }] = group;
    const access = this.prepare(address);
    const rows = columns.map((column) => {
      const row = asm.local("v128");
      asm.get(column).set(row);
      return row;
    });
    if (group.length === 4) transpose(asm, rows);
    else zip(asm, rows);
    this.rowStarts(group).forEach((lane, at) => {
      const offset = this.pushAddress(address, access, lane);
      asm.get(rows[at]).op("v128.store", offset).release("v128", rows[at]);
    });
  }

  /** The lanes at which the vectors of a group's rows begin. */
  private rowStarts(group: Neighbours<unknown>): readonly number[] {
    return group.length === 4 ? [0, 1, 2, 3] : [0, 2];
  }

  /** Computed indices that differ between lanes. */
  private isScattered({ computed }: Address): boolean {
    return computed.some(({ index }) => !this.operands.isUniform(index));
  }

  /** Pushes the address of a lane; what is constant comes back as an offset for the instruction. */
  private pushAddress(address: Address, access: Access, lane: number): number {
    const { asm } = this;
    const item = itemBytes(address.buffer);
    const step = lane * this.strideOf(address) * item;
    pushPointer(asm, access);
    for (const { index, stride } of address.computed) {
      asm.get(this.operands.local(index)).op("i32x4.extract_lane", this.operands.isUniform(index) ? 0 : lane);
      if (stride * item !== 1) asm.i32(stride * item).op("i32.mul");
      asm.op("i32.add");
    }
    const offset = access.offset + step;
    // The instruction's own offset cannot be negative, nor can what it is added to.
    if (offset >= 0 && address.computed.every(({ stride }) => stride >= 0)) return offset;
    asm.i32(offset).op("i32.add");
    return 0;
  }

  /** Computes the operands of an address that are not in locals yet, so that the stack stays in order. */
  private prepare(address: Address): Access {
    for (const { index } of address.computed) this.operands.local(index);
    return this.pointers.access(address);
  }

  // ---- loads ------------------------------------------------------------------------------------------

  /** Pushes the elements of as many lanes as count. */
  load(address: Address, lanes: number): void {
    const access = this.prepare(address);
    const isByte = itemBytes(address.buffer) === 1;
    if (isByte) this.loadBytes(address, access, lanes);
    else this.loadWords(address, access, lanes);
    if (address.buffer.dtype === "bool") this.asm.i32x4(0).op("i32x4.ne");
  }

  private loadWords(address: Address, access: Access, lanes: number): void {
    const { asm } = this;
    const stride = this.strideOf(address);
    const isScattered = this.isScattered(address);
    if (!isScattered && (stride === 0 || lanes === 1)) {
      asm.op("v128.load32_splat", this.pushAddress(address, access, 0));
    } else if (!isScattered && stride === 1) {
      asm.op("v128.load", this.pushAddress(address, access, 0));
    } else if (!isScattered && stride === -1 && lanes === 4) {
      const offset = this.pushAddress(address, access, 3);
      asm.op("v128.load", offset);
      this.reverse();
    } else {
      const vector = asm.local("v128");
      asm.op("v128.load32_zero", this.pushAddress(address, access, 0)).set(vector);
      for (let lane = 1; lane < lanes; lane++) {
        const offset = this.pushAddress(address, access, lane);
        asm.get(vector).op("v128.load32_lane", offset, lane).set(vector);
      }
      asm.get(vector).release("v128", vector);
    }
  }

  private reverse(): void {
    const vector = this.asm.local("v128");
    this.asm.tee(vector).get(vector).shuffle([3, 2, 1, 0]).release("v128", vector);
  }

  private loadBytes(address: Address, access: Access, lanes: number): void {
    const { asm } = this;
    const stride = this.strideOf(address);
    const isScattered = this.isScattered(address);
    if (!isScattered && (stride === 0 || lanes === 1)) {
      asm.op("i32.load8_u", this.pushAddress(address, access, 0)).op("i32x4.splat");
    } else if (!isScattered && stride === 1) {
      asm.op("v128.load32_zero", this.pushAddress(address, access, 0));
      asm.op("i16x8.extend_low_i8x16_u").op("i32x4.extend_low_i16x8_u");
    } else {
      const vector = asm.local("v128");
      asm
        .op("i32.load8_u", this.pushAddress(address, access, 0))
        .op("i32x4.splat")
        .set(vector);
      for (let lane = 1; lane < lanes; lane++) {
        asm.get(vector);
        asm
          .op("i32.load8_u", this.pushAddress(address, access, lane))
          .op("i32x4.replace_lane", lane)
          .set(vector);
      }
      asm.get(vector).release("v128", vector);
    }
  }

  // ---- stores -----------------------------------------------------------------------------------------

  store(store: Store, lanes: number): void {
    const { address, value, combine, guard } = store;
    const access = this.prepare(address);
    const meet = combine !== "set" && lanes > 1 && this.strideOf(address) === 0;
    if (meet || this.isScattered(address) || (guard !== null && !this.operands.isUniform(guard))) {
      this.storeOneByOne(store, access, lanes);
      return;
    }
    const write = () => {
      if (combine === "set") this.storeValue(address, access, lanes, value);
      else {
        this.load(address, lanes);
        this.operands.push(value);
        this.asm.op(combineVectors(combine, address.buffer.dtype));
        const met = this.asm.local("v128");
        this.asm.set(met);
        this.storeLocal(address, access, lanes, met);
        this.asm.release("v128", met);
      }
    };
    if (guard === null) write();
    else {
      // What the branch needs must be known before it.
      this.operands.local(value);
      this.asm.get(this.operands.local(guard)).op("i32x4.extract_lane", 0).branch(write);
    }
  }

  private storeValue(address: Address, access: Access, lanes: number, value: Expression): void {
    const isOneInstruction = lanes === 4 && this.strideOf(address) === 1 && itemBytes(address.buffer) === 4;
    if (!isOneInstruction) {
      this.storeLocal(address, access, lanes, this.operands.local(value));
      return;
    }
    const offset = this.pushAddress(address, access, 0);
    this.operands.push(value);
    this.asm.op("v128.store", offset);
  }

  private storeLocal(address: Address, access: Access, lanes: number, value: number): void {
    const { asm } = this;
    const isByte = itemBytes(address.buffer) === 1;
    const isBool = address.buffer.dtype === "bool";
    const inOrder = lanes === 4 && this.strideOf(address) === 1;
    if (inOrder && !isByte) {
      const offset = this.pushAddress(address, access, 0);
      asm.get(value).op("v128.store", offset);
      return;
    }
    let source = value;
    const bits = asm.local("v128");
    if (isBool) {
      asm.get(value).i32x4(1).op("v128.and").set(bits);
      source = bits;
    }
    if (inOrder) {
      const packed = asm.local("v128");
      asm.get(source).get(source).packBytes().set(packed);
      const offset = this.pushAddress(address, access, 0);
      asm.get(packed).op("v128.store32_lane", offset, 0).release("v128", packed);
    } else {
      for (let lane = 0; lane < lanes; lane++) {
        const offset = this.pushAddress(address, access, lane);
        asm
          .get(source)
          .op(isByte ? "v128.store8_lane" : "v128.store32_lane", offset, isByte ? lane * 4 : lane);
      }
    }
    asm.release("v128", bits);
  }

  /** Stores lane after lane, each where it wants to go. */
  private storeOneByOne({ address, value, combine, guard }: Store, access: Access, lanes: number): void {
    const { asm } = this;
    const { dtype } = address.buffer;
    const values = this.operands.local(value);
    const guards = guard === null ? null : this.operands.local(guard);
    const pointer = asm.local("i32");
    const isFloat = dtype === "float32";
    const isByte = itemBytes(address.buffer) === 1;
    for (let lane = 0; lane < lanes; lane++) {
      const write = () => {
        const offset = this.pushAddress(address, access, lane);
        asm.tee(pointer);
        if (combine !== "set") {
          asm.get(pointer).op(isFloat ? "f32.load" : isByte ? "i32.load8_u" : "i32.load", offset);
        }
        asm.get(values).op(isFloat ? "f32x4.extract_lane" : "i32x4.extract_lane", lane);
        if (dtype === "bool") asm.i32(1).op("i32.and");
        if (combine !== "set") this.combineScalars(combine, dtype);
        asm.op(isFloat ? "f32.store" : isByte ? "i32.store8" : "i32.store", offset);
      };
      if (guards === null) write();
      else asm.get(guards).op("i32x4.extract_lane", lane).branch(write);
    }
    asm.release("i32", pointer);
  }

  private combineScalars(combine: Exclude<Combine, "set">, dtype: string): void {
    const { asm } = this;
    if (dtype === "float32") {
      asm.op(({ add: "f32.add", mul: "f32.mul", min: "f32.min", max: "f32.max" } as const)[combine]);
      return;
    }
    if (combine === "add" || combine === "mul") {
      asm.op(combine === "add" ? "i32.add" : "i32.mul");
      return;
    }
    const [a, b] = [asm.local("i32"), asm.local("i32")];
    asm.set(b).set(a).get(a).get(b).get(a).get(b);
    const isSigned = dtype === "int32";
    if (combine === "min") asm.op(isSigned ? "i32.lt_s" : "i32.lt_u");
    else asm.op(isSigned ? "i32.gt_s" : "i32.gt_u");
    asm.op("select");
    asm.release("i32", a);
    asm.release("i32", b);
  }
}

function combineVectors(combine: Exclude<Combine, "set">, dtype: string): Opcode {
  if (dtype === "float32") {
    return ({ add: "f32x4.add", mul: "f32x4.mul", min: "f32x4.min", max: "f32x4.max" } as const)[combine];
  }
  if (dtype === "bool") return combine === "max" || combine === "add" ? "v128.or" : "v128.and";
  if (combine === "add" || combine === "mul") return combine === "add" ? "i32x4.add" : "i32x4.mul";
  const sign = dtype === "int32" ? "s" : "u";
  return `i32x4.${combine}_${sign}`;
}
