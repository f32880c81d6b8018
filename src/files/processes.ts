// Whether a process that was seen before is still there. Its number alone does not tell: numbers are used again.
import { childProcess, fs } from "../node/index.js";
import { failureCode } from "./failure.js";

/** Whether there is a process of this number. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return failureCode(error) === "EPERM";
  }
}

/**
 * When a process began, in the system's own words, which differ for any two processes of one number; `null` where the
 * system does not tell.
 */
export function beginningOf(pid: number): string | null {
  try {
    if (process.platform === "linux") {
      // The 22nd field counts ticks since the machine started; the second may hold spaces and parentheses.
      const fields = fs
        .readFileSync(`/proc/${pid}/stat`, "utf8")
        .replace(/^.*\)\s*/s, "")
        .split(" ");
      const boot = fs.readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
      return `${fields[19]} ${boot}`;
    }
    if (process.platform === "win32") return null;
    const text = childProcess
      .execFileSync("ps", ["-o", "lstart=", "-p", String(pid)], {
        encoding: "utf8",
        stdio: ["ignore", "pipe", "ignore"],
      })
      .trim();
    return text === "" ? null : text;
  } catch {
    return null;
  }
}
