// The program of a thread that has the driver compile a program.
import { doAside } from "../aside.js";
import { findDriver, type Driver } from "./driver.js";
import { status } from "./functions.js";
import { link } from "./link.js";
import type { LinkTask } from "./linkHelper.js";

/** The driver, with the context that this process has of a card; null where there is none. */
function driverFor(handle: number): Driver | null {
  const driver = findDriver();
  if ("problem" in driver) return null;
  const { call } = driver;
  const context = new BigUint64Array(1);
  const isThere =
    call.cuDevicePrimaryCtxRetain(context, handle) === status.success &&
    call.cuCtxSetCurrent(context[0]) === status.success;
  return isThere ? driver : null;
}

/** A text of no use. The driver loads its compiler for the first one of a process, and nobody waits for that here. */
const nothing = ".version 7.8\n.target sm_80\n.address_size 64\n.visible .entry nothing()\n{\n\tret;\n}\n";

doAside((handle: number) => {
  const driver = driverFor(handle);
  if (driver !== null) link(driver, { name: "nothing", text: nothing, registers: null });
  return (task: LinkTask): Uint8Array | null => {
    // What is wrong with a text is told by the thread that asked.
    const made = driver === null ? null : link(driver, task);
    return made === null || "refused" in made ? null : made;
  };
});
