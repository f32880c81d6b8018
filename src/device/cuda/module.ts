// A program in a GPU's machine code, loaded.
import type { PtxProgram } from "../../compiler/index.js";
import type { CudaDevice } from "./device.js";

/** How a program is started. */
export type Launch = Omit<PtxProgram, "text" | "registers" | "schedule">;

/** What the entry of every program is called. */
const entryName = "vibe_rl_run";
/** Blocks may have more dynamic shared memory than this only if they say so first. */
const freeSharedBytes = 48 * 1024;
/** Clusters of more blocks than every GPU with clusters has room for, likewise. */
const freeClusterBlocks = 8;
/** The attributes by which they say so (CUfunction_attribute). */
const attributes = { maxDynamicSharedBytes: 8, largeClusters: 14 } as const;

/** It stays loaded as long as somebody has it. */
export class CudaModule {
  readonly entry: bigint;

  constructor(
    device: CudaDevice,
    name: string,
    code: Uint8Array,
    { sharedBytes, blocks, isCluster }: Launch,
  ) {
    device.needIdle();
    const { call } = device.driver;
    const out = new BigUint64Array(1);
    device.check(call.cuModuleLoadData(out, code), `loading ${name}`);
    const module = out[0];
    unloading.register(this, () => void call.cuModuleUnload(module));
    device.check(call.cuModuleGetFunction(out, module, entryName), `looking for ${entryName} in ${name}`);
    this.entry = out[0];
    if (isCluster && blocks > freeClusterBlocks)
      device.check(
        call.cuFuncSetAttribute(this.entry, attributes.largeClusters, 1),
        `having ${blocks} blocks of ${name} in a cluster`,
      );
    if (sharedBytes > freeSharedBytes)
      device.check(
        call.cuFuncSetAttribute(this.entry, attributes.maxDynamicSharedBytes, sharedBytes),
        `giving blocks of ${name} ${sharedBytes} bytes of shared memory (${device.card.name} has ` +
          `${device.card.target.sharedBytes})`,
      );
  }
}

const unloading = new FinalizationRegistry<() => void>((unload) => unload());
