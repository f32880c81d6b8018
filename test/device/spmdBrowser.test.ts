// Several devices in a page of a real browser: threads are its workers, and memory is shared if the page may.
import { fileURLToPath } from "node:url";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isolation, isWithoutChromium, launchChromium, openPage, servePages } from "../browser/chromium.js";

const root = fileURLToPath(new URL("../..", import.meta.url));
const isOpen = (file: string): boolean => /^\/(dist|test\/browser)\//.test(file);

describe.skipIf(isWithoutChromium("test/device/spmdBrowser.test.ts"))("a page", { timeout: 60_000 }, () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchChromium();
  }, 60_000);
  afterAll(() => browser.close());

  /** What a page makes of expressions, one after the other. */
  async function inPage(
    headers: Readonly<Record<string, string>>,
    expressions: readonly string[],
    isServed = isOpen,
  ) {
    const server = await servePages(root, isServed, () => headers);
    const { page, problems } = await openPage(browser);
    await page.goto(`${server.url}/test/browser/spmd.html`);
    await page.waitForFunction("globalThis.isLoaded");
    const results: unknown[] = [];
    for (const expression of expressions) results.push(await page.evaluate(expression));
    await page.close();
    server.close();
    expect(problems).toEqual([]);
    return results;
  }

  it("that is isolated runs on several devices once their threads have started", async () => {
    const expressions = ["atOnce()", "later()", "failing()", "later()", "atOnce()"];
    const [early, later, failed, recovered, late] = await inPage(isolation, expressions);
    expect(early).toMatch(/^spmd: the threads of devices start only while a page is idle/);
    expect(failed).toBe("spmd: device 0 of 4 failed, and the others stopped: no console");
    expect([later, recovered, late]).toEqual(["1.5,1.5", "1.5,1.5", "1.5,1.5"]);
  });

  it("that is isolated trains on several devices as on one", async () => {
    const [losses] = await inPage(isolation, ["trains()"]);
    const [alone, together] = losses as [number, number];
    expect(together).toBeCloseTo(alone, 4);
  });

  it("whose server lacks the program of the threads is told which", async () => {
    const isServed = (file: string): boolean => isOpen(file) && !file.endsWith("/spmd/entry.js");
    const [message] = await inPage(isolation, ["later()"], isServed);
    expect(message).toMatch(
      /^spmd: device 1 has no thread to run in: cannot load http:.*\/dist\/device\/wasm\/spmd\/entry\.js/,
    );
  });

  it("that is not isolated is told what to do", async () => {
    const [message] = await inPage({}, ["later()"]);
    expect(message).toMatch(
      /^spmd: a page shares memory between devices only where it is cross-origin isolated/,
    );
  });
});
