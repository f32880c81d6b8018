// The client of a plugin: its devices, programs compiled for them, and memory that goes there and back.
import {
  fail,
  itemSize,
  sizeOf,
  viewBytes,
  type ArrayType,
  type DType,
  type TypedArray,
} from "../../array/index.js";
import { viewMemory, type Koffi } from "../koffi.js";
import { Block, Bytes, keepUntilHere } from "./block.js";
import { compileOptions, type BuildOptions } from "./compileOptions.js";
import { distributedClient, type DistributedClient } from "./distributed/initialize.js";
import { findPlugin } from "./finding.js";
import { elementTypes } from "./functions.js";
import { PluginError, type Plugin } from "./plugin.js";
import { clientOptions, packOptions, wordsOf } from "./settings.js";

/** What runs programs. */
export interface XlaDevice {
  readonly id: number;
  /** What it is, as "NVIDIA H200". */
  readonly kind: string;
  readonly handle: bigint;
}

export interface CompiledProgram {
  readonly handle: bigint;
  readonly outputs: number;
  /** How much memory a run needs besides its arguments and results. */
  readonly temporaryBytes: number;
}

type Forget = (serialized: bigint) => void;

export class Client {
  /** What the arguments of transfers are written to, each time anew. */
  private readonly sending: Block;
  private readonly fetching: Block;
  private readonly destroying: Block;

  private constructor(
    readonly plugin: Plugin,
    readonly handle: bigint,
    /** "cuda", "rocm", "tpu", … */
    readonly platform: string,
    /** What compiles programs there, in the plugin's words. */
    readonly version: string,
    readonly devices: readonly XlaDevice[],
    /** How many devices there are in all processes. */
    readonly deviceCount: number,
  ) {
    this.sending = plugin.block("Client_BufferFromHostBuffer").set({ client: handle });
    this.fetching = plugin.block("Buffer_ToHostBuffer");
    this.destroying = plugin.block("Buffer_Destroy");
  }

  /** Starts a client, or says why there is none. */
  static start(
    plugin: Plugin,
    distributed: DistributedClient | null = null,
  ): Client | { readonly problem: string } {
    try {
      plugin.ask("Plugin_Initialize", {});
      const options = clientOptions(plugin.file, distributed);
      const { list, kept } = packOptions(plugin.koffi, options);
      const { get = 0n, tryGet = 0n, put = 0n } = distributed?.callbacks ?? {};
      const created = plugin.ask("Client_Create", {
        ...{ options: list.address, numOptions: options.length },
        ...{ kvGet: get, kvTryGet: tryGet, kvPut: put },
      });
      keepUntilHere(list, kept);
      const client = created.get("client");
      const name = plugin.ask("Client_PlatformName", { client });
      const version = plugin.ask("Client_PlatformVersion", { client });
      const devices = devicesOf(plugin, client);
      if (devices.length === 0) return { problem: `the plugin ${plugin.file} has no devices here` };
      const all = Number(plugin.ask("Client_Devices", { client }).get("numDevices"));
      const platform = plugin.text(name.get("name"), name.get("nameSize"));
      const words = plugin.text(version.get("version"), version.get("versionSize"));
      return new Client(plugin, client, platform, words, devices, all);
    } catch (error) {
      if (!(error instanceof PluginError)) throw error;
      return { problem: `the plugin ${plugin.file} does not start: ${error.message.trim()}` };
    }
  }

  /** Compiles a module of StableHLO; a plugin may refuse. */
  compile(text: string, options: BuildOptions): CompiledProgram {
    return this.described(compileText(this.plugin, this.handle, text, compileOptions(options)));
  }

  /** A program that has been compiled, by its handle. */
  described(handle: bigint): CompiledProgram {
    const { plugin } = this;
    return this.withExecutable(handle, (executable) => ({
      handle,
      outputs: Number(plugin.ask("Executable_NumOutputs", { executable }).get("numOutputs")),
      temporaryBytes: Number(
        plugin.askIfThere("Executable_GetCompiledMemoryStats", { executable })?.get("temporary") ?? 0,
      ),
    }));
  }

  /** How much of a device's memory is free; null where the plugin does not tell. */
  freeBytes({ handle }: XlaDevice): number | null {
    const stats = this.plugin.askIfThere("Device_MemoryStats", { device: handle });
    return stats === null || stats.get("hasLimit") === 0n
      ? null
      : Number(stats.get("limit") - stats.get("inUse"));
  }

  /** Calls a function with what a program is apart from the devices that it is loaded on. */
  private withExecutable<T>(loaded: bigint, use: (executable: bigint) => T): T {
    const executable = this.plugin.ask("LoadedExecutable_GetExecutable", { loaded }).get("executable");
    try {
      return use(executable);
    } finally {
      this.plugin.ask("Executable_Destroy", { executable });
    }
  }

  /** A program as bytes, which `load` takes; a plugin may refuse. */
  serialize({ handle }: CompiledProgram): Uint8Array {
    const { plugin } = this;
    const { koffi } = plugin;
    return this.withExecutable(handle, (executable) => {
      const written = plugin.ask("Executable_Serialize", { executable });
      const bytes = viewMemory(koffi, written.get("bytes"), Number(written.get("bytesSize")));
      const copy = new Uint8Array(bytes).slice();
      const forget = koffi.decode(written.get("deleter"), koffi.proto("void", ["void *"])) as Forget;
      forget(written.get("serialized"));
      return copy;
    });
  }

