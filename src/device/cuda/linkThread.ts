// The program of a thread that has the driver compile a part of a program.
import { threads } from "../../node/index.js";
import { findDriver, type Driver } from "./driver.js";
import { status } from "./functions.js";
import { link } from "./link.js";
import { stages, type LinkRequest, type LinkTask } from "./linkHelper.js";

/** The driver, with the context that this process has; null where there is none. */
function driverFor({ handle }: LinkTask): Driver | null {
  const driver = findDriver();
  if ("problem" in driver) return null;
  const { call } = driver;
  const context = new BigUint64Array(1);
  const isThere =
    call.cuDevicePrimaryCtxRetain(context, handle) === status.success &&
    call.cuCtxSetCurrent(context[0]) === status.success;
  return isThere ? driver : null;
}

const { parentPort } = threads;
if (parentPort === null) throw new Error("this is the program of a thread");
const task = (threads as { readonly workerData: unknown }).workerData as LinkTask;
const { stage } = task;
const driver = driverFor(task);
parentPort.on("message", ({ name, text, answers }: LinkRequest) => {
  if (driver === null) return;
  if (Atomics.compareExchange(stage, 0, stages.waiting, stages.working) !== stages.waiting) return;
  try {
    const made = link(driver, name, text);
    // What is wrong with a text is told by the thread that asked.
    answers.postMessage("refused" in made ? null : made);
  } finally {
    Atomics.store(stage, 0, stages.done);
    Atomics.notify(stage, 0);
  }
});
