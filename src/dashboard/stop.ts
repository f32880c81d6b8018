// Stopping a run from outside: its process gets what Ctrl-C gives it, and saves a checkpoint.
import { explainFailure, lockOwner } from "../files/index.js";
import { Refusal } from "./errors.js";

/** Tells the process of a run to stop; refuses where that is not certainly the run's own, or would lose its work. */
export function stopRun(id: string, logs: string | null): { readonly pid: number } {
  const refuse = (reason: string): never => {
    throw new Refusal(409, `${id} was not stopped: ${reason}`);
  };
  const owner = logs === null ? null : lockOwner(logs);
  if (owner === null) return refuse("no process is training it");
  const { pid } = owner;
  if (!owner.isHere) refuse(`it is trained on another machine, ${owner.host}; stop it there`);
  if (!owner.isAlive) refuse(`its process ${pid} has gone already`);
  if (!owner.isCertain)
    refuse(`this system does not tell whether process ${pid} is still the one that trains it; stop it there`);
  if (process.platform === "win32")
    refuse("on Windows another process cannot be asked to stop; press Ctrl-C where it runs");
  if (!owner.listens)
    refuse(
      `its program (process ${pid}) does not listen for Ctrl-C and would end without saving a checkpoint`,
    );
  try {
    process.kill(pid, "SIGINT");
  } catch (error) {
    refuse(`process ${pid} cannot be told: ${explainFailure(error)}`);
  }
  return { pid };
}
