// What may be served: files whose real place is inside the directory of all runs.
import { fs, path } from "../node/index.js";

export interface Fence {
  /** The real place of the directory. */
  readonly base: string;
  /** The real place of a path inside it; null for what is not there, or leads out of it by links or dots. */
  inside(...parts: readonly string[]): string | null;
}

/** Whether a name is that of one thing in a folder, and no way to elsewhere. */
export const isPlainName = (name: string): boolean =>
  name !== "" && name !== "." && name !== ".." && !/[\\/\0]/.test(name);

/** The fence around a directory, which must be there. */
export function fenceAround(directory: string): Fence {
  const base = fs.realpathSync(directory);
  return {
    base,
    inside: (...parts) => {
      const target = path.join(base, ...parts);
      if (target.includes("\0")) return null;
      try {
        const real = fs.realpathSync(target);
        return real === base || real.startsWith(base.endsWith(path.sep) ? base : base + path.sep)
          ? real
          : null;
      } catch {
        return null;
      }
    },
  };
}
