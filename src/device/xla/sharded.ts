// A program that several devices of XLA run together: XLA's own partitioner has split it, and every device gets and keeps
// its own blocks.
import {
  arrayType,
  axes as deviceAxes,
  fail,
  type Array,
  type ArrayType,
  type Layout,
  type Program,
  type ShardedOptions,
  type Shards,
  type SpmdExecutable,
  type TypedArray,
} from "../../array/index.js";
import { stablehlo } from "../../compiler/index.js";
import { writeDumps } from "../dump.js";
import { Block, Bytes, keepUntilHere } from "./block.js";
import { bytesOf, holdConstant, holdResults, send, withRoom, type DeviceElements } from "./buffers.js";
import type { Client, CompiledProgram } from "./client.js";
import { compileProgram } from "./programs.js";
import { defaultPrecision } from "../precision.js";
import { wordsOf, xlaSettings } from "./settings.js";

const listOf = <T>(count: number, make: (at: number) => T): T[] =>
  globalThis.Array.from({ length: count }, (_, at) => make(at));

/** The type of a block. */
function blockType({ shape, dtype }: ArrayType, layout: Layout, { axes }: ShardedOptions): ArrayType {
  const parts = (names: readonly string[]) =>
    deviceAxes.countAlong(axes.filter(({ name }) => names.includes(name)));
  return arrayType(
    shape.map((extent, axis) => extent / parts(layout[axis])),
    dtype,
  );
}

/** Blocks on the devices, in their order. */
class DeviceShards implements Shards {
  constructor(readonly blocks: readonly DeviceElements[]) {}

  read(device: number): TypedArray {
    return this.blocks[device].read();
  }

  async ready(): Promise<void> {
    await Promise.all(this.blocks.map((block) => block.ready()));
  }
}

export class XlaShardedExecutable implements SpmdExecutable {
  readonly bytesPerDevice: number;
  private readonly count: number;
  private readonly inputs: readonly ArrayType[];
  private readonly outputs: readonly ArrayType[];
  private readonly constants: readonly DeviceShards[];
  private readonly compiled: CompiledProgram;

  constructor(
    private readonly client: Client,
    program: Program,
    private readonly options: ShardedOptions,
  ) {
    const { name, axes, constants } = options;
    this.count = deviceAxes.countAlong(axes);
    if (this.count > client.deviceCount) {
      fail(
        name,
        `it is split over ${this.count} devices, and XLA has ${client.deviceCount} here (${client.devices[0].kind}); ` +
          'use a mesh of fewer, or device: "wasm", which simulates several on this machine',
      );
    }
    const block = (types: readonly { readonly type: ArrayType }[], layouts: readonly Layout[]) =>
      types.map(({ type }, at) => blockType(type, layouts[at], options));
    this.inputs = block(program.inputs, options.inputs);
    this.outputs = block(program.outputs, options.outputs);
    this.bytesPerDevice = [...this.inputs, ...this.outputs].reduce((sum, type) => sum + bytesOf(type), 0);
    this.compiled = this.compile(program);
    // Those of other processes have blocks of their own.
    this.constants = this.isElsewhere ? [] : constants.map((constant) => this.everywhere(constant));
  }

  /** Whether other processes have some of the devices. */
  private get isElsewhere(): boolean {
    return this.count > this.client.devices.length;
  }

  private compile(program: Program): CompiledProgram {
    const { name, axes, constants, donated, inputs, outputs } = this.options;
    const { text, simplified, messages } = stablehlo(program, {
      name,
      donated: [...constants.map(() => false), ...donated],
      matmulPrecision: this.options.matmulPrecision ?? defaultPrecision(),
      placement: { axes, inputs, outputs },
    });
    if (messages.length > 0)
      fail("debug.print", `${name} runs on several devices of XLA, which have no order in which to print`);
    writeDumps(name, { simplified, listings: { stablehlo: () => ({ suffix: "mlir", text }) } });
    const options = { partitions: this.count, settings: xlaSettings() };
    return compileProgram(this.client, name, { text, options });
  }

