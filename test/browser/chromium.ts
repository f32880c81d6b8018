// A real browser for tests, where one is installed, and a server for its pages.
import { existsSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { chromium, type Browser, type BrowserContext, type Page } from "playwright-core";
import { unhurriedNow } from "../unhurried.js";

/** The browser's program, or null where none is installed. */
function findChromium(): string | null {
  const given = process.env.VIBE_RL_CHROMIUM ?? "";
  if (given !== "") {
    if (!existsSync(given)) throw new Error(`VIBE_RL_CHROMIUM is ${given}, but there is no such file`);
    return given;
  }
  const names = ["chromium", "chromium-browser", "google-chrome"];
  const folders = [...(process.env.PATH ?? "").split(path.delimiter), "/usr/bin"];
  const candidates = names.flatMap((name) => folders.map((folder) => path.join(folder, name)));
  return candidates.find((file) => existsSync(file)) ?? null;
}

const executablePath = findChromium();

/** Whether there is no browser here; says so once. */
export function isWithoutChromium(who: string): boolean {
  if (executablePath !== null) return false;
  process.stderr.write(`${who} skipped: no Chromium found (apt install chromium, or set VIBE_RL_CHROMIUM)\n`);
  return true;
}

let started: Promise<Browser> | null = null;

/** The browser of this process, for all test files that run in it; it ends when the process does. */
async function runningChromium(): Promise<Browser> {
  const browser = await started;
  if (browser?.isConnected() === true) return browser;
  return (started = chromium.launch({
    executablePath: executablePath ?? "",
    // Chromium's sandbox refuses to run as root; the pages are our own.
    chromiumSandbox: false,
    args: [`--js-flags=${unhurriedNow.join(" ")}`],
  }));
}

/** A browser's window: its pages share a cache and storage, which others do not see. */
export const openWindow = async (): Promise<BrowserContext> => (await runningChromium()).newContext();

const mimeTypes: Record<string, string> = {
  ".html": "text/html",
  ".js": "text/javascript",
  ".css": "text/css",
};

export interface PageServer {
  readonly url: string;
  readonly close: () => void;
}

/** What pages that share memory with their workers are served with. */
export const isolation = {
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-embedder-policy": "require-corp",
} as const;

/** Serves pages and scripts in a folder, as long as their path is one that `isOpen`; `headersOf` adds headers. */
export async function servePages(
  folder: string,
  isOpen: (pathname: string) => boolean = () => true,
  headersOf: (url: string) => Readonly<Record<string, string>> = () => ({}),
): Promise<PageServer> {
  const server = createServer(({ url = "/" }, response) => {
    // The URL class takes out every "..".
    const { pathname } = new URL(url, "http://localhost");
    const file = path.join(folder, pathname);
    const type = mimeTypes[path.extname(pathname)];
    if (!isOpen(pathname) || type === undefined || !existsSync(file)) {
      response.writeHead(404).end();
      return;
    }
    // What is built stays as it is: every page and worker loads the same modules.
    const caching = pathname.startsWith("/dist/") ? { "cache-control": "max-age=600" } : {};
    response.writeHead(200, { ...caching, ...headersOf(url), "content-type": type }).end(readFileSync(file));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, close: () => void server.close() };
}

/** A new page, and the errors and warnings that it has reported. */
export async function openPage(window: BrowserContext): Promise<{ page: Page; problems: string[] }> {
  const page = await window.newPage();
  const problems: string[] = [];
  page.on("pageerror", (error) => problems.push(`page error: ${error.message}`));
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) problems.push(`console: ${message.text()}`);
  });
  return { page, problems };
}
