// Memory of a GPU in which programs run. The host sees copies of it.
import { fail, itemSize, viewBytes, type TypedArray } from "../../array/index.js";
import type { Slot } from "../../compiler/index.js";
import { buffer } from "../../node/index.js";
import type { DeviceMemory } from "../executable.js";
import type { Engine } from "./engine.js";
import { amount } from "./statuses.js";
import type { Group } from "./together.js";

interface Block {
  readonly address: bigint;
  readonly bytes: number;
  readonly free: () => void;
}

export class CudaMemory implements DeviceMemory {
  owner: object | null = null;
  private block: Block | null = null;
  /** Small results of the last run, and what was fetched of them since. */
  private groups: ReadonlyMap<Slot, Group> = new Map();
  private readonly fetched = new Map<Group["spans"], Uint8Array>();

  constructor(
    private readonly engine: Engine,
    /** What it is for, as messages say. */
    private readonly what: string,
  ) {}

  /** Where it begins, a multiple of 256. */
  get address(): bigint {
    return (this.block ?? fail("cuda", "memory was asked for before there was any")).address;
  }

  /** Makes room. Memory that is too small is replaced, with nothing in the new one. */
  ensure(bytes: number): void {
    if (this.block !== null && this.block.bytes >= bytes) return;
    this.engine.device.needIdle();
    this.block?.free();
    this.block = null;
    this.owner = null;
    this.forget();
    // An address there must be, even of nothing.
    const size = Math.max(bytes, 1);
    this.block = { ...this.engine.device.allocate(size, this.what, this), bytes: size };
  }

  /** Tells that what lies here changes. */
  forget(): void {
    this.groups = new Map();
    this.fetched.clear();
  }

  /** Tells that a program has run, whose small results are these; some may have been fetched already. */
  expect(groups: ReadonlyMap<Slot, Group>, fetched: ReadonlyMap<Group["spans"], Uint8Array>): void {
    this.forget();
    this.groups = groups;
    for (const [spans, bytes] of fetched) this.fetched.set(spans, bytes);
  }

  /** Resolves when what was started has ended. */
  landed(): Promise<void> {
    return this.engine.device.landed();
  }

  read(slot: Slot, size: number): TypedArray {
    this.engine.device.land();
    const { dtype, address } = slot;
    const bytes = size * itemSize(dtype);
    const group = this.groups.get(slot);
    if (group !== undefined) {
      const place = group.places.get(slot) ?? 0;
      const copy = this.fetch(group).slice(place, place + bytes);
      return viewBytes(dtype, copy.buffer, 0, size);
    }
    const copy = new Uint8Array(this.arrayBytes(slot, bytes));
    this.engine.fetching.read(this.address + BigInt(address), copy);
    return viewBytes(dtype, copy.buffer, 0, size);
  }

  private fetch({ spans }: Group): Uint8Array {
    const known = this.fetched.get(spans);
    if (known !== undefined) return known;
    const fetched = this.engine.fetching.readSpans(this.address, spans);
    this.fetched.set(spans, fetched);
    return fetched;
  }

  private arrayBytes({ shape }: Slot, bytes: number): number {
    const most = buffer.constants.MAX_LENGTH;
    if (bytes <= most) return bytes;
    return fail(
      "jit",
      `an array of shape [${shape.join()}] takes ${amount(bytes)}, and this version of Node has none beyond ` +
        `${amount(most)}; use Node 22 or newer, or several smaller arrays`,
    );
  }

  write({ address }: Slot, elements: TypedArray): void {
    const { buffer: bytes, byteOffset, byteLength } = elements;
    this.engine.sending.write(this.address + BigInt(address), new Uint8Array(bytes, byteOffset, byteLength));
  }
}
