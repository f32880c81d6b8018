// A PJRT plugin, loaded: its functions, and the errors that they return.
import { fail } from "../../array/index.js";
import { setDefaultVariable } from "../../node/index.js";
import { viewMemory, type Koffi, type KoffiLibrary } from "../koffi.js";
import { until } from "../until.js";
import { Block } from "./block.js";
import { codes, optional, places, tableHeader, type FunctionName } from "./functions.js";

type Call = (argument: unknown) => bigint | number | null;

/** The interface has had this number from the beginning; the functions that are called are older than this minor one. */
const major = 0;
const oldestMinor = 40;

/** Libraries stay loaded: their code would go with the handle. */
const kept: KoffiLibrary[] = [];

/** An error of a plugin, in its own words. */
export class PluginError extends Error {
  constructor(
    message: string,
    readonly code: number,
  ) {
    super(message);
    this.name = "PluginError";
  }

  get isOutOfMemory(): boolean {
    return this.code === codes.resourceExhausted || /out of memory|RESOURCE_EXHAUSTED/i.test(this.message);
  }
}

export class Plugin {
  /** What the arguments of calls that come with every run are written to, each time anew. */
  private readonly awaiting: Block;
  private readonly forgetting: Block;

  private constructor(
    readonly koffi: Koffi,
    readonly file: string,
    /** The version of the interface, as 0.115. */
    readonly version: string,
    private readonly functions: Readonly<Record<FunctionName, Call>>,
  ) {
    this.awaiting = this.block("Event_Await");
    this.forgetting = this.block("Event_Destroy");
  }

  /** Loads a plugin, or says why it cannot be used. */
  static load(koffi: Koffi, file: string): Plugin | { readonly problem: string } {
    let getApi: () => unknown;
    // XLA tells of its start and of every allocator; warnings and errors it still tells, as under JAX.
    setDefaultVariable("TF_CPP_MIN_LOG_LEVEL", "1");
    try {
      const library = koffi.load(file);
      kept.push(library);
      getApi = library.func("GetPjrtApi", "void *", []);
    } catch (error) {
      return {
        problem: `${file} cannot be loaded as a PJRT plugin (${error instanceof Error ? error.message : String(error)})`,
      };
    }
    const table = BigInt((getApi() as bigint | null) ?? 0);
    if (table === 0n) return { problem: `${file} gives no table of functions; it is no PJRT plugin` };
    return Plugin.bind(koffi, file, table);
  }

  private static bind(koffi: Koffi, file: string, table: bigint): Plugin | { readonly problem: string } {
    const header = new DataView(viewMemory(koffi, table, tableHeader.functions));
    const bytes = Number(header.getBigUint64(tableHeader.size, true));
    const version = [tableHeader.major, tableHeader.minor].map((offset) => header.getInt32(offset, true));
    const named = version.join(".");
    if (version[0] !== major || version[1] < oldestMinor) {
      return {
        problem:
          `${file} has version ${named} of the PJRT interface, and ${major}.${oldestMinor} or a newer ${major}.x is ` +
          "needed; take the plugin of another version of JAX",
      };
    }
    const view = new DataView(viewMemory(koffi, table, bytes));
    const type = koffi.proto("void *", ["void *"]);
    const functions: Partial<Record<FunctionName, Call>> = {};
    for (const [name, place] of places) {
      const offset = tableHeader.functions + 8 * place;
      const address = offset + 8 <= bytes ? view.getBigUint64(offset, true) : 0n;
      if (address !== 0n) functions[name] = koffi.decode(address, type) as Call;
      else if (!optional.has(name))
        return { problem: `${file} (PJRT ${named}) has no function PJRT_${name}` };
    }
    return new Plugin(koffi, file, named, functions as Record<FunctionName, Call>);
  }

  block(name: FunctionName): Block {
    return new Block(this.koffi, name);
  }

  /** Calls a function with its arguments, which hold its results afterwards. What goes wrong is thrown. */
  call(name: FunctionName, block: Block): Block {
    const error = this.functions[name](block.bytes);
    if (error !== null && BigInt(error) !== 0n) throw this.errorOf(BigInt(error));
    return block;
  }

  /** Calls a function with new arguments. */
  ask(name: FunctionName, values: Readonly<Record<string, bigint | number>>): Block {
    return this.call(name, this.block(name).set(values));
  }

  /** Calls a function that a plugin may do without, or refuse: null then. */
  askIfThere(name: FunctionName, values: Readonly<Record<string, bigint | number>>): Block | null {
    if (!(name in this.functions)) return null;
    try {
      return this.ask(name, values);
    } catch (error) {
      if (error instanceof PluginError) return null;
      throw error;
    }
  }

  /** Text of a plugin, by its address and length. */
  text(address: bigint, length: bigint): string {
    if (address === 0n || length === 0n) return "";
    return new TextDecoder().decode(new Uint8Array(viewMemory(this.koffi, address, Number(length))).slice());
  }

  private errorOf(error: bigint): PluginError {
    const message = this.block("Error_Message").set({ error });
    this.functions.Error_Message(message.bytes);
    const words = this.text(message.get("message"), message.get("messageSize"));
    const code = this.block("Error_GetCode").set({ error });
    this.functions.Error_GetCode(code.bytes);
    this.functions.Error_Destroy(this.block("Error_Destroy").set({ error }).bytes);
    return new PluginError(words, code.int("code"));
  }

  /** Waits until something has happened, and forgets the event. */
  wait(event: bigint): void {
    if (event === 0n) return;
    try {
      this.call("Event_Await", this.awaiting.set({ event }));
    } finally {
      this.forgetEvent(event);
    }
  }

  /** The same while the event loop turns. Whether it went well is told to who needs what came of it. */
  async waitTurning(event: bigint): Promise<void> {
    if (event === 0n) return;
    try {
      await until(() => (this.ask("Event_IsReady", { event }).get("isReady") & 0xffn) !== 0n);
    } finally {
      this.forgetEvent(event);
    }
  }

  forgetEvent(event: bigint): void {
    this.call("Event_Destroy", this.forgetting.set({ event }));
  }
}

/** The words for what a plugin refuses or cannot do. */
export function failWith(error: unknown, what: string): never {
  if (!(error instanceof PluginError)) throw error;
  const advice = error.isOutOfMemory
    ? "; the memory of the device is full: use smaller arrays, keep fewer results, or give this process more of it " +
      "(VIBE_RL_XLA_MEMORY_FRACTION)"
    : "";
  fail("gpu", `${what}: ${error.message.trim()}${advice}`);
}
