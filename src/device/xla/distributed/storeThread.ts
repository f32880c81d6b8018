// The thread that talks with the store: it puts what the plugin puts, and fetches what the reading thread asks for.
import { findKoffi } from "../../koffi.js";
import { threads } from "../../../node/index.js";
import { Arguments, callbackType, fields } from "./callbacks.js";
import type { Ready, StoreTask, ValueRequest } from "./protocol.js";
import { connectStore, serveStore, type Store } from "./store.js";

async function start(task: StoreTask): Promise<Ready> {
  const koffi = findKoffi();
  if ("problem" in koffi) return koffi;
  const { host, port, isKeeper, timeoutMs, requests, signal } = task;
  let store: Store;
  try {
    if (isKeeper) await serveStore(host, port);
    store = await connectStore(host, port, timeoutMs);
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) };
  }
  requests.on("message", ({ key, timeoutMs: wait }: ValueRequest) => {
    const found = wait === null ? store.tryGet(key) : store.get(key, wait);
    void found.then((value) => {
      requests.postMessage(value);
      Atomics.add(signal, 0, 1);
      Atomics.notify(signal, 0);
    });
  });
  const put = koffi.register((address: bigint) => {
    const given = new Arguments(koffi, address);
    store.put(given.text(fields.put.key), given.bytes(fields.put.value));
    return 0n;
  }, callbackType(koffi));
  return { put };
}

const { parentPort } = threads;
const task = (threads as { readonly workerData: unknown }).workerData as StoreTask;
if (parentPort === null) throw new Error("this is the program of a thread");
parentPort.postMessage(await start(task));
