// WorkerVecEnv: environments in worker threads. What runs in the threads is the built package, since Node runs no
// TypeScript.
import { spawnSync } from "node:child_process";
import { fileURLToPath, pathToFileURL } from "node:url";
import { afterAll, afterEach, describe, expect, it, vi } from "vitest";
import {
  SyncVecEnv,
  vecEnvProblems,
  WorkerVecEnv,
  type HostEnv,
  type VecEnv,
  type WorkerVecEnvOptions,
} from "vibe-rl/vecEnv";
import { copyStep } from "./games.js";

const root = fileURLToPath(new URL("../..", import.meta.url));
const games = new URL("./workerGames.mjs", import.meta.url);
const open: VecEnv[] = [];

afterEach(async () => {
  vi.unstubAllGlobals();
  for (const vec of open.splice(0)) await vec.close();
});

async function walks(options: Partial<WorkerVecEnvOptions> = {}): Promise<WorkerVecEnv> {
  const vec = await WorkerVecEnv({
    url: games,
    exportName: "Walk",
    numEnvs: 3,
    numWorkers: 2,
    ...options,
  });
  open.push(vec);
  return vec;
}

/** The same walks in this thread. */
async function walksHere(numEnvs: number): Promise<VecEnv> {
  const { Walk } = (await import(games.href)) as { readonly Walk: new () => HostEnv };
  return SyncVecEnv(Array.from({ length: numEnvs }, () => () => new Walk()));
}

const actionsAt = (step: number, count: number) =>
  Int32Array.from({ length: count }, (_, index) => (step % (index + 2) === 0 ? 1 : 0));

async function play(vec: VecEnv, steps: number): Promise<unknown[]> {
  const copies: unknown[] = [];
  for (let step = 0; step < steps; step++)
    copies.push(copyStep(await vec.step(actionsAt(step, vec.numEnvs))));
  return copies;
}

async function failureOf(call: () => unknown): Promise<Error & { readonly index?: number }> {
  try {
    await call();
  } catch (error) {
    return error as Error;
  }
  throw new Error("nothing was thrown");
}

const alone = { numWorkers: 1 };

describe("WorkerVecEnv", () => {
  let shared: Promise<WorkerVecEnv> | null = null;
  /** Five walks in two workers, which are started once for all tests. */
  const several = () =>
    (shared ??= WorkerVecEnv({ url: games, exportName: "Walk", numEnvs: 5, numWorkers: 2 }));

  afterAll(async () => (await shared)?.close());

  it("gives what SyncVecEnv gives, bit for bit, however many workers there are", async () => {
    const here = await walksHere(5);
    const start = (await here.reset(7)).slice();
    const expected = await play(here, 30);
    for (const vec of [await several(), await walks({ ...alone, exportName: "later", numEnvs: 5 })]) {
      expect(await vec.reset(7)).toEqual(start);
      expect(await play(vec, 30)).toEqual(expected);
      expect(String(vec.observationSpace)).toBe(String(here.observationSpace));
      expect(String(vec.actionSpace)).toBe(String(here.actionSpace));
    }
  });

  it("takes a class, a function, what a module registers, and arguments for each environment", async () => {
    const args = (index: number) => [{ limit: index + 1 }];
    const base = { url: games.href, numEnvs: 3, numWorkers: 1, args };
    const ways = [{ exportName: "Walk" }, {}, { id: "Walk-v0", maxEpisodeSteps: 2 }];
    const ends: number[][] = [];
    for (const way of ways) {
      const vec = await WorkerVecEnv({ ...base, ...way });
      open.push(vec);
      await vec.reset(0);
      for (let step = 0; step < 2; step++) {
        ends.push([...(await vec.step(new Int32Array(3))).extras.timeOuts]);
      }
    }
    const [first, second, limited] = [
      ...[
        [1, 0, 0],
        [1, 1, 0],
      ],
      [1, 1, 1],
    ];
    expect(ends).toEqual([first, second, first, second, first, limited]);
  });

  it("takes states from SyncVecEnv and gives such, and draws pictures", async () => {
    const [here, vec] = [await walksHere(5), await several()];
    await here.reset(3);
    await play(here, 8);
    const state = await here.getState?.();
    await vec.setState?.(state);
    expect(await vec.getState?.()).toEqual(state);
    expect(await play(vec, 9)).toEqual(await play(here, 9));
    expect(await vec.render?.(2)).toBe(await here.render?.(2));
  });

  it("keeps the contract, and is closed once, however often it is told to", async () => {
    const vec = await several();
    expect(await vecEnvProblems(vec, { steps: 40 })).toEqual([]);
    await Promise.all([vec.close(), vec.close()]);
    await vec.close();
    expect((await failureOf(() => vec.step(new Int32Array(5)))).message).toContain(
      "step() comes after close()",
    );
  });
});

const troubles: Record<string, string> = {
  throws: "step threw: off the board",
  rejects: "step threw: off the board",
  nan: "the observation of step holds NaN at element 1",
  exits: "its worker has ended with code 3, as process.exit does",
  crashes: "its worker failed: in a timer",
};

