// The site as `npm run site` builds it, served as static hosts do, with a note of every request.
import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";
import type { Page } from "playwright-core";
import { isolation, servePages, type PageServer } from "../browser/chromium.js";

const repository = fileURLToPath(new URL("../..", import.meta.url));

export interface Site extends PageServer {
  /** What was asked for, in order. */
  readonly requests: string[];
  /** How many bytes of the site's files go over the wire, compressed by gzip. */
  readonly compressed: (requests: readonly string[]) => number;
}

/** Builds the site, for `serveSite`. */
export async function buildSite(): Promise<string> {
  const tool = pathToFileURL(path.join(repository, "tools", "site.mjs")).href;
  const folder = mkdtempSync(path.join(tmpdir(), "vibe-rl-site-"));
  const { buildSite: build } = (await import(/* @vite-ignore */ tool)) as {
    buildSite: (outDir: string) => Promise<void>;
  };
  await build(folder);
  return folder;
}

/** Serves the site; `isIsolated` as a host that sends the headers which sharing memory needs. */
export async function serveSite(folder: string, isIsolated = false): Promise<Site> {
  const requests: string[] = [];
  const server = await servePages(
    folder,
    () => true,
    (url) => {
      requests.push(url);
      return { "cache-control": "max-age=600", ...(isIsolated && isolation) };
    },
  );
  const size = (url: string): number => gzipSync(readFileSync(path.join(folder, url))).length;
  return { ...server, requests, compressed: (urls) => urls.reduce((sum, url) => sum + size(url), 0) };
}

/** Trains, and waits for the end of it. */
export async function train(page: Page): Promise<string> {
  await page.click("#train:enabled");
  return trained(page);
}

/** Waits for the end of a run, and returns its figures. */
export async function trained(page: Page, within = "#run"): Promise<string> {
  const figures = page.locator(`${within} .figures`);
  await figures.filter({ hasText: /^(Done|Stopped|Failed)/ }).waitFor();
  return (await figures.textContent()) ?? "";
}

/** Replaces what stands in the editor. */
export async function write(page: Page, text: string): Promise<void> {
  await page.click(".cm-content");
  await page.keyboard.press("ControlOrMeta+A");
  await page.keyboard.insertText(text);
}
