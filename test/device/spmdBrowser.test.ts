// Several devices in a page of a real browser: threads are its workers, and memory is shared if the page may.
import type { BrowserContext } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  isolation,
  isWithoutChromium,
  openWindow,
  openPage,
  servePages,
  type PageServer,
} from "../browser/chromium.js";
import { joinedPackage } from "../browser/joined.js";

const isOpen = (file: string): boolean => /^\/(dist|test\/browser)\//.test(file);
const isProgram = (url: string): boolean => url.endsWith("/spmd/entry.js");

describe.skipIf(isWithoutChromium("test/device/spmdBrowser.test.ts"))("a page", { timeout: 60_000 }, () => {
  let browser: BrowserContext;
  let server: PageServer;
  /** Whether the server has no program for the threads. */
  let isLacking = false;
  beforeAll(async () => {
    browser = await openWindow();
    server = await servePages(
      await joinedPackage(),
      (file) => isOpen(file) && !(isLacking && isProgram(file)),
      (url) => ({
        ...(!url.endsWith("?alone") && isolation),
        ...(isProgram(url) && { "cache-control": "no-store" }),
      }),
    );
  }, 60_000);
  afterAll(async () => {
    await browser.close();
    server.close();
  });

  /** What a page makes of expressions, one after the other. */
  async function inPage(query: "?isolated" | "?alone", expressions: readonly string[]) {
    const { page, problems } = await openPage(browser);
    await page.goto(`${server.url}/test/browser/spmd.html${query}`);
    await page.waitForFunction("globalThis.isLoaded");
    const results: unknown[] = [];
    for (const expression of expressions) results.push(await page.evaluate(expression));
    await page.close();
    expect(problems).toEqual([]);
    return results;
  }

  it("that is isolated runs on several devices once their threads have started", async () => {
    const expressions = ["atOnce()", "later()", "failing()", "later()", "atOnce()"];
    const [early, later, failed, recovered, late] = await inPage("?isolated", expressions);
    expect(early).toMatch(/^spmd: the threads of devices start only while a page is idle/);
    expect(failed).toBe("spmd: device 0 of 4 failed, and the others stopped: no console");
    expect([later, recovered, late]).toEqual(["1.5,1.5", "1.5,1.5", "1.5,1.5"]);
  });

  it("that is isolated trains on several devices as on one", async () => {
    const [losses] = await inPage("?isolated", ["trains()"]);
    const [alone, together] = losses as [number, number];
    expect(together).toBeCloseTo(alone, 4);
  });

  it("whose server lacks the program of the threads is told which", async () => {
    isLacking = true;
    const [message] = await inPage("?isolated", ["later()"]);
    isLacking = false;
    expect(message).toMatch(
      /^spmd: device 1 has no thread to run in: cannot load http:.*\/dist\/device\/wasm\/spmd\/entry\.js/,
    );
  });

  it("that is not isolated is told what to do", async () => {
    const [message] = await inPage("?alone", ["later()"]);
    expect(message).toMatch(
      /^spmd: a page shares memory between devices only where it is cross-origin isolated/,
    );
  });
});