  /** A program that an earlier client has made bytes of; a plugin may refuse. */
  load(bytes: Uint8Array): CompiledProgram {
    const { plugin } = this;
    const held = new Bytes(plugin.koffi, bytes);
    const loaded = plugin.ask("Executable_DeserializeAndLoad", {
      client: this.handle,
      bytes: held.address,
      bytesSize: bytes.length,
    });
    keepUntilHere(held);
    return this.described(loaded.get("loaded"));
  }

  /** Copies elements to a device; returns the buffer that holds them there. */
  send(elements: TypedArray, { shape, dtype }: ArrayType, device: XlaDevice): bigint {
    const { koffi } = this.plugin;
    // Elements in the heap would move; those of an empty array have no address at all.
    const bytes = new Uint8Array(elements.buffer, elements.byteOffset, elements.byteLength);
    const isSteady = elements.byteLength > 64;
    const held = isSteady ? null : new Bytes(koffi, bytes);
    const dims = wordsOf(koffi, shape);
    this.sending
      .set({ data: held?.address ?? koffi.address(bytes), dims: dims.address, numDims: shape.length })
      .set({ device: device.handle, done: 0, buffer: 0 })
      .setInt("type", elementType(dtype))
      .setInt("semantics", 0);
    this.plugin.call("Client_BufferFromHostBuffer", this.sending);
    keepUntilHere(bytes, held, dims);
    const buffer = this.sending.get("buffer");
    // The elements were copied during the call.
    this.plugin.forgetEvent(this.sending.get("done"));
    return buffer;
  }

  /** Begins to copy a buffer to the host; the elements are there once the event has happened. */
  fetch(
    buffer: bigint,
    { shape, dtype }: ArrayType,
  ): { readonly elements: TypedArray; readonly event: bigint } {
    const size = sizeOf(shape);
    const memory = new ArrayBuffer(Math.max(8, size * itemSize(dtype)));
    const elements = viewBytes(dtype, memory, 0, size);
    if (size === 0) return { elements, event: 0n };
    const { koffi } = this.plugin;
    const layout = shape.length > 1 ? rowMajor(koffi, shape.length) : null;
    this.fetching.set({
      ...{ source: buffer, target: koffi.address(new Uint8Array(memory)), targetSize: elements.byteLength },
      ...{ layout: layout?.block.address ?? 0, event: 0 },
    });
    this.plugin.call("Buffer_ToHostBuffer", this.fetching);
    keepUntilHere(layout);
    return { elements, event: this.fetching.get("event") };
  }

  /** Resolves when the program that makes a buffer has ended, well or not. */
  whenReady(buffer: bigint): Promise<void> {
    return this.plugin.waitTurning(this.plugin.ask("Buffer_ReadyEvent", { buffer }).get("event"));
  }

  destroy(buffer: bigint): void {
    this.plugin.call("Buffer_Destroy", this.destroying.set({ buffer }));
  }

  forget({ handle }: CompiledProgram): void {
    this.plugin.ask("LoadedExecutable_Destroy", { executable: handle });
  }
}

/** Compiles a module of StableHLO for a client; returns its handle. */
export function compileText(plugin: Plugin, client: bigint, text: string, options: Uint8Array): bigint {
  const { koffi } = plugin;
  const code = new Bytes(koffi, new TextEncoder().encode(text));
  const format = new Bytes(koffi, new TextEncoder().encode("mlir"));
  const encoded = new Bytes(koffi, options);
  const program = new Block(koffi, "Program").set({
    ...{ code: code.address, codeSize: code.bytes.length },
    ...{ format: format.address, formatSize: 4 },
  });
  const compiled = plugin.ask("Client_Compile", {
    ...{ client, program: program.address },
    ...{ options: encoded.address, optionsSize: encoded.bytes.length },
  });
  keepUntilHere(code, format, encoded, program);
  return compiled.get("executable");
}

/** The layout of so many axes whose last one is fastest, whatever the device prefers. */
function rowMajor(koffi: Koffi, rank: number): { readonly block: Block; readonly axes: Bytes } {
  const axes = wordsOf(
    koffi,
    Array.from({ length: rank }, (_, at) => rank - 1 - at),
  );
  const block = new Block(koffi, "MemoryLayout").set({
    ...{ innerSize: 56, minorToMajor: axes.address, minorToMajorSize: rank },
  });
  return { block, axes };
}

function elementType(dtype: DType): number {
  return elementTypes[dtype];
}

function devicesOf(plugin: Plugin, client: bigint): XlaDevice[] {
  const found = plugin.ask("Client_AddressableDevices", { client });
  const count = Number(found.get("numDevices"));
  const list = new DataView(plugin.koffi.view(found.get("devices"), Math.max(8, 8 * count)));
  return Array.from({ length: count }, (_, index) => {
    const handle = list.getBigUint64(8 * index, true);
    const description = plugin.ask("Device_GetDescription", { device: handle }).get("description");
    const id = plugin.ask("DeviceDescription_Id", { description }).int("id");
    const kind = plugin.ask("DeviceDescription_Kind", { description });
    return { id, handle, kind: plugin.text(kind.get("kind"), kind.get("kindSize")) };
  });
}

let found: Client | { readonly problem: string } | null = null;

/** The client of this process, started when it is first asked for, or why there is none. */
export function findClient(): Client | { readonly problem: string } {
  if (found !== null) return found;
  const plugin = findPlugin();
  found = "problem" in plugin ? plugin : Client.start(plugin, distributedClient());
  return found;
}

/** The client of this process. */
export function needClient(): Client {
  const client = findClient();
  if (!("problem" in client)) return client;
  return fail("gpu", `programs cannot run on XLA here: ${client.problem}. device: "wasm" needs nothing`);
}
