// Policies as JavaScript modules: they act as ours do, in Node, in a page and in a worker, and need nothing else.
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { PPO } from "vibe-rl/algorithms/ppo";
import { random } from "vibe-rl/array";
import { createPolicy, exportPolicy, type Action, type Policy } from "vibe-rl/policy";
import { isWithoutChromium, openWindow, openPage, servePages, type PageServer } from "../browser/chromium.js";
import { temporaryFolder } from "../temporary.js";
import { distance, examples, observationsOf } from "./examples.js";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** What an exported module has. */
interface Module {
  readonly metadata: { readonly algorithm: string };
  readonly space: { readonly kind: string };
  readonly act: (obs: ArrayLike<number> | readonly unknown[]) => Action;
  readonly actBatch: (list: unknown) => Action[];
  readonly seed?: (value: number) => void;
}

async function imported(policy: Policy, options: { readonly sample?: boolean } = {}): Promise<Module> {
  const file = path.join(temporaryFolder(), "policy.mjs");
  writeFileSync(file, (await exportPolicy(policy, { format: "js", ...options })).bytes);
  return (await import(pathToFileURL(file).href)) as Module;
}

const wide = { hiddenSizes: [64, 64] };
const cartPole = () => createPolicy("ppo", PPO.init(random.key(0), [4], 2, wide), { config: wide });

describe("exportPolicy to JavaScript", () => {
  it.each(Object.keys(examples))("acts as the policy does: %s", async (name) => {
    const policy = await examples[name]();
    const { act, actBatch, metadata, space } = await imported(policy);
    const observations = observationsOf(policy);
    const ours = policy.actBatch(observations as Float32Array[]);
    expect(
      distance(
        observations.map((obs) => act(obs)),
        ours,
      ),
    ).toBeLessThan(1e-5);
    expect(distance(actBatch(observations), ours)).toBeLessThan(1e-5);
    expect(distance(actBatch(observations.map((obs) => [...obs])), ours)).toBeLessThan(1e-5);
    expect([metadata, space.kind]).toEqual([policy.metadata, policy.space.kind]);
  });

  it.each(Object.keys(examples))("samples what loadPolicy samples, with the same seed: %s", async (name) => {
    const module = await imported(await examples[name](), { sample: true });
    for (const seed of [0, 7]) {
      const policy = await examples[name]({ explore: true, seed });
      module.seed?.(seed);
      const observations = observationsOf(policy, 8);
      const ours = observations.map((obs) => policy.act(obs));
      expect(
        distance(
          observations.map((obs) => module.act(obs)),
          ours,
        ),
      ).toBeLessThan(1e-5);
    }
  });

  it("is one small file without imports: a policy of (64, 64) has at most 30,000 bytes", async () => {
    const { files, bytes } = await exportPolicy(await cartPole(), { format: "js", name: "cartpole" });
    expect(files.map(({ name }) => name)).toEqual(["cartpole.js", "cartpole.d.ts"]);
    expect(bytes.length).toBeLessThanOrEqual(30_000);
    expect(new TextDecoder().decode(bytes)).not.toMatch(
      /\bimport\b|\brequire\b|\bawait\b|\bprocess\b|\bBuffer\b/,
    );
  });

  it("returns actions of their own, and says what is wrong with observations", async () => {
    const { act, actBatch } = await imported(await examples.SAC());
    const [first, second] = [act([1, 2, 3, 4]), act([4, 3, 2, 1])] as Float32Array[];
    expect([...first]).not.toEqual([...second]);
    expect(actBatch(Float32Array.of(1, 2, 3, 4, 4, 3, 2, 1))).toEqual([first, second]);
    expect(() => act([1, 2, 3])).toThrow("act: an observation has 4 numbers ([4]), got 3");
    expect(() => act(undefined as never)).toThrow("got undefined");
    expect(() => act([1, 2, 3, "4"])).toThrow("an observation has something else than numbers in it");
    expect(() => actBatch(new Float32Array(6))).toThrow("actBatch: 4 numbers are an observation, got 6");
    const { seed } = await imported(await examples.SAC(), { sample: true });
    expect(() => seed?.(-1)).toThrow("seed: a whole number is wanted, got -1");
  });

  it("has types that TypeScript takes", async () => {
    const folder = temporaryFolder();
    const policies = { discrete: await cartPole(), sampling: await examples.SAC() };
    for (const [name, policy] of Object.entries(policies)) {
      const { files } = await exportPolicy(policy, { format: "js", name, sample: name === "sampling" });
      for (const file of files) writeFileSync(path.join(folder, file.name), file.bytes);
    }
    writeFileSync(
      path.join(folder, "use.ts"),
      [
        'import { act, actBatch, metadata, space } from "./discrete.js";',
        'import { act as sampled, seed } from "./sampling.js";',
        "const action: number = act([0, 0, 0, 0]);",
        "const all: number[] = actBatch([new Float32Array(4)]);",
        'const algorithm: "ppo" = metadata.algorithm;',
        "const count: number = space.n;",
        "seed(3);",
        "const torque: Float32Array = sampled([[1, 2], [3, 4]]);",
        "// @ts-expect-error an observation is no text",
        'act("left");',
        "export { action, all, algorithm, count, torque };",
      ].join("\n"),
    );
    const compiler = path.join(root, "node_modules", "typescript-native", "bin", "tsc");
    const flags = [
      "--strict",
      "--noEmit",
      "--module",
      "nodenext",
      "--lib",
      "es2022",
      "--types",
      "",
      "use.ts",
    ];
    const { status, stdout } = spawnSync(process.execPath, [compiler, ...flags], {
      cwd: folder,
      encoding: "utf8",
    });
    expect([stdout, status]).toEqual(["", 0]);
  });
});

