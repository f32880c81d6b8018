// A program of XLA, run: arguments go to the device where they are not there yet, results stay there.
import { Array, arrayType, type ArrayType, type Program, type TypedArray } from "../../array/index.js";
import type { LoggedMessage } from "../../compiler/index.js";
import { Block, Bytes, keepUntilHere } from "./block.js";
import { bytesOf, DeviceElements, ensureRoom, holdConstant, holdResults, send, withRoom } from "./buffers.js";
import type { Client, CompiledProgram } from "./client.js";
import { printLog } from "./messages.js";
import { failWith } from "./plugin.js";
import { wordsOf } from "./settings.js";

/** A program that has been compiled, whatever it is called. */
export interface Ready {
  readonly compiled: CompiledProgram;
  readonly messages: readonly LoggedMessage[];
  /** How many words the log of messages has. */
  readonly logSize: number;
}

/** An argument on the device: a buffer of its own for this run, or one that an array keeps. */
interface Argument {
  readonly buffer: bigint;
  readonly owner: DeviceElements | null;
}

export class XlaExecutable {
  private readonly types: readonly ArrayType[];
  private readonly sizes: readonly number[];
  /** The memory that a run takes besides its arguments. */
  private readonly ownBytes: number;
  private readonly constants: readonly DeviceElements[];
  private readonly call: Block;
  private readonly options: Block;
  private readonly given: Bytes;
  private readonly results: Bytes;
  /** The lists of arguments and of results, of which there is one for each device. */
  private readonly lists: Bytes;

  constructor(
    private readonly client: Client,
    private readonly name: string,
    private readonly ready: Ready,
    program: Program,
    constants: readonly Array[],
    private readonly donated: readonly boolean[],
  ) {
    const { koffi } = client.plugin;
    const { compiled, messages } = ready;
    const declared = program.outputs.map(({ type }) => arrayType(type.shape, type.dtype));
    const count = program.inputs.length;
    this.types = declared;
    this.sizes = declared.map(bytesOf);
    this.ownBytes = this.sizes.reduce((sum, bytes) => sum + bytes, compiled.temporaryBytes);
    this.constants = this.keep(constants);
    this.given = new Bytes(koffi, 8 * count);
    this.results = new Bytes(koffi, 8 * compiled.outputs);
    this.lists = wordsOf(koffi, [this.given.address, this.results.address]);
    this.options = new Block(koffi, "ExecuteOptions");
    this.call = client.plugin.block("LoadedExecutable_Execute").set({
      ...{ executable: compiled.handle, options: this.options.address },
      ...{ arguments: this.lists.address, outputs: this.lists.address + 8n },
      ...{ numDevices: 1, numArguments: count },
    });
    if (compiled.outputs !== declared.length + (messages.length > 0 ? 2 : 0))
      throw new Error(
        `${name}: XLA made a program of ${compiled.outputs} results out of one of ${declared.length}`,
      );
  }

  /** Constants are on the device for as long as the program is, whatever becomes of the arrays that they are from. */
  private keep(constants: readonly Array[]): DeviceElements[] {
    return constants.map((constant) =>
      holdConstant(this.client, this.send(constant, new Set()), constant.type),
    );
  }

  private send({ elements, type }: Array, inUse: ReadonlySet<bigint>): bigint {
    return send(this.client, elements as TypedArray, type, this.client.devices[0], inUse);
  }

  run(inputs: readonly Array[]): Array[] {
    const list: Argument[] = [];
    try {
      this.place(inputs, list);
      const donated = this.donatedIn(list);
      this.start(list, donated);
      list.forEach(({ owner }, at) => donated[at] && owner?.giveUp());
    } finally {
      for (const { owner, buffer } of list) if (owner === null) this.client.destroy(buffer);
    }
    return this.takeResults();
  }

  /** Puts arguments on the device that are not there, one after the other. */
  private place(inputs: readonly Array[], list: Argument[]): void {
    const { client } = this;
    const here = inputs.map(({ remote }) =>
      remote instanceof DeviceElements ? remote.bufferOn(client) : null,
    );
    const inUse = new Set(here.filter((buffer) => buffer !== null));
    const sent = inputs.reduce((sum, { type }, at) => sum + (here[at] === null ? bytesOf(type) : 0), 0);
    ensureRoom(client, sent + this.ownBytes, () => inUse);
    inputs.forEach((input, at) => {
      const buffer = here[at];
      list.push(
        buffer === null
          ? { buffer: this.send(input, inUse), owner: null }
          : { buffer, owner: input.remote as DeviceElements },
      );
    });
  }

  private start(list: readonly Argument[], donated: readonly boolean[]): void {
    const { client, constants, given, name } = this;
    const kept = constants.map((owner) => owner.bufferOn(client) ?? this.lost());
    const all = [...kept, ...list.map(({ buffer }) => buffer)];
    all.forEach((buffer, at) => given.setWord(8 * at, buffer));
    const isSparing = this.donated.includes(true);
    const except = isSparing
      ? wordsOf(
          client.plugin.koffi,
          list.flatMap((_, at) => (donated[at] ? [] : [constants.length + at])),
        )
      : null;
    this.options.set({
      nonDonatable: except?.address ?? 0,
      numNonDonatable: isSparing ? list.length - donated.filter(Boolean).length : 0,
    });
    withRoom(client, new Set(all), `${name} cannot run`, () =>
      client.plugin.call("LoadedExecutable_Execute", this.call),
    );
    keepUntilHere(except, this.lists, given, this.results, this.options);
  }

  /** Which arguments are given up. One that is there twice cannot be. */
  private donatedIn(list: readonly Argument[]): boolean[] {
    const uses = new Map<bigint, number>();
    for (const { buffer } of list) uses.set(buffer, (uses.get(buffer) ?? 0) + 1);
    return list.map(({ buffer }, at) => this.donated[at] && uses.get(buffer) === 1);
  }

  private takeResults(): Array[] {
    const { types, sizes, client, ready } = this;
    const buffers = types.map((_, at) => this.results.word(8 * at));
    const log =
      ready.messages.length === 0 ? [] : [0, 1].map((at) => this.results.word(8 * (types.length + at)));
    const held = holdResults(client, buffers, types, sizes);
    if (log.length > 0) this.print(log as [bigint, bigint]);
    return held.map((elements, at) => new Array(types[at], null, null, elements));
  }

  private print([words, written]: readonly [bigint, bigint]): void {
    const { client, ready } = this;
    const fetched = (buffer: bigint, size: number, isList: boolean): Int32Array => {
      const { elements, event } = client.fetch(buffer, arrayType(isList ? [size] : [], "int32"));
      client.plugin.wait(event);
      client.destroy(buffer);
      return elements as Int32Array;
    };
    try {
      const [count] = fetched(written, 1, false);
      printLog(ready.messages, fetched(words, ready.logSize, true), count);
    } catch (error) {
      failWith(error, `what ${this.name} has printed cannot be fetched`);
    }
  }

  private lost(): never {
    throw new Error(`${this.name}: a constant is no longer on the device; this is a bug in vibe-rl`);
  }
}