/** Long enough for environments that answer, even where other processes take all cores. */
const patienceMs = 1_000;

describe("WorkerVecEnv names the environment that fails, and ends all workers:", () => {
  async function expectFailure(trouble: string, words: string, timeoutMs: number): Promise<void> {
    const args = (index: number) => [index === 1 ? { trouble } : {}];
    const vec = await walks({ numEnvs: 4, numWorkers: trouble === "throws" ? 2 : 1, args, timeoutMs });
    await vec.reset(0);
    const error = await failureOf(() => play(vec, 3));
    expect(error).toMatchObject({ name: "VecEnvError", index: 1, environment: "Walk" });
    expect(error.message).toContain("WorkerVecEnv: environment 1 (Walk): ");
    expect(error.message).toContain(words);
    if (words.startsWith("step threw"))
      expect(error.cause).toMatchObject({ name: "RangeError", message: "off the board" });
    expect((await failureOf(() => vec.step(new Int32Array(4)))).message).toContain(
      "step() comes after a failure",
    );
    await vec.close();
  }

  it.each(Object.entries(troubles))("an environment that %s", (trouble, words) =>
    expectFailure(trouble, words, 60_000),
  );

  it("an environment that hangs, or waits for what never comes", async () => {
    const words = `has not answered within ${patienceMs} ms (timeoutMs)`;
    await Promise.all(["hangs", "waits"].map((trouble) => expectFailure(trouble, words, patienceMs)));
  });

  it("no thread is left behind, and a process can end, also one that does not close its environments", () => {
    const script = `
      import { WorkerVecEnv } from ${JSON.stringify(pathToFileURL(`${root}/dist/exports/vecEnv.js`).href)};
      const make = (trouble, numWorkers) => {
        const args = (index) => [index === 0 ? { trouble } : {}];
        return WorkerVecEnv({ url: ${JSON.stringify(games.href)}, args, numEnvs: 2, numWorkers, timeoutMs: ${patienceMs} });
      };
      for (const [trouble, numWorkers] of [["throws", 2], ["hangs", 1]]) {
        const vec = await make(trouble, numWorkers);
        await vec.reset(0);
        try {
          for (let step = 0; step < 3; step++) await vec.step(new Int32Array(2));
        } catch (error) {
          console.log(error.index);
        }
      }
      console.log(process.getActiveResourcesInfo().filter((name) => /Worker|MessagePort/.test(name)).length);
      const unclosed = await make(null, 1);
      await unclosed.reset(0);
      console.log((await unclosed.step(new Int32Array(2))).rewards.length);`;
    const { status, stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", script], {
      encoding: "utf8",
      timeout: 50_000,
    });
    expect([status, stdout, stderr]).toEqual([0, "0\n0\n0\n2\n", ""]);
  });

  it("environments that cannot be made", async () => {
    const words = async (options: Partial<WorkerVecEnvOptions>) =>
      (await failureOf(() => walks({ numWorkers: 1, ...options }))).message;
    const [nowhere, unknown, noFactory, failing, noSpaces] = await Promise.all([
      words({ url: new URL("./nowhere.mjs", games) }),
      words({ exportName: "Wolk" }),
      words({ exportName: "noFactory" }),
      words({ exportName: "failing" }),
      words({ url: `data:text/javascript,export default () => ({})`, exportName: "default" }),
    ]);
    expect(nowhere).toMatch(/WorkerVecEnv: cannot load .*nowhere\.mjs/);
    expect(unknown).toContain('has no export "Wolk"; the nearest is Walk');
    expect(noFactory).toContain("must be a class or a function that makes an environment, got 3");
    expect(failing).toContain("environment 0: its factory threw: no licence");
    expect(noSpaces).toContain("environment 0: must have observationSpace");
  });

  it("options that do not fit", async () => {
    const words = async (options: object) => (await failureOf(() => walks(options))).message;
    expect(await words({ url: "./snake.js" })).toContain(
      'url must be that of a module, new URL("./snake.js", import.meta.url)',
    );
    expect(await words({ numWorkers: 4 })).toContain("numWorkers is 4, more than numEnvs, 3");
    expect(await words({ timeoutMs: -1 })).toContain("timeoutMs must be a positive number");
    expect(await words({ id: "Walk-v0" })).toContain("but not both");
    expect(await words({ export: "Walk" })).toContain(
      "there is no option `export`; did you mean `exportName`?",
    );
  });

  it("a page that may not share memory", async () => {
    // As in a browser: no Node, and a page that is not isolated.
    vi.stubGlobal("process", undefined);
    vi.stubGlobal("Worker", Object);
    vi.stubGlobal("navigator", { hardwareConcurrency: 2 });
    const error = await failureOf(() => WorkerVecEnv({ url: games, numEnvs: 2 }));
    vi.unstubAllGlobals();
    expect(error.message).toContain("only where it is cross-origin isolated");
  });
});
