// The built package in a real browser, as it is: the same programs give the same answers as in Node, from machine code.
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { isWithoutChromium, openWindow, openPage, servePages, type PageServer } from "./browser/chromium.js";

const root = fileURLToPath(new URL("..", import.meta.url));

/** An array as plain data. */
interface Plain {
  readonly dtype: string;
  readonly shape: readonly number[];
  readonly values: readonly number[];
}
type Result = Record<string, Plain>;

/** What this file itself uses of browser/programs.js. */
interface Programs {
  readonly integers: (vibe: unknown) => Result;
  readonly floats: (vibe: unknown) => Result;
  readonly called: string;
}

/** What test/browser/train.html has got out of its programs. */
interface TrainingResults {
  readonly ppo: { readonly first: number; readonly last: number };
  readonly everything: { readonly errors: Readonly<Record<string, string>> };
}

const load = (file: string): Promise<unknown> => import(pathToFileURL(path.join(root, file)).href);

const isSkipped = isWithoutChromium("test/browser.test.ts");

describe.skipIf(isSkipped)("the built package in a browser", { timeout: 60_000 }, () => {
  let server: PageServer;
  let problems: string[];
  let browser: BrowserContext;
  let page: Page;
  let vibe: unknown;
  let programs: Programs;

  beforeAll(async () => {
    // Node's results are to be compiled ones, too.
    vi.stubEnv("VIBE_RL_DEVICE", undefined);
    vibe = await load("dist/exports/array.js");
    programs = (await load("test/browser/programs.js")) as Programs;
    server = await servePages(root, (file) => /^\/(dist|test\/(browser|package\/programs))\//.test(file));
    browser = await openWindow();
    ({ page, problems } = await openPage(browser));
    await page.goto(`${server.url}/test/browser/page.html`);
  }, 60_000);

  afterAll(async () => {
    vi.unstubAllEnvs();
    await browser.close();
    server.close();
  });

  const inPage = <T>(expression: string): Promise<T> => page.evaluate<T>(expression);

  it("loads as it is, by an import map", async () => {
    expect(problems).toEqual([]);
    expect(await inPage("typeof vibe.jit")).toBe("function");
  });

  it("computes the same integers and random bits as in Node", async () => {
    const here = programs.integers(vibe);
    const there = await inPage<Result>("programs.integers(vibe)");
    expect(there).toEqual(here);
    expect(new Set(there.bits.values).size).toBe(7 * 40);
  });

  it("computes the same floats as in Node, but for rounding", async () => {
    const here = programs.floats(vibe);
    const there = await inPage<Result>("programs.floats(vibe)");
    const described = (result: Result) =>
      Object.entries(result).map(([name, { dtype, shape, values }]) => [name, dtype, shape, values.length]);
    expect(described(there)).toEqual(described(here));
    for (const [name, { values }] of Object.entries(here)) {
      // Relative to the largest element: those near zero are differences of larger ones.
      const scale = Math.max(...values.map(Math.abs));
      const errors = there[name].values.map((value, index) => Math.abs(value - values[index]) / scale);
      expect(Math.max(...errors), name).toBeLessThan(1e-6);
    }
  });

  it("runs `jit` as machine code by default", async () => {
    for (const name of ["integers", "floats"]) {
      const given = await inPage(`programs.withoutMachineCode(() => programs.${name}(vibe))`);
      expect([name, given]).toEqual([name, programs.called]);
    }
    // The interpreter does not need it.
    const { sum } = await inPage<Result>("programs.withoutMachineCode(() => programs.interpreted(vibe))");
    expect(sum.values).toEqual([30]);
  });

  it("compiles ahead of time in the background", async () => {
    const inTime = await inPage<Result>("programs.precompiled(vibe, { ahead: true })");
    expect(inTime.sum.values).toEqual([30]);
    const tooLate = await inPage("programs.precompiled(vibe, { ahead: false })");
    expect(tooLate).toContain("compiled at once");
  });

  it("has programs for workers, which load as they are", async () => {
    const answer = (source: string, request = "") =>
      inPage<unknown>(`new Promise((resolve, reject) => {
        const worker = new Worker(${source}, { type: "module" });
        worker.onmessage = ({ data }) => (worker.terminate(), resolve(data));
        worker.onerror = ({ message }) => reject(new Error(message ?? "not loaded"));
        ${request}
      })`);
    // This one speaks only where memory is shared.
    const loading = `import("${server.url}/dist/device/wasm/spmd/entry.js").then(() => postMessage("loaded"))`;
    const blob = `new Blob([${JSON.stringify(loading)}], { type: "text/javascript" })`;
    expect(await answer(`URL.createObjectURL(${blob})`)).toBe("loaded");
    const load = {
      ...{ kind: "load", url: `${server.url}/test/browser/walk.js`, exportName: "Walk", id: null },
      ...{ args: [[]], first: 0, maxEpisodeSteps: null },
    };
    expect(
      await answer(`"/dist/vecEnv/worker/entry.js"`, `worker.postMessage(${JSON.stringify(load)});`),
    ).toMatchObject({
      kind: "result",
      value: { environments: [{ environment: "Walk" }] },
    });
  });

  it("reports no error", () => {
    expect(problems).toEqual([]);
  });

  it("trains without a bundler, and says what needs Node", async () => {
    const { page: training, problems: reported } = await openPage(browser);
    await training.goto(`${server.url}/test/browser/train.html`);
    await training.waitForFunction("globalThis.everything", null, { timeout: 50_000 });
    const { ppo, everything } = await training.evaluate<TrainingResults>("results()");
    expect(ppo.last).toBeGreaterThan(2 * ppo.first);
    for (const [name, message] of Object.entries(everything.errors)) {
      expect([name, message]).toEqual([name, expect.stringContaining("files need Node 20.16 or newer")]);
    }
    expect(reported).toEqual([]);
  });
});
