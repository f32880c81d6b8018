// Arrays that lie on a device: fetched when somebody reads them, freed when nobody can any more.
import {
  fail,
  itemSize,
  sizeOf,
  type ArrayType,
  type RemoteElements,
  type TypedArray,
} from "../../array/index.js";
import type { Client, XlaDevice } from "./client.js";
import { failWith, PluginError } from "./plugin.js";

/** Results up to so many bytes are fetched along with the first of them that is read. */
const smallBytes = 2 ** 16;

/** How many results, and how many bytes of them, may wait for the garbage collector's word during one turn of Node. */
const mostFresh = 4096;
const mostFreshBytes = 2 ** 30;

/** How much of the host's memory a plugin keeps for a buffer (measured: 3 KB with that of JAX 0.11.2 for CUDA). */
const hostBytes = 2 ** 11;

/** Every so many buffers, one has a weight; the memory is never touched. */
const weighed = 256;
let made = 0;

/** How much memory an array needs. */
export const bytesOf = ({ shape, dtype }: ArrayType): number => sizeOf(shape) * itemSize(dtype);

/** Memory of a device. The arrays that refer to it come and go; it does not know them. */
class Held {
  elements: TypedArray | null = null;
  /** Null once the memory is given up or freed. */
  buffer: bigint | null;
  readonly bytes: number;
  /** For the garbage collector to see that results are more than they look: one of many carries the weight of all. */
  readonly weight: ArrayBuffer | null;
  /** Results of the same run. */
  siblings: readonly Held[] = [];

  constructor(
    readonly client: Client,
    buffer: bigint,
    readonly type: ArrayType,
    bytes: number,
  ) {
    this.buffer = buffer;
    this.bytes = bytes;
    this.weight = ++made % weighed === 0 ? new ArrayBuffer(weighed * hostBytes) : null;
  }

  free(): void {
    if (this.buffer === null) return;
    this.client.destroy(this.buffer);
    this.buffer = null;
    results.delete(this);
  }
}

const collected = new FinalizationRegistry<Held>((held) => held.free());

/** All results that are on a device. */
const results = new Set<Held>();

/**
 * Results of this turn. The garbage collector's word comes between turns only: a loop that never ends its turn would fill
 * the device, so that the oldest results move to the host when there are too many.
 */
let fresh: Held[] = [];
let freshBytes = 0;
let isClearing = false;

/** Counts results of a run. */
function remember(list: readonly Held[]): void {
  if (fresh.length > mostFresh || freshBytes > mostFreshBytes) {
    setFresh(fresh.filter(({ buffer }) => buffer !== null));
    if (fresh.length > mostFresh / 2 || freshBytes > mostFreshBytes) {
      const half = Math.ceil(fresh.length / 2);
      moveToHost(fresh.slice(0, half));
      setFresh(fresh.slice(half));
    }
  }
  for (const held of list) {
    results.add(held);
    fresh.push(held);
    freshBytes += held.bytes;
  }
  if (isClearing) return;
  isClearing = true;
  const { setImmediate } = globalThis;
  setImmediate(() => {
    setFresh([]);
    isClearing = false;
  }).unref();
}

function setFresh(list: Held[]): void {
  fresh = list;
  freshBytes = list.reduce((sum, { bytes }) => sum + bytes, 0);
}

/** Frees results of which the host then has a copy. What cannot be fetched stays, and says why to who reads it. */
function moveToHost(list: readonly Held[]): void {
  const fetched = (get: () => void): boolean => {
    try {
      get();
      return true;
    } catch (error) {
      if (error instanceof PluginError) return false;
      throw error;
    }
  };
  const started: (() => void)[] = [];
  for (const held of list) {
    const { client, buffer, type } = held;
    if (held.elements !== null || buffer === null) held.free();
    else
      fetched(() => {
        const { elements, event } = client.fetch(buffer, type);
        started.push(() => {
          client.plugin.wait(event);
          held.elements = elements;
          held.free();
        });
      });
  }
  started.forEach(fetched);
}

/** How many bytes of a client's first device are sure to be free, without another look. */
const sureBytes = new WeakMap<Client, number>();

/**
 * Sees to it that so many bytes are free on a client's first device, where results that are not in use can make room. XLA
 * itself says only afterwards, in the place of results, that it had none, having waited for ten seconds.
 */
