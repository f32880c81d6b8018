// Folders that are watched: word comes when something in them changes. Where the system cannot watch, a slow look
// every now and then, which there is anyway, has to do.
import { fs } from "../node/index.js";

export class FolderWatches {
  private readonly watches = new Map<string, { close(): void }>();

  /** Watches a folder, once; one that is not there, or cannot be watched, is left. */
  add(folder: string, changed: () => void): void {
    if (this.watches.has(folder)) return;
    try {
      const watch = fs.watch(folder, { persistent: false }, changed);
      watch.on("error", () => this.remove(folder));
      this.watches.set(folder, watch);
    } catch {
      // The slow look finds what changes there.
    }
  }

  remove(folder: string): void {
    this.watches.get(folder)?.close();
    this.watches.delete(folder);
  }

  close(): void {
    for (const folder of [...this.watches.keys()]) this.remove(folder);
  }
}