  private everywhere({ elements, type }: Array): DeviceShards {
    return new DeviceShards(
      this.client.devices.slice(0, this.count).map((device) => {
        const buffer = send(this.client, elements as TypedArray, type, device, new Set());
        return holdConstant(this.client, buffer, type);
      }),
    );
  }

  /** Blocks where they are wanted: those of an earlier result as they are. */
  private placed(shards: Shards, type: ArrayType, inUse: ReadonlySet<bigint>): DeviceShards {
    if (
      shards instanceof DeviceShards &&
      shards.blocks.every((block) => block.bufferOn(this.client) !== null)
    )
      return shards;
    return new DeviceShards(
      this.client.devices.slice(0, this.count).map((device, at) => {
        const buffer = send(this.client, shards.read(at), type, device, inUse);
        return holdConstant(this.client, buffer, type);
      }),
    );
  }

  /** The buffers of all that is on the devices already. */
  private buffersOf(list: readonly Shards[]): ReadonlySet<bigint> {
    const blocks = list.flatMap((shards) => (shards instanceof DeviceShards ? shards.blocks : []));
    return new Set(blocks.flatMap((block) => block.bufferOn(this.client) ?? []));
  }

  run(given: readonly Shards[]): Shards[] {
    const { client, compiled, constants, count, options } = this;
    const { plugin } = client;
    if (this.isElsewhere)
      fail(
        options.name,
        `it is compiled for ${count} devices, and this process has ${client.devices.length} of them; programs that several ` +
          "processes run together are not there yet",
      );
    const types = this.inputs.slice(constants.length);
    const here = this.buffersOf(given);
    const placed = given.map((shards, at) => this.placed(shards, types[at], here));
    const all = [...constants, ...placed];
    const lists = listOf(count, (device) =>
      wordsOf(
        plugin.koffi,
        all.map(({ blocks }) => blocks[device].bufferOn(client) ?? 0n),
      ),
    );
    const results = listOf(count, () => new Bytes(plugin.koffi, 8 * compiled.outputs));
    const isGivenUp = placed.map((shards, at) => options.donated[at] && placed.indexOf(shards) === at);
    const kept = wordsOf(
      plugin.koffi,
      placed.flatMap((_, at) => (isGivenUp[at] ? [] : [constants.length + at])),
    );
    const settings = new Block(plugin.koffi, "ExecuteOptions").set({
      ...{ nonDonatable: kept.address, numNonDonatable: placed.length - isGivenUp.filter(Boolean).length },
    });
    const [listOfLists, listOfResults] = [lists, results].map((list) =>
      wordsOf(
        plugin.koffi,
        list.map(({ address }) => address),
      ),
    );
    const call = plugin.block("LoadedExecutable_Execute").set({
      ...{ executable: compiled.handle, options: settings.address },
      ...{ arguments: listOfLists.address, outputs: listOfResults.address },
      ...{ numDevices: count, numArguments: all.length },
    });
    withRoom(client, this.buffersOf(all), `${options.name} cannot run`, () =>
      plugin.call("LoadedExecutable_Execute", call),
    );
    keepUntilHere(lists, results, kept, settings, listOfLists, listOfResults);
    placed.forEach(({ blocks }, at) => isGivenUp[at] && blocks.forEach((block) => block.giveUp()));
    return this.takeResults(results);
  }

  private takeResults(results: readonly Bytes[]): DeviceShards[] {
    const { outputs, client } = this;
    const perDevice = results.map((list) =>
      holdResults(
        client,
        outputs.map((_, at) => list.word(8 * at)),
        outputs,
        outputs.map(bytesOf),
      ),
    );
    return outputs.map((_, at) => new DeviceShards(perDevice.map((list) => list[at])));
  }
}
