// Two pieces of pinned memory, from which and to which a GPU copies by itself: while it works on one, the other can be
// filled or emptied.
import type { CudaDevice } from "./device.js";

/** Bytes of each: enough that starting a copy costs nothing beside the copy. */
export const halfBytes = 2 ** 22;

export interface Half {
  readonly bytes: Uint8Array;
  readonly host: bigint;
}

/** The two, made when they are first used. */
export function halvesOf(device: CudaDevice): (which: number) => Half {
  let halves: readonly Half[] | null = null;
  const make = (): Half => {
    const { view, host } = device.pinned(halfBytes);
    return { bytes: new Uint8Array(view), host };
  };
  return (which) => (halves ??= [make(), make()])[which % 2];
}
