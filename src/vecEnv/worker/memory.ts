// The memory that the main thread and its workers share.
import type { GroupBuffers } from "../group.js";
import { bytesOf, viewArray, type Layout } from "../layout.js";
import type { HostArray } from "../types.js";
import { maxNames, wordsPerWorker } from "./protocol.js";

export interface Memory extends GroupBuffers {
  readonly buffer: SharedArrayBuffer;
  readonly control: Int32Array;
  readonly actions: HostArray;
  /** Numbers that environments tell by name, (numEnvs, maxNames); NaN where there is none. */
  readonly told: Float64Array;
}

export interface MemoryShape {
  readonly obs: Layout;
  readonly action: Layout;
  readonly numEnvs: number;
  readonly numWorkers: number;
}

/** Views of a memory; a new one if none is given. Both sides lay it out alike. */
export function memoryOf(
  { obs, action, numEnvs, numWorkers }: MemoryShape,
  given?: SharedArrayBuffer,
): Memory {
  const sizes = {
    told: numEnvs * maxNames * 8,
    control: numWorkers * wordsPerWorker * 4,
    obs: bytesOf(obs, numEnvs),
    finalObservation: bytesOf(obs, numEnvs),
    actions: bytesOf(action, numEnvs),
    rewards: numEnvs * 4,
    dones: numEnvs,
    terminated: numEnvs,
    timeOuts: numEnvs,
    waiting: numEnvs,
  };
  const places: Record<string, number> = {};
  let end = 0;
  for (const [name, size] of Object.entries(sizes)) {
    places[name] = end;
    end += Math.ceil(size / 64) * 64;
  }
  const buffer = given ?? new SharedArrayBuffer(end);
  const bytes = (name: keyof typeof sizes) => new Uint8Array(buffer, places[name], numEnvs);
  return {
    buffer,
    control: new Int32Array(buffer, places.control, numWorkers * wordsPerWorker),
    told: new Float64Array(buffer, places.told, numEnvs * maxNames),
    obs: viewArray(obs, numEnvs, buffer, places.obs),
    finalObservation: viewArray(obs, numEnvs, buffer, places.finalObservation),
    actions: viewArray(action, numEnvs, buffer, places.actions),
    rewards: new Float32Array(buffer, places.rewards, numEnvs),
    dones: bytes("dones"),
    terminated: bytes("terminated"),
    timeOuts: bytes("timeOuts"),
    waiting: bytes("waiting"),
  };
}

/** The part of a memory's buffers that belongs to the environments of one worker. */
export function partOf(memory: Memory, obsSize: number, first: number, count: number): GroupBuffers {
  const rows = <A extends HostArray>(array: A, size: number): A =>
    array.subarray(first * size, (first + count) * size) as A;
  return {
    obs: rows(memory.obs, obsSize),
    finalObservation: rows(memory.finalObservation, obsSize),
    rewards: rows(memory.rewards, 1),
    dones: rows(memory.dones, 1),
    terminated: rows(memory.terminated, 1),
    timeOuts: rows(memory.timeOuts, 1),
    waiting: rows(memory.waiting, 1),
  };
}
