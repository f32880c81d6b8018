// What compilation gives to devices: machine code, and where inputs, outputs and messages lie in memory.
import type { DebugPrintParams, DType } from "../array/index.js";

/** Where an array lies in the module's memory. */
export interface Slot {
  /** In bytes; where several devices share a memory, from where the device's own part begins. */
  readonly address: number;
  readonly dtype: DType;
  readonly shape: readonly number[];
}

/** A message that the program asks the host to print, and where its values lie. */
export interface Message {
  readonly params: DebugPrintParams;
  readonly values: readonly Slot[];
}

interface Interface {
  readonly inputs: readonly Slot[];
  readonly outputs: readonly Slot[];
  readonly messages: readonly Message[];
}

/** A program as its renderer wrote it. */
export interface Compiled<Code> extends Interface {
  readonly code: Code;
  readonly memoryBytes: number;
}

/** A program as a WebAssembly module. */
export type WasmProgram = Compiled<Uint8Array>;

/** A program for several devices that share a memory. */
export interface WasmSpmdProgram extends Interface {
  /** The machine code of each device. */
  readonly modules: readonly Uint8Array[];
  /** Where the memory of each device begins. */
  readonly bases: readonly number[];
  /** Of the memory that they share, and of each device's part. */
  readonly memoryBytes: number;
  readonly deviceBytes: number;
  /** Where the words are in which each device counts its meetings with others. */
  readonly arrivals: readonly (readonly number[])[];
}
