// The package from its tarball, bundled for pages by the bundlers that users have, run in a browser and in Node. All of
// them, with all programs in pages, take `npm run test:long`.
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import * as esbuild from "esbuild";
import type { BrowserContext } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isWithoutChromium, openWindow, openPage, servePages, type PageServer } from "../browser/chromium.js";
import { isLong, itLong } from "../long.js";
import { bundlers, kilobytesLoadedFirst, type Bundle } from "./bundlers.js";
import { root } from "./modules.js";
import { installedProject, type Project } from "./project.js";
import { unhurried } from "../unhurried.js";

/** What the programs leave in `globalThis.result`. */
interface Results {
  readonly array: { readonly doubled: readonly number[]; readonly compiled: number };
  readonly ppo: { readonly updates: number; readonly first: number; readonly last: number };
  readonly everything: {
    readonly line: readonly [slope: number, offset: number];
    readonly records: readonly (readonly number[])[];
    readonly subPaths: readonly number[];
    readonly actions: readonly [own: number, loaded: number];
    readonly errors: Readonly<Record<string, string>>;
  };
}
type ProgramName = keyof Results;

const programs: readonly ProgramName[] = ["array", "ppo", "everything"];
const names = Object.keys(bundlers);
const bundles: Record<string, Record<string, Bundle>> = {};
let project: Project;

function expectArrayResult({ doubled, compiled }: Results["array"]): void {
  expect(doubled).toEqual([2, 2]);
  expect(compiled).toBeCloseTo(6 * Math.tanh(0.5), 5);
}

beforeAll(async () => {
  project = await installedProject();
  const { folder } = project;
  const bundleAll = async (name: string): Promise<void> => {
    bundles[name] = {};
    for (const program of programs) {
      try {
        bundles[name][program] = await bundlers[name](folder, program, `bundles/${name}-${program}`);
      } catch (error) {
        throw new Error(`${name} cannot bundle ${program}.js: ${String(error)}`, { cause: error });
      }
    }
  };
  await Promise.all(names.map(bundleAll));
}, 600_000);

afterAll(() => project.remove());

describe("bundles for browsers", () => {
  it.each(names)("are made by %s without a warning", (name) => {
    for (const program of programs) {
      expect([program, ...bundles[name][program].warnings]).toEqual([program]);
    }
  });

  it("are of the sizes that docs/browsers.md tells", () => {
    const docs = readFileSync(path.join(root, "docs", "browsers.md"), "utf8");
    const rows = names.map((name) => {
      const row = new RegExp(`^\\| ${name}\\b[^|]*\\|((?:[^|]* KB *\\|)+)$`, "m").exec(docs)?.[1] ?? "";
      const told = [...row.matchAll(/([\d.]+) KB/g)].map((match) => Number(match[1]));
      const measured = programs.map((program) =>
        kilobytesLoadedFirst(project.folder, bundles[name][program]),
      );
      const isTrue = measured.map((size, at) => size < 1.04 * told[at] && size > 0.9 * told[at]);
      return { name, told, measured, isTrue };
    });
    expect(rows).toEqual(rows.map((row) => ({ ...row, isTrue: [true, true, true] })));
  });
});

describe.skipIf(isLong)("a small bundle in Node", () => {
  it.each(names)("by %s keeps the methods of arrays and the device", (name) => {
    const script = `await import("./${bundles[name].array.entry}");
      console.log(JSON.stringify(await globalThis.result));`;
    const output = execFileSync(process.execPath, ["--input-type=module", "-e", script], {
      ...{ cwd: project.folder, encoding: "utf8" },
    });
    expectArrayResult(JSON.parse(output) as Results["array"]);
  });
});

const isSkipped = isWithoutChromium("test/package/bundles.test.ts, in part,");

