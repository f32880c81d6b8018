// Memory that devices share. Threads that sleep collect no garbage, so that a memory which they have seen is never given
// back: it is used again for other programs instead.
import { fail, sizeOf, viewBytes, type TypedArray } from "../../../array/index.js";
import { mostPages, pageBytes, type Slot } from "../../../compiler/index.js";

/** A memory, and where in it each device's part begins. */
export interface SharedMemory {
  readonly memory: WebAssembly.Memory;
  readonly bases: readonly number[];
}

/** Memories that no program and no result refers to any more. */
const free: WebAssembly.Memory[] = [];

const freeing = new FinalizationRegistry<WebAssembly.Memory>((memory) => void free.push(memory));

/** A memory of so many bytes for devices whose parts begin at `bases`; what lies before them is zero. */
export function shareMemory(bytes: number, bases: readonly number[]): SharedMemory {
  const isShared = bases.length > 1;
  const memory = (isShared ? takeFree(bytes) : null) ?? allocate(bytes, bases.length);
  new Uint8Array(memory.buffer, 0, bases[0]).fill(0);
  const shared = { memory, bases };
  if (isShared) freeing.register(shared, memory);
  return shared;
}

/** The smallest free memory that is large enough, or the largest one grown, if that is possible. */
function takeFree(bytes: number): WebAssembly.Memory | null {
  free.sort((a, b) => a.buffer.byteLength - b.buffer.byteLength);
  const fitting = free.findIndex(({ buffer }) => buffer.byteLength >= bytes);
  if (fitting >= 0) return free.splice(fitting, 1)[0];
  const largest = free.pop();
  try {
    largest?.grow((bytes - largest.buffer.byteLength) / pageBytes);
    return largest ?? null;
  } catch {
    if (largest !== undefined) free.push(largest);
    return null;
  }
}

function allocate(bytes: number, devices: number): WebAssembly.Memory {
  const initial = bytes / pageBytes;
  if (devices === 1) return new WebAssembly.Memory({ initial });
  try {
    return new WebAssembly.Memory({ initial, maximum: mostPages, shared: true });
  } catch {
    // Some engines set aside all that it may grow to.
    return allocateExactly(initial, devices);
  }
}

function allocateExactly(pages: number, devices: number): WebAssembly.Memory {
  try {
    return new WebAssembly.Memory({ initial: pages, maximum: pages, shared: true });
  } catch (cause) {
    const gibibytes = ((pages * pageBytes) / 2 ** 30).toFixed(2);
    fail(
      "spmd",
      `${devices} devices need ${gibibytes} GiB of memory together, which the engine would ` +
        `not give (${String(cause)}); use smaller arrays or fewer devices, or free memory`,
    );
  }
}

/** The elements of a device at a slot, not copied. */
export const viewSlot = ({ memory, bases }: SharedMemory, device: number, slot: Slot): TypedArray =>
  viewBytes(slot.dtype, memory.buffer, bases[device] + slot.address, sizeOf(slot.shape));
