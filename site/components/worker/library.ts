// The library in a worker, as a page sees it.
import { connect, type Connection, type ConnectionOptions } from "./calls.js";
import type { LibraryFunctions } from "./entry.js";

export type Library = Connection<LibraryFunctions>;

/** What the site's builder has written into the page under a name. */
export function builtIn(name: string): string {
  const found = document.querySelector<HTMLMetaElement>(`meta[name="${name}"]`);
  if (found === null) throw new Error(`the page has no <meta name="${name}">: build it with npm run site`);
  return found.content;
}

export interface LibraryOptions extends ConnectionOptions {
  /** Whether visitors' modules run in it: the whole library is loaded, which they import from. Default false. */
  readonly isForVisitors?: boolean;
}

/**
 * Starts a worker with the library. It starts from a blob, which has the page's content security policy: what
 * visitors run in it cannot reach other servers either.
 */
export function startLibrary({ isForVisitors = false, ...options }: LibraryOptions = {}): Library {
  const file = builtIn(isForVisitors ? "vibe-rl-own-worker" : "vibe-rl-worker");
  const program = `import ${JSON.stringify(new URL(file, document.baseURI).href)};`;
  const address = URL.createObjectURL(new Blob([program], { type: "text/javascript" }));
  const worker = new Worker(address, { type: "module", name: "vibe-rl" });
  const library = connect<LibraryFunctions>(worker, options);
  void library.ready.finally(() => URL.revokeObjectURL(address)).catch(() => undefined);
  return library;
}
