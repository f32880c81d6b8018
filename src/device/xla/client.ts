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
import { Block, Bytes, keepUntilHere } from "./block.js";
import { compileOptions, type BuildOptions } from "./compileOptions.js";
import { distributedClient, type DistributedClient } from "./distributed/initialize.js";
import { findPlugin } from "./finding.js";
import { elementTypes } from "./functions.js";
import { failWith, PluginError, type Plugin } from "./plugin.js";
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
}

export class Client {
  /** What the arguments of transfers are written to, each time anew. */
  private readonly sending: Block;
  private readonly fetching: Block;
  private readonly destroying: Block;

  private constructor(
    readonly plugin: Plugin,
    private readonly handle: bigint,
    /** "cuda", "rocm", "tpu", … */
    readonly platform: string,
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
      const devices = devicesOf(plugin, client);
      if (devices.length === 0) return { problem: `the plugin ${plugin.file} has no devices here` };
      const all = Number(plugin.ask("Client_Devices", { client }).get("numDevices"));
      return new Client(plugin, client, plugin.text(name.get("name"), name.get("nameSize")), devices, all);
    } catch (error) {
      if (!(error instanceof PluginError)) throw error;
      return { problem: `the plugin ${plugin.file} does not start: ${error.message.trim()}` };
    }
  }

  /** Compiles a module of StableHLO. */
  compile(name: string, text: string, options: BuildOptions): CompiledProgram {
    const { plugin } = this;
    const { koffi } = plugin;
    const code = new Bytes(koffi, new TextEncoder().encode(text));
    const format = new Bytes(koffi, new TextEncoder().encode("mlir"));
    const encoded = new Bytes(koffi, compileOptions(options));
    const program = new Block(koffi, "Program").set({
      ...{ code: code.address, codeSize: code.bytes.length },
      ...{ format: format.address, formatSize: 4 },
    });
    try {
      const compiled = plugin.ask("Client_Compile", {
        client: this.handle,
        program: program.address,
        options: encoded.address,
        optionsSize: encoded.bytes.length,
      });
      keepUntilHere(code, format, encoded, program);
      const handle = compiled.get("executable");
      const executable = plugin.ask("LoadedExecutable_GetExecutable", { loaded: handle }).get("executable");
      const outputs = Number(plugin.ask("Executable_NumOutputs", { executable }).get("numOutputs"));
      plugin.ask("Executable_Destroy", { executable });
      return { handle, outputs };
    } catch (error) {
      return failWith(error, `XLA cannot compile ${name}`);
    }
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
    try {
      this.plugin.call("Client_BufferFromHostBuffer", this.sending);
    } catch (error) {
      return failWith(error, `an argument of ${elements.byteLength} bytes cannot be copied to the device`);
    }
    keepUntilHere(bytes, held, dims);
    const buffer = this.sending.get("buffer");
    // The elements were copied during the call.
    this.plugin.ask("Event_Destroy", { event: this.sending.get("done") });
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
    // The last axis fastest, whatever the device prefers.
    const axes = wordsOf(koffi, [...shape.keys()].reverse());
    const layout = new Block(koffi, "MemoryLayout").set({
      ...{ innerSize: 56, minorToMajor: axes.address, minorToMajorSize: shape.length },
    });
    this.fetching.set({
      ...{ source: buffer, target: koffi.address(new Uint8Array(memory)), targetSize: elements.byteLength },
      ...{ layout: shape.length > 1 ? layout.address : 0, event: 0 },
    });
    this.plugin.call("Buffer_ToHostBuffer", this.fetching);
    keepUntilHere(axes, layout);
    return { elements, event: this.fetching.get("event") };
  }

  destroy(buffer: bigint): void {
    this.plugin.call("Buffer_Destroy", this.destroying.set({ buffer }));
  }

  forget({ handle }: CompiledProgram): void {
    this.plugin.ask("LoadedExecutable_Destroy", { executable: handle });
  }
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