describe.skipIf(isSkipped)("bundles in a browser", () => {
  let server: PageServer;
  let browser: BrowserContext;

  beforeAll(async () => {
    const { folder } = project;
    for (const name of names) {
      for (const program of programs) {
        const { entry, isModule } = bundles[name][program];
        const script = `<script ${isModule ? 'type="module"' : "defer"} src="/${entry}"></script>`;
        const head = '<!doctype html><link rel="icon" href="data:," />';
        writeFileSync(path.join(folder, `${name}-${program}.html`), head + script);
      }
    }
    writeFileSync(path.join(folder, "empty.html"), '<!doctype html><link rel="icon" href="data:," />');
    server = await servePages(folder, (file) => /^\/(bundles\/.*|[\w-]+\.html)$/.test(file));
    browser = await openWindow();
  }, 60_000);
  afterAll(async () => {
    await browser.close();
    server.close();
  });

  /** What a program's page computes; any error or warning in the page's console fails. */
  async function run<P extends ProgramName>(name: string, program: P): Promise<Results[P]> {
    const { page, problems } = await openPage(browser);
    await page.goto(`${server.url}/${name}-${program}.html`);
    try {
      await page.waitForFunction("globalThis.result", null, { timeout: 20_000 });
    } catch (error) {
      throw new Error(`${name}-${program} has no result: ${problems.join("; ")}`, { cause: error });
    }
    const result = await page.evaluate<Results[P]>("result");
    expect(problems).toEqual([]);
    await page.close();
    return result;
  }

  itLong.each(names)("by %s keep the methods of arrays and the device", async (name) => {
    expectArrayResult(await run(name, "array"));
  });

  it.each(names)("by %s train PPO, and it learns", async (name) => {
    const { updates, first, last } = await run(name, "ppo");
    expect(updates).toBe(40);
    expect(last).toBeGreaterThan(2 * first);
  });

  it.each(names)("by %s carry every sub-path; what needs files says so", async (name) => {
    const { line, records, subPaths, actions, errors } = await run(name, "everything");
    expect(line[0]).toBeCloseTo(3, 2);
    expect(line[1]).toBeCloseTo(-1, 2);
    expect(records).toEqual([
      [100, 200, 300],
      [100, 200, 300],
    ]);
    expect(Math.min(...subPaths)).toBeGreaterThan(0);
    expect([0, 1]).toContain(actions[0]);
    expect(actions[1]).toBe(actions[0]);
    for (const [action, message] of Object.entries(errors)) {
      expect([action, message]).toEqual([action, expect.stringContaining("files need Node 20.16 or newer")]);
    }
  });

  itLong("train in a worker, too", async () => {
    const { page, problems } = await openPage(browser);
    await page.goto(`${server.url}/empty.html`);
    const url = JSON.stringify(`${server.url}/${bundles.Vite.ppo.entry}`);
    const { first, last } = await page.evaluate<Results["ppo"]>(`new Promise((resolve, reject) => {
      const fail = '(error) => setTimeout(() => { throw error; })';
      const text = 'import(${url}).then(() => globalThis.result).then(postMessage).catch(' + fail + ')';
      const source = URL.createObjectURL(new Blob([text], { type: "text/javascript" }));
      const worker = new Worker(source, { type: "module" });
      worker.onmessage = ({ data }) => resolve(data);
      worker.onerror = ({ message }) => reject(new Error(message));
    })`);
    expect(last).toBeGreaterThan(2 * first);
    expect(problems).toEqual([]);
  });
});

describe("a program of Node without koffi", () => {
  it("says what to install where it wants native code or a GPU, and goes on without", () => {
    const script = `
      import { jit, np } from "vibe-rl";
      const f = (device) => jit((x) => x.add(1), { device })(np.float32(1)).item();
      for (const device of ["native", "cuda"])
        try { f(device); } catch ({ message }) { console.log(message); }
      console.log(f("auto"));`;
    const output = execFileSync(process.execPath, ["--input-type=module", "-e", script], {
      // Any program will do as a compiler that is not needed.
      ...{ cwd: project.folder, encoding: "utf8", env: { ...process.env, CC: process.execPath } },
    });
    expect(output.trim().split("\n")).toEqual([
      expect.stringMatching(
        /^native: native programs cannot run here: the package koffi, .*: npm install koffi\. /,
      ),
      expect.stringMatching(
        /^cuda: programs cannot run on a GPU here: the package koffi, .*: npm install koffi\. /,
      ),
      "2",
    ]);
  });
});

describe("a program of Node with worker threads", () => {
  it("works from the tarball", () => {
    const output = execFileSync(process.execPath, [...unhurried, "workers.js"], {
      cwd: project.folder,
      encoding: "utf8",
    });
    expect(JSON.parse(output)).toEqual({ numEnvs: 3, isSame: true });
  });
});

describe("a program of Node with files", () => {
  /** What files.js leaves on the disk when a script of it is run. */
  function filesOf(script: string): unknown {
    const { folder } = project;
    const runs = path.join(folder, `runs of ${path.basename(script)}`);
    mkdirSync(runs);
    return JSON.parse(
      execFileSync(process.execPath, [...unhurried, script, runs], { cwd: folder, encoding: "utf8" }),
    );
  }
  const expected = { steps: [128], records: 3 };

  it("works as it is", () => {
    expect(filesOf("files.js")).toEqual(expected);
  });

  it.each(isLong ? (["node", "browser"] as const) : (["browser"] as const))(
    "works bundled for platform %s",
    async (platform) => {
      const { folder } = project;
      const outfile = path.join(folder, `files-${platform}.mjs`);
      const entryPoints = [path.join(folder, "files.js")];
      await esbuild.build({ entryPoints, outfile, platform, bundle: true, format: "esm", logLevel: "error" });
      expect(filesOf(outfile)).toEqual(expected);
    },
  );
});