/** What the page has exported, and the actions of what it has loaded. */
interface Exported {
  readonly onnx: readonly number[];
  readonly js: readonly number[];
  readonly actions: readonly (readonly number[])[];
}

describe.skipIf(isWithoutChromium("test/policy/jsModule.test.ts"))("exported policies in a browser", () => {
  let server: PageServer;
  let browser: BrowserContext;
  let page: Page;
  let problems: string[];
  beforeAll(async () => {
    server = await servePages(root, (file) => /^\/(dist|test\/browser)\//.test(file));
    browser = await openWindow();
    ({ page, problems } = await openPage(browser));
    await page.goto(`${server.url}/test/browser/policy.html`);
  });
  afterAll(async () => {
    await browser.close();
    server.close();
  });

  /** Calls a function of test/browser/policy.js. */
  const inPage = <T>(name: string, given: object): Promise<T> =>
    page.evaluate<T>(`policies.${name}(${JSON.stringify(given)})`);

  const textOf = async (policy: Policy): Promise<string> =>
    new TextDecoder().decode((await exportPolicy(policy, { format: "js" })).bytes);

  it("act in the page and in a worker as in Node", async () => {
    for (const name of ["PPO, discrete", "PPO, images", "SAC"]) {
      const policy = await examples[name]();
      const observations = observationsOf(policy, 5).map((obs) => [...obs]);
      const given = { text: await textOf(policy), list: observations };
      const found = await inPage<(number | number[])[][]>("act", given);
      const ours = policy.actBatch(observations);
      for (const list of found) {
        const actions = list.map((action) =>
          typeof action === "number" ? action : Float32Array.from(action),
        );
        expect(distance(actions, ours)).toBeLessThan(1e-5);
      }
    }
    expect(problems).toEqual([]);
  });

  it("are exported and loaded by the package in the page, with the same bytes", async () => {
    const policy = await examples["PPO, normalised"]();
    const source = [...policy.toSafetensors()];
    const observations = observationsOf(policy, 5).map((obs) => [...obs]);
    const found = await inPage<Exported>("exported", { bytes: source, list: observations });
    const ours = policy.actBatch(observations);
    expect(found.actions).toEqual([ours, ours]);
    for (const format of ["onnx", "js"] as const) {
      expect(Buffer.from(found[format]).equals((await exportPolicy(policy, { format })).bytes)).toBe(true);
    }
    expect(problems).toEqual([]);
  });
});
