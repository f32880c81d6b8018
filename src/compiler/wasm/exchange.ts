// Exchanges as code: each device reads what it needs from the memory of the others, between meetings.
import { sizeOf, type DType } from "../../array/index.js";
import type { ExchangeKernel, Place, Pull } from "../kernel.js";
import type { Assembler } from "./assembler.js";
import { smallBytes, type ControlBlock } from "./control.js";
import { addCounters, itemBytes, type Surroundings } from "./pointers.js";
import { moveBox, type Box } from "./transfer.js";

/** What an exchange must know of the group that a device exchanges with. */
export interface Exchanging {
  readonly members: readonly number[];
  /** The place of the device among them. */
  readonly rank: number;
  readonly kind: number;
  readonly control: ControlBlock;
  /** Where the memory of a device begins. */
  readonly baseOf: (device: number) => number;
  /** The function that meets them. */
  readonly meet: number;
}

export function renderExchange(
  asm: Assembler,
  kernel: ExchangeKernel,
  surroundings: Surroundings,
  group: Exchanging,
): void {
  new ExchangeRenderer(asm, kernel, surroundings, group).render();
}

/** Where operands are read: an address in the memory of each device, and a local with what is added to it. */
interface Source {
  readonly addresses: readonly number[];
  readonly moved: number;
}

const bytesOf = ({ from }: Pull, size: number): number => size * itemBytes(from.buffer);

/** Elements of an operand. */
const operandSize = ({ extents, perReceiver }: Pull, members: number): number =>
  sizeOf(extents) * (perReceiver === 0 ? 1 : members);

const alignedTo = (bytes: number, step: number): number => Math.ceil(bytes / step) * step;

class ExchangeRenderer {
  private readonly own: number;

  constructor(
    private readonly asm: Assembler,
    private readonly kernel: ExchangeKernel,
    private readonly surroundings: Surroundings,
    private readonly group: Exchanging,
  ) {
    this.own = group.members[group.rank];
  }

  render(): void {
    const { asm, kernel, group } = this;
    const { pulls } = kernel;
    if (group.members.length === 1) {
      for (const pull of pulls) this.pull(pull, this.operand(pull));
      return;
    }
    const sizes = pulls.map((pull) => alignedTo(bytesOf(pull, operandSize(pull, group.members.length)), 16));
    const meet = () => asm.op("call", group.meet);
    if (sizes.reduce((sum, size) => sum + size, 0) <= smallBytes) {
      const sources = this.layOut(pulls, sizes);
      meet();
      pulls.forEach((pull, at) => this.pull(pull, sources[at]));
      return;
    }
    meet();
    for (const pull of pulls) {
      if (kernel.combine !== null && pull.perReceiver === 0) this.combineSlice(pull);
      else this.pull(pull, this.operand(pull));
    }
    meet();
  }

  /** A local with what the loops around add to a place. */
  private moved(place: Place): number {
    const local = this.asm.local("i32");
    this.asm.i32(0);
    addCounters(this.asm, place, this.surroundings);
    this.asm.set(local);
    return local;
  }

  private addressOf({ buffer, offset }: Place): number {
    return this.surroundings.addressOf(buffer) + offset * itemBytes(buffer);
  }

  /** The same address in the memory of each device of the group. */
  private everywhere(place: Place): number[] {
    const { members, baseOf } = this.group;
    return members.map((member) => this.addressOf(place) - baseOf(this.own) + baseOf(member));
  }

  private operand({ from }: Pull): Source {
    return { addresses: this.everywhere(from), moved: this.moved(from) };
  }

  /**
   * Copies operands to where the others may read them until the meeting after the next: who lays out something
   * there again has met all who read it.
   */
  private layOut(pulls: readonly Pull[], sizes: readonly number[]): Source[] {
    const { asm } = this;
    const { control, kind, members } = this.group;
    const parity = asm.local("i32");
    asm.i32(0).op("i32.load", control.arrival(this.own, kind));
    asm.i32(1).op("i32.and").i32(smallBytes).op("i32.mul").set(parity);
    let end = 0;
    return pulls.map((pull, at) => {
      const start = end;
      end += sizes[at];
      const addresses = members.map((member) => control.staging(member, kind) + start);
      const size = operandSize(pull, members.length);
      const from = this.moved(pull.from);
      this.move(pull.from.buffer.dtype, {
        extents: [size],
        fromStrides: [1],
        toStrides: [1],
        from,
        to: parity,
        sources: [this.addressOf(pull.from)],
        targets: [control.staging(this.own, kind) + start],
      });
      asm.release("i32", from);
      return { addresses, moved: parity };
    });
  }

  /** What a device receives of an operand. */
  private pull(pull: Pull, { addresses, moved }: Source): void {
    const { asm, kernel } = this;
    const { rank, members } = this.group;
    const { extents, fromStrides, toStrides, perReceiver, perSender } = pull;
    const { dtype } = pull.to.buffer;
    const item = itemBytes(pull.to.buffer);
    const target = this.addressOf(pull.to);
    const to = this.moved(pull.to);
    const starts = addresses.map((address) => address + rank * perReceiver * item);
    const box = { extents, fromStrides, toStrides, from: moved, to };
    if (kernel.combine !== null) this.move(dtype, { ...box, sources: starts, targets: [target] });
    else if (kernel.pairs === null) {
      starts.forEach((start, sender) => {
        this.move(dtype, { ...box, sources: [start], targets: [target + sender * perSender * item] });
      });
    } else {
      const sender = kernel.pairs.find(([, receiver]) => receiver === rank)?.[0] ?? members.length;
      if (sender < members.length) this.move(dtype, { ...box, sources: [starts[sender]], targets: [target] });
      else {
        asm.get(to).i32(target).op("i32.add").i32(0);
        asm.i32(sizeOf(extents) * item).op("memory.fill");
      }
    }
    asm.release("i32", to);
  }

  /** Combines the device's slice of what all get, and gives it to all. */
  private combineSlice({ from, to, extents }: Pull): void {
    const { members, rank } = this.group;
    const size = sizeOf(extents);
    const item = itemBytes(to.buffer);
    const share = alignedTo(Math.ceil(size / members.length), 64 / item);
    const start = Math.min(size, rank * share);
    const length = Math.min(size, start + share) - start;
    if (length === 0) return;
    const within = (addresses: readonly number[]) => addresses.map((address) => address + start * item);
    const [fromLocal, toLocal] = [this.moved(from), this.moved(to)];
    this.move(to.buffer.dtype, {
      extents: [length],
      fromStrides: [1],
      toStrides: [1],
      from: fromLocal,
      to: toLocal,
      sources: within(this.everywhere(from)),
      targets: within(this.everywhere(to)),
    });
    this.asm.release("i32", fromLocal).release("i32", toLocal);
  }

  private move(dtype: DType, box: Box): void {
    moveBox(this.asm, dtype, this.kernel.combine, box);
  }
}
