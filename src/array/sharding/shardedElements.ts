// What an array holds whose blocks lie on several devices, and one that lies on a device of its own.
import type { RemoteElements } from "../core/array.js";
import { allocate, type TypedArray } from "../core/dtype.js";
import { sizeOf } from "../core/shape.js";
import type { ArrayType } from "../core/type.js";
import type { Shards } from "../transforms/backend.js";
import { pasteBlock, replicaIds } from "./blocks.js";
import type { NamedSharding } from "./namedSharding.js";
import type { SingleDeviceSharding } from "./singleDeviceSharding.js";

/** The blocks of an array on the devices of a mesh; they are put together when somebody reads the whole. */
export class ShardedElements implements RemoteElements {
  private whole: TypedArray | null = null;

  constructor(
    readonly sharding: NamedSharding,
    /** Block by block, in the order of the mesh's devices. */
    readonly shards: Shards,
    /** The type of the whole. */
    readonly type: ArrayType,
  ) {}

  read(): TypedArray {
    return (this.whole ??= this.putTogether());
  }

  async ready(): Promise<void> {
    await this.shards.ready?.();
  }

  /** A copy of the block at one place of the mesh. */
  block(place: number): TypedArray {
    return this.shards.read(place).slice();
  }

  private putTogether(): TypedArray {
    const { sharding, type } = this;
    if (sharding.isFullyReplicated) return this.block(0);
    const whole = allocate(type.dtype, sizeOf(type.shape));
    const indices = sharding.devices.map((_, place) => sharding.blockIndex(place, type.shape));
    replicaIds(indices).forEach((replicaId, place) => {
      if (replicaId === 0) pasteBlock(whole, type.shape, indices[place], this.shards.read(place));
    });
    return whole;
  }
}

/** All elements of an array, on one device. */
export class PlacedElements implements RemoteElements {
  private elements: TypedArray | null = null;

  constructor(
    readonly sharding: SingleDeviceSharding,
    private readonly load: () => TypedArray,
  ) {}

  read(): TypedArray {
    return (this.elements ??= this.load());
  }
}
