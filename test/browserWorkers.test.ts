// Environments in web workers, in a real browser: WorkerVecEnv of the built package in pages that may share memory, and
// in such as may not.
import type { BrowserContext } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isWithoutChromium, openWindow, openPage, servePages, type PageServer } from "./browser/chromium.js";
import { joinedPackage } from "./browser/joined.js";

/** What makes a page cross-origin isolated; scripts have the first one in any case. */
const embedder = { "cross-origin-embedder-policy": "require-corp" };
const opener = { "cross-origin-opener-policy": "same-origin" };

/** Whether the server forgets what the worker's program needs. */
let isForgetful = false;

const headersOf = (url: string): Readonly<Record<string, string>> => {
  if (url.endsWith("?isolated")) return { ...opener, ...embedder };
  if (url.endsWith("/worker/entry.js")) return { "cache-control": "no-store", ...(!isForgetful && embedder) };
  return url.endsWith(".js") ? embedder : {};
};

interface Failure {
  readonly name: string;
  readonly message: string;
  readonly index?: number;
  readonly cause: string;
}
interface Opened {
  readonly call: <T>(name: string) => Promise<T>;
  readonly problems: readonly string[];
}
interface Both {
  readonly here: readonly unknown[];
  readonly there: readonly unknown[];
}

describe.skipIf(isWithoutChromium("test/browserWorkers.test.ts"))("WorkerVecEnv in a browser", () => {
  let server: PageServer;
  let browser: BrowserContext;
  let isolated: Opened;

  beforeAll(async () => {
    browser = await openWindow();
    server = await servePages(
      await joinedPackage(),
      (file) => /^\/(dist|test\/browser)\//.test(file),
      headersOf,
    );
    isolated = await open("?isolated");
  });

  afterAll(async () => {
    await browser.close();
    server.close();
  });

  /** A page in which functions of browser/workers.js can be called. */
  async function open(query: string) {
    const { page, problems } = await openPage(browser);
    await page.goto(`${server.url}/test/browser/workers.html${query}`);
    await page.waitForFunction("globalThis.workers");
    const call: Opened["call"] = (name) => page.evaluate(`workers.${name}()`);
    return { call, problems };
  }

  it("gives what SyncVecEnv gives", async () => {
    const { here, there } = await isolated.call<Both>("both");
    expect(there).toEqual(here);
    expect(here.length).toBeGreaterThan(200);
  });

  it("trains in a worker of the page, with workers of its own", async () => {
    const { iterations, length, loss } = await isolated.call<Record<string, number>>("trainInWorker");
    expect([iterations, length > 1, Number.isFinite(loss)]).toEqual([5, true, true]);
    expect(isolated.problems).toEqual([]);
  });

  it("names environments that throw, hang, or cannot be loaded", async () => {
    const { throws, hangs, nowhere } = await isolated.call<Record<string, Failure>>("troubles");
    expect(throws).toMatchObject({ name: "VecEnvError", index: 1, cause: "RangeError: off the board" });
    expect(throws.message).toBe("WorkerVecEnv: environment 1 (Walk): step threw: off the board");
    expect(hangs).toMatchObject({ name: "VecEnvError", index: 1 });
    expect(hangs.message).toContain("has not answered within 1000 ms (timeoutMs)");
    expect(nowhere.message).toMatch(/^WorkerVecEnv: cannot load http.*nowhere\.js: /);
  });

  it("says what to do where a page may not share memory; SyncVecEnv works there", async () => {
    const { call, problems } = await open("");
    const { said, steps } = await call<{ said: Failure; steps: number }>("refused");
    expect(said.message).toContain(
      "WorkerVecEnv: a page shares memory with workers only where it is cross-origin isolated: serve it with the " +
        "headers Cross-Origin-Opener-Policy: same-origin and Cross-Origin-Embedder-Policy: require-corp, or use " +
        "SyncVecEnv",
    );
    expect(steps).toBeGreaterThan(200);
    expect(problems).toEqual([]);
  });

  it("says so where the worker's program comes without the page's headers", async () => {
    isForgetful = true;
    const { call } = await open("?isolated");
    const { said } = await call<{ said: Failure }>("refused");
    expect(said.message).toBe(
      "WorkerVecEnv: environment 0: its worker could not load its program, vecEnv/worker/entry.js of this package: it " +
        "must lie beside the bundle where there is one, and come with the page's header " +
        "Cross-Origin-Embedder-Policy (or one of those in the same worker: 1)",
    );
  });
});
