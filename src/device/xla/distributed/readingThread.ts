// The thread in which a plugin's calls for values wait: they come from any thread of the plugin, also while the process
// itself waits for the plugin, and must return with the value.
import { findKoffi, type Koffi } from "../../koffi.js";
import { threads } from "../../../node/index.js";
import { codes } from "../functions.js";
import { Arguments, callbackType, fields } from "./callbacks.js";
import type { Ready, ReadingTask, ValueRequest } from "./protocol.js";

/** Asks the store's thread, and waits for its answer. */
function ask({ requests, signal }: ReadingTask, request: ValueRequest): Uint8Array | null {
  const before = Atomics.load(signal, 0);
  requests.postMessage(request);
  for (;;) {
    const answer = threads.receiveMessageOnPort(requests);
    if (answer !== undefined) return answer.message as Uint8Array | null;
    // The answer is posted before the number changes; waking up for an old one does no harm.
    Atomics.wait(signal, 0, before, 1000);
  }
}

function start(task: ReadingTask, koffi: Koffi): Ready {
  /** Values that the plugin has not copied yet. */
  const held = new Map<bigint, Uint8Array>();
  const forget = koffi.register(
    (address: bigint) => void held.delete(address),
    koffi.pointer(koffi.proto("void", ["void *"])),
  );
  const answer = (
    given: Arguments,
    value: Uint8Array | null,
    at: { readonly value: number; readonly deleter: number; readonly error: number },
    problem: string,
  ): bigint => {
    if (value === null) return given.error(at.error, codes.notFound, problem);
    const kept = new Uint8Array(new ArrayBuffer(Math.max(8, value.length)));
    kept.set(value);
    const address = koffi.address(kept);
    held.set(address, kept);
    given.set(at.value, address);
    given.set(at.value + 1, BigInt(value.length));
    given.set(at.deleter, forget);
    return 0n;
  };
  const get = koffi.register((address: bigint) => {
    const given = new Arguments(koffi, address);
    const [key, timeoutMs] = [given.text(fields.get.key), given.int(fields.get.timeout)];
    const problem = `nobody has put ${key} into the store within ${timeoutMs} ms; are all processes there?`;
    return answer(given, ask(task, { key, timeoutMs }), fields.get, problem);
  }, callbackType(koffi));
  const tryGet = koffi.register((address: bigint) => {
    const given = new Arguments(koffi, address);
    const key = given.text(fields.tryGet.key);
    return answer(
      given,
      ask(task, { key, timeoutMs: null }),
      fields.tryGet,
      `there is no ${key} in the store`,
    );
  }, callbackType(koffi));
  return { get, tryGet };
}

const { parentPort } = threads;
const task = (threads as { readonly workerData: unknown }).workerData as ReadingTask;
if (parentPort === null) throw new Error("this is the program of a thread");
const koffi = findKoffi();
parentPort.postMessage("problem" in koffi ? koffi : start(task, koffi));
// Calls of other threads do not keep a thread alive; the process ends it.
parentPort.on("message", () => undefined);
