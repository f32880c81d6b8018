// Files and folders that appear whole or not at all: written under another name, flushed, then renamed.
import { fs, path } from "../node/index.js";
import { isActive, runNow, type Action, type Plan } from "./actions.js";
import { namesIn } from "./folders.js";
import { isRunning } from "./processes.js";

// Hidden names beside the target: `.step_5.tmp-4711-1` is being written, `.step_5.old-4711-1` is making way.
const asidePattern = /^\.(.+)\.(tmp|old)-(\d+)-(\d+)$/;
let lastNumber = 0;

/** A hidden name beside a path that nobody else uses. */
export function besides(target: string, purpose: "tmp" | "old"): string {
  const name = `.${path.basename(target)}.${purpose}-${process.pid}-${++lastNumber}`;
  const full = path.join(path.dirname(target), name);
  return fs.existsSync(full) ? besides(target, purpose) : full;
}

/** What a hidden name beside a target stands for; `null` for any other name. */
export function parseAside(name: string): { readonly of: string; readonly purpose: "tmp" | "old" } | null {
  const match = asidePattern.exec(name);
  return match === null ? null : { of: match[1], purpose: match[2] as "tmp" | "old" };
}

const encode = (data: string | Uint8Array): Uint8Array =>
  typeof data === "string" ? Buffer.from(data) : data;

/** How to put a file in place, whole. What was there before stays until the new one is safe. */
export function planFile(target: string, parts: string | readonly Uint8Array[]): Plan {
  const temporary = besides(target, "tmp");
  const parent = path.dirname(target);
  return {
    actions: [
      { kind: "makeFolder", path: parent },
      { kind: "write", path: temporary, parts: typeof parts === "string" ? [encode(parts)] : parts },
      { kind: "rename", from: temporary, to: target },
      { kind: "syncFolder", path: parent },
    ],
    undo: [{ kind: "remove", path: temporary }],
    temporary,
  };
}

/** Puts a file in place, whole, now. */
export const replaceFile = (target: string, parts: string | readonly Uint8Array[]): void =>
  runNow(planFile(target, parts));

/** A file of a folder that is to be written. */
export interface NewFile {
  readonly name: string;
  readonly parts: readonly Uint8Array[];
}

/**
 * How to put a folder of files in place. A folder cannot be renamed onto one that has files, so an older one is
 * moved aside first; whoever looks for it in that moment finds it under its hidden name (`parseAside`).
 */
export function planFolder(target: string, files: readonly NewFile[]): Plan {
  const [temporary, old] = [besides(target, "tmp"), besides(target, "old")];
  const parent = path.dirname(target);
  const exists = fs.existsSync(target);
  const only = (condition: boolean, ...actions: readonly Action[]) => (condition ? actions : []);
  return {
    actions: [
      { kind: "makeFolder", path: parent },
      { kind: "makeFolder", path: temporary },
      ...files.map(
        ({ name, parts }) => ({ kind: "write", path: path.join(temporary, name), parts }) as const,
      ),
      { kind: "syncFolder", path: temporary },
      ...only(exists, { kind: "rename", from: target, to: old }),
      { kind: "rename", from: temporary, to: target },
      { kind: "syncFolder", path: parent },
      ...only(exists, { kind: "remove", path: old }),
    ],
    undo: [
      // Fails, as it should, when the old folder never moved or the new one is in place.
      ...only(exists, { kind: "rename", from: old, to: target }),
      { kind: "remove", path: temporary },
    ],
    temporary,
  };
}

/** How to remove a folder so that it is never seen with a part of its files. */
export function planRemoval(target: string): Plan {
  const temporary = besides(target, "tmp");
  return {
    actions: [
      { kind: "rename", from: target, to: temporary },
      { kind: "remove", path: temporary },
    ],
    undo: [],
  };
}

/**
 * Removes what a killed process left behind in a folder. What a process of the same number might still need stays,
 * unless it is known that nobody else writes there.
 */
export function removeLeftovers(folder: string, { isAlone = false } = {}): void {
  for (const name of namesIn(folder)) {
    const aside = parseAside(name);
    if (aside === null) continue;
    const full = path.join(folder, name);
    const isNeeded =
      aside.purpose === "tmp"
        ? isActive(full) || (!isAlone && isOther(Number(asidePattern.exec(name)?.[3])))
        : !fs.existsSync(path.join(folder, aside.of));
    if (!isNeeded) fs.rmSync(full, { recursive: true, force: true });
  }
}

const isOther = (pid: number): boolean => pid !== process.pid && isRunning(pid);