export function ensureRoom(client: Client, bytes: number, inUse: () => ReadonlySet<bigint>): void {
  const sure = sureBytes.get(client) ?? 0;
  if (bytes <= sure) {
    sureBytes.set(client, sure - bytes);
    return;
  }
  const free = client.freeBytes(client.devices[0]);
  if (free === null) return;
  // What is free need not be in one piece.
  if (bytes > 0.9 * free) makeRoom(client, inUse());
  sureBytes.set(client, Math.max(0, free / 2 - bytes));
}

/** Does what needs memory of the device. Once that is full, results that are not in use make room for it. */
export function withRoom<T>(client: Client, inUse: ReadonlySet<bigint>, what: string, act: () => T): T {
  try {
    return act();
  } catch (error) {
    if (!(error instanceof PluginError) || !error.isOutOfMemory || !makeRoom(client, inUse))
      failWith(error, what);
  }
  try {
    return act();
  } catch (error) {
    return failWith(error, what);
  }
}

/** Copies elements to a device, of which some buffers are in use; returns the buffer that holds them there. */
export const send = (
  client: Client,
  elements: TypedArray,
  type: ArrayType,
  device: XlaDevice,
  inUse: ReadonlySet<bigint>,
): bigint =>
  withRoom(client, inUse, `an argument of ${elements.byteLength} bytes cannot be copied to the device`, () =>
    client.send(elements, type, device),
  );

/** Moves all results to the host but those that are in use; tells whether there were any. */
function makeRoom(client: Client, inUse: ReadonlySet<bigint>): boolean {
  const idle = [...results].filter(
    (held) => held.client === client && held.buffer !== null && !inUse.has(held.buffer),
  );
  moveToHost(idle);
  return idle.length > 0;
}

/** Copies buffers to the host, all at once, where that has not been done. */
function fetchAll(list: readonly Held[]): void {
  const wanted = list.filter(({ elements, buffer }) => elements === null && buffer !== null);
  if (wanted.length === 0) return;
  const [{ client }] = wanted;
  try {
    const started = wanted.map((held) => ({ held, ...client.fetch(held.buffer ?? 0n, held.type) }));
    for (const { held, elements, event } of started) {
      client.plugin.wait(event);
      held.elements = elements;
    }
  } catch (error) {
    failWith(error, "a result cannot be fetched from the device");
  }
}

/** The elements of an array on a device. */
export class DeviceElements implements RemoteElements {
  constructor(private readonly held: Held) {
    collected.register(this, held, held);
  }

  /** The elements, copied to the host once, along with other small results of the same run. */
  read(): TypedArray {
    const { held } = this;
    if (held.elements !== null) return held.elements;
    if (held.buffer === null) {
      fail(
        "jit",
        "this array was given up to a later call (donateArgnums), which has used its memory; " +
          "use what that call returned, or do not donate the argument",
      );
    }
    const isSmall = (one: Held): boolean => one.bytes <= smallBytes;
    fetchAll(isSmall(held) ? [held, ...held.siblings.filter((one) => one !== held && isSmall(one))] : [held]);
    held.siblings = [];
    return held.elements ?? fail("gpu", "a result was not fetched");
  }

  /** Resolves when the program that makes it has ended. */
  async ready(): Promise<void> {
    const { client, buffer, elements } = this.held;
    if (elements !== null || buffer === null) return;
    try {
      await client.whenReady(buffer);
    } catch (error) {
      failWith(error, "a result cannot be waited for");
    }
  }

  /** The buffer, if it is on a client's device. */
  bufferOn(client: Client): bigint | null {
    return this.held.client === client ? this.held.buffer : null;
  }

  /** Tells that a run has used up the memory. */
  giveUp(): void {
    this.held.free();
  }
}

/** What stays on the device until nobody refers to it. */
export const holdConstant = (client: Client, buffer: bigint, type: ArrayType): DeviceElements =>
  new DeviceElements(new Held(client, buffer, type, 0));

/** The results of one run. */
export function holdResults(
  client: Client,
  buffers: readonly bigint[],
  types: readonly ArrayType[],
  bytes: readonly number[],
): DeviceElements[] {
  const all = buffers.map((buffer, at) => new Held(client, buffer, types[at], bytes[at]));
  remember(all);
  return all.map((held) => {
    held.siblings = all;
    return new DeviceElements(held);
  });
}
