// A GPU with what all its programs share: the ways to and from its memory, and the words by which programs speak.
import { environment } from "../../array/index.js";
import type { CudaDevice } from "./device.js";
import { Fetching } from "./fetching.js";
import { Sending } from "./sending.js";

/** Bytes of host memory that a running program sees. */
const hostBytes = 64;

/** Programs run one at a time. */
export interface Engine {
  readonly device: CudaDevice;
  readonly sending: Sending;
  readonly fetching: Fetching;
  /**
   * What the running program says to the host: first the number, plus one, of a message that waits to be printed, then,
   * where it is traced, the number, plus one, of the kernel it is in.
   */
  readonly words: Int32Array;
  /** Where the GPU sees these words. */
  readonly wordsAddress: bigint;
}

export function engineOf(device: CudaDevice): Engine {
  const { view, device: wordsAddress } = device.pinned(hostBytes);
  return {
    device,
    sending: new Sending(device),
    fetching: new Fetching(device),
    words: new Int32Array(view),
    wordsAddress,
  };
}

/** Whether programs are to tell which kernel they are in. */
export const isTraced = (): boolean => environment("VIBE_RL_CUDA_TRACE") !== undefined;
