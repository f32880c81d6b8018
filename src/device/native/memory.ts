// Memory outside of JavaScript in which native programs run. It may be larger than 4 GiB, costs nothing until it is
// written to, and is freed when neither programs nor views of it are left.
import { fail, itemSize, viewBytes, type TypedArray } from "../../array/index.js";
import type { Slot } from "../../compiler/index.js";
import { buffer } from "../../node/index.js";
import type { OpenMemory } from "../executable.js";
import { viewMemory, type Koffi } from "../koffi.js";

/** Programs may load whole cache lines. */
const alignment = 64;

/** What C's own library has for memory. */
interface Allocator {
  readonly calloc: (count: number, bytes: number) => bigint | null;
  readonly free: (address: bigint) => void;
}

let allocator: Allocator | null = null;

/** The functions of this process; the library that they are in stays loaded as long as it does. */
function allocatorOf(koffi: Koffi): Allocator {
  if (allocator !== null) return allocator;
  const library = koffi.load(null);
  const calloc = library.func("calloc", "void *", ["size_t", "size_t"]);
  const free = library.func("free", "void", ["void *"]);
  kept.push(library);
  return (allocator = {
    calloc: (count, bytes) => calloc(count, bytes) as bigint | null,
    free: (address) => void free(address),
  });
}

const kept: unknown[] = [];

/** A piece of memory, zero at first. */
class Block {
  readonly address: bigint;
  /** A view of each place that was looked at. */
  private readonly views = new WeakMap<Slot, TypedArray>();

  constructor(
    private readonly koffi: Koffi,
    readonly bytes: number,
  ) {
    const { calloc, free } = allocatorOf(koffi);
    const start = calloc(1, bytes + alignment);
    if (start === null) {
      fail(
        "jit",
        `the program needs ${(bytes / 2 ** 30).toFixed(2)} GiB of memory, which the system would not give; use ` +
          "smaller arrays (a shorter rollout, a smaller buffer or batch), or free memory",
      );
    }
    this.address = BigInt.asUintN(64, (start + BigInt(alignment - 1)) & -BigInt(alignment));
    freeing.register(this, () => free(start));
  }

  view(slot: Slot, size: number): TypedArray {
    const known = this.views.get(slot);
    if (known?.length === size) return known;
    const view = viewBytes(slot.dtype, this.bytesAt(slot, size * itemSize(slot.dtype)), 0, size);
    this.views.set(slot, view);
    return view;
  }

  private bytesAt({ address, shape }: Slot, bytes: number): ArrayBuffer {
    if (bytes === 0) return new ArrayBuffer(0);
    const most = buffer.constants.MAX_LENGTH;
    if (bytes > most) {
      fail(
        "jit",
        `an array of shape [${shape.join()}] takes ${(bytes / 2 ** 30).toFixed(1)} GiB, and this version of Node has ` +
          `none beyond ${(most / 2 ** 30).toFixed(0)} GiB; use Node 22 or newer, or several smaller arrays`,
      );
    }
    const view = viewMemory(this.koffi, this.address + BigInt(address), bytes);
    // Whoever holds a view holds the memory.
    holding.set(view, this);
    return view;
  }
}

const freeing = new FinalizationRegistry<() => void>((free) => free());
const holding = new WeakMap<ArrayBuffer, Block>();

export class NativeMemory implements OpenMemory {
  owner: object | null = null;
  private block: Block | null = null;

  constructor(private readonly koffi: Koffi) {}

  /** Where it begins, a multiple of 64. */
  get address(): bigint {
    return this.have().address;
  }

  /** Makes room. Memory that is too small is replaced, with nothing in the new one. */
  ensure(bytes: number): void {
    if (this.block !== null && this.block.bytes >= bytes) return;
    this.block = new Block(this.koffi, bytes);
    this.owner = null;
  }

  view(slot: Slot, size: number): TypedArray {
    return this.have().view(slot, size);
  }

  read(slot: Slot, size: number): TypedArray {
    return this.view(slot, size).slice();
  }

  write(slot: Slot, elements: TypedArray): void {
    this.view(slot, elements.length).set(elements);
  }

  private have(): Block {
    return this.block ?? fail("jit", "memory was asked for before there was any");
  }
}
