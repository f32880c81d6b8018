// The built package in a real browser: the same programs give the same answers as in Node, from machine code.
import { existsSync, readFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { chromium, type Browser, type Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";

const root = fileURLToPath(new URL("..", import.meta.url));

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

const mimeTypes: Record<string, string> = { ".html": "text/html", ".js": "text/javascript" };

/** Serves the files that the page needs, and nothing else of the project. */
const serveFiles = (): Server =>
  createServer(({ url = "/" }, response) => {
    // The URL class takes out every "..".
    const { pathname } = new URL(url, "http://localhost");
    const file = path.join(root, pathname);
    const type = mimeTypes[path.extname(pathname)];
    if (!/^\/(dist|test\/browser)\//.test(pathname) || type === undefined || !existsSync(file)) {
      response.writeHead(404).end();
      return;
    }
    response.writeHead(200, { "content-type": type }).end(readFileSync(file));
  });

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

const load = (file: string): Promise<unknown> => import(pathToFileURL(path.join(root, file)).href);

const executablePath = findChromium();
if (executablePath === null) {
  process.stderr.write(
    "test/browser.test.ts skipped: no Chromium found (apt install chromium, or set VIBE_RL_CHROMIUM)\n",
  );
}

describe.skipIf(executablePath === null)("the built package in a browser", { timeout: 30_000 }, () => {
  const server = serveFiles();
  const problems: string[] = [];
  let browser: Browser | undefined;
  let page: Page;
  let vibe: unknown;
  let programs: Programs;

  beforeAll(async () => {
    // Node's results are to be compiled ones, too.
    vi.stubEnv("VIBE_RL_DEVICE", undefined);
    vibe = await load("dist/exports/array.js");
    programs = (await load("test/browser/programs.js")) as Programs;
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    // Chromium's sandbox refuses to run as root; the page is our own.
    browser = await chromium.launch({ executablePath: executablePath ?? "", chromiumSandbox: false });
    page = await browser.newPage();
    page.on("pageerror", (error) => problems.push(`page error: ${error.message}`));
    page.on("console", (message) => {
      if (message.type() === "error") problems.push(`console: ${message.text()}`);
    });
    await page.goto(`http://127.0.0.1:${port}/test/browser/page.html`);
  }, 60_000);

  afterAll(async () => {
    vi.unstubAllEnvs();
    await browser?.close();
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

  it("reports no error", () => {
    expect(problems).toEqual([]);
  });
});
