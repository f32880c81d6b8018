// The dashboard's server: what it tells of runs, and that it tells it while they appear, grow, end and go.
import { appendFileSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { networkInterfaces } from "node:os";
import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { startDashboard, type RunDetails, type RunList } from "../../src/dashboard/index.js";
import { noteOutcome } from "../../src/files/index.js";
import { beginningOf } from "../../src/files/processes.js";
import { temporaryFolder } from "../temporary.js";
import { ask, askJson, curvesIn, dashboardOf, listen, pageDir } from "./client.js";
import { at, grow, line, lock, writeRun } from "./runs.js";

const runsOf = async (board: Parameters<typeof ask>[0]) => (await askJson<RunList>(board, "/api/runs")).runs;

describe("the list", () => {
  it("has everything that config and log say", async () => {
    const base = temporaryFolder();
    writeRun(base, "CartPole-v1_ppo_20260102_030405", [
      at(1000, 10),
      at(2000, 30),
      { step: 2000, eval_return: 25 },
      at(3000, 20),
    ]);
    const board = await dashboardOf(base);
    expect(await runsOf(board)).toMatchObject([
      {
        id: "CartPole-v1_ppo_20260102_030405",
        name: "CartPole-v1_ppo",
        env: "CartPole-v1",
        algo: "ppo",
        seed: 0,
        step: 3000,
        total: 100_000,
        records: 4,
        lastReturn: 20,
        bestReturn: 25,
        isBestEvaluated: true,
        began: new Date(2026, 0, 2, 3, 4, 5).getTime() / 1000,
        metrics: ["episode_return", "critic_loss", "eval_return"],
        isLoaded: true,
      },
    ]);
  });

  it("tells running, stale, done, stopped, diverged and failed runs apart", async () => {
    const base = temporaryFolder();
    const named = (name: string) => writeRun(base, `${name}_20260101_000000`, [at(50_000, 1)]);
    lock(named("running"), { began: beginningOf(process.pid) });
    lock(named("away"), { host: "elsewhere" });
    lock(named("stale"), { pid: 2 ** 30 });
    for (const state of ["done", "stopped", "diverged", "failed"] as const)
      noteOutcome(path.join(named(state).root, "logs"), { state, step: 50_000, message: `it ${state}` });
    // Runs from before such notes: as far as they came, a whole number of updates.
    named("half");
    writeRun(base, "whole_20260101_000000", [at(99_840, 1)]);
    writeRun(base, "new_20260101_000000");
    const board = await dashboardOf(base);
    const told = Object.fromEntries(
      (await runsOf(board)).map(({ name, status, message }) => [name, [status, message]]),
    );
    expect(told).toEqual({
      running: ["running", null],
      away: ["running", "on elsewhere; whether it still runs can only be seen there"],
      stale: ["stale", `its process ${2 ** 30} has gone without ending the run`],
      done: ["done", "it done"],
      stopped: ["stopped", "it stopped"],
      diverged: ["diverged", "it diverged"],
      failed: ["failed", "it failed"],
      half: ["stopped", null],
      whole: ["done", null],
      new: ["empty", "it has no records yet"],
    });
  });

  it("groups runs that differ in nothing but their seeds", async () => {
    const base = temporaryFolder();
    const config = (lr: number, seed: number) => ({ algo_config: { lr }, runner: { seed } });
    writeRun(base, "a_20260101_000000", [], config(1, 0));
    writeRun(base, "a_20260101_000001", [], config(1, 1));
    writeRun(base, "a_20260101_000002", [], config(2, 0));
    const [first, second, third] = (await runsOf(await dashboardOf(base))).map(({ group }) => group);
    expect(first).toBe(second);
    expect(first).not.toBe(third);
  });

  it("has runs with a config or a log that cannot be read, and says why", async () => {
    const base = temporaryFolder();
    const { root, log, id } = writeRun(base, "a_20260101_000000");
    writeFileSync(path.join(root, "config.json"), "{ no json");
    appendFileSync(log, `garbage\n${line(at(5, 5))}{"step":6,"episode_r`);
    const board = await dashboardOf(base);
    expect(await runsOf(board)).toMatchObject([{ id, env: null, records: 1, lastReturn: 5 }]);
    const details = await askJson<RunDetails>(board, `/api/runs/${id}`);
    expect(details.configProblem).toMatch(/^its config.json cannot be read: /);
    expect(details.play).toEqual({ problem: details.configProblem });
  });
});

it("a run whose log is something else is told, and the others go on", async () => {
  const base = temporaryFolder();
  const broken = writeRun(base, "b_20260101_000001");
  rmSync(broken.log);
  mkdirSync(broken.log);
  const good = writeRun(base, "a_20260101_000000", [at(1, 1)]);
  const board = await dashboardOf(base);
  const told = async () =>
    Object.fromEntries((await runsOf(board)).map((run) => [run.id, [run.records, run.message]]));
  const problem = expect.stringMatching(
    /^it cannot be read: a directory is where a file should be/,
  ) as string;
  expect(await told()).toEqual({ [broken.id]: [0, problem], [good.id]: [1, null] });
  grow(good, at(2, 2));
  rmSync(broken.log, { recursive: true });
  grow(broken, at(5, 5));
  await expect.poll(told, { timeout: 20_000 }).toEqual({ [broken.id]: [1, null], [good.id]: [2, null] });
});

describe("an opened run", () => {
  const id = "a b'_20260101_000000";
  const detailsOf = async (config: Record<string, unknown>): Promise<RunDetails> => {
    const base = temporaryFolder();
    writeRun(base, id, [], config);
    return askJson<RunDetails>(await dashboardOf(base), `/api/runs/${encodeURIComponent(id)}`);
  };

  it("says how the page plays it, and how to go on, as a shell takes it", async () => {
    const { play, resume } = await detailsOf({
      algo_config: {},
      runner: { seed: 0 },
      env_params: { max_steps: 7 },
    });
    expect(play).toEqual({ envId: "CartPole-v1", envParams: { maxSteps: 7 }, seeds: null });
    expect(resume).toEqual({
      command: expect.stringMatching(/^npx vibe-rl resume '.*\/a b'\\''_20260101_000000'$/) as string,
    });
  });

  it("says why it cannot be played or resumed, where it cannot", async () => {
    const imported = await detailsOf({ env_id: "Snake-v0", imports: ["games/snake.js"] });
    expect(imported.play).toEqual({
      problem:
        "its environment, Snake-v0, was registered by snake.js; the page has only those that come with vibe-rl",
    });
    const program = await detailsOf({ env_id: null, environment: "Maze" });
    expect(program.play).toMatchObject({ problem: expect.stringContaining("a program on Maze") as string });
    expect(program.resume).toMatchObject({ problem: expect.stringContaining("Go on with it") as string });
    const own = await detailsOf({ networks: { actor: {} } });
    expect(own.play).toMatchObject({
      problem: expect.stringContaining("networks of a program's own") as string,
    });
    const seeds = await detailsOf({ seeds: [3, 4] });
    expect(seeds.play).toMatchObject({ seeds: [3, 4] });
  });

  it("has its videos, also in parts, as browsers ask for them", async () => {
    const base = temporaryFolder();
    const { root } = writeRun(base, id);
    writeFileSync(path.join(root, "videos", "step_5.gif"), "0123456789");
    const board = await dashboardOf(base);
    const target = `/api/runs/${encodeURIComponent(id)}/videos/step_5.gif`;
    const whole = await ask(board, target);
    expect([whole.status, whole.headers["content-type"], whole.text]).toEqual([
      200,
      "image/gif",
      "0123456789",
    ]);
    const range = async (bytes: string) => {
      const { status, text, headers } = await ask(board, target, { headers: { range: `bytes=${bytes}` } });
      return [status, text.trim(), headers["content-range"]];
    };
    expect(await range("2-4")).toEqual([206, "234", "bytes 2-4/10"]);
    expect(await range("7-")).toEqual([206, "789", "bytes 7-9/10"]);
    expect(await range("-2")).toEqual([206, "89", "bytes 8-9/10"]);
    expect(await range("20-30")).toEqual([416, "there is no such part", "bytes */10"]);
    expect((await ask(board, target, { method: "HEAD" })).text).toBe("");
  });
});

describe("curves", () => {
  it("come of all runs or some, whole, thinned or in part", async () => {
    const base = temporaryFolder();
    const steps = Array.from({ length: 500 }, (_, n) => n * 10);
    writeRun(
      base,
      "a_20260101_000000",
      steps.map((step) => at(step, step === 1230 ? 999 : 1)),
    );
    writeRun(base, "b_20260101_000000", [at(1, 5)]);
    const board = await dashboardOf(base);
    const curves = async (query: string) =>
      curvesIn((await ask(board, `/api/curves?metric=episode_return${query}`)).body);
    const all = await curves("");
    expect(Object.keys(all)).toEqual(["a_20260101_000000", "b_20260101_000000"]);
    expect(all.a_20260101_000000[0]).toEqual(steps);
    expect(all.b_20260101_000000).toEqual([[1], [5]]);
    const thinned = (await curves("&buckets=20")).a_20260101_000000;
    expect(thinned[0].length).toBeLessThan(45);
    expect(thinned[1]).toContain(999);
    const zoomed = (await curves("&buckets=1000&run=a_20260101_000000&from=1205&to=1245")).a_20260101_000000;
    expect(zoomed[0]).toEqual([1200, 1210, 1220, 1230, 1240, 1250]);
    for (const query of ["&buckets=-1", "&buckets=x", "&from=abc", "&from="])
      expect((await ask(board, `/api/curves?metric=a${query}`)).status).toBe(400);
    expect((await ask(board, "/api/curves")).status).toBe(400);
  });
});

describe("events", () => {
  it("tell of a run that appears, grows, saves, begins anew, ends and goes", async () => {
    const base = temporaryFolder();
    const board = await dashboardOf(base);
    const events = await listen(board);
    expect(events.named).toEqual(["reset"]);
    const id = "a_20260101_000000";
    const isRuns = (status: string) => (event: object) =>
      "runs" in event &&
      (event.runs as { id: string; status: string }[]).some((run) => run.id === id && run.status === status);
    const run = writeRun(base, id);
    await events.until(isRuns("empty"));
    lock(run, { began: beginningOf(process.pid) });
    await events.until(isRuns("running"));
    grow(run, at(10, 1), at(20, 2));
    const points = await events.until(({ kind }) => kind === "points");
    expect(points).toMatchObject({
      id,
      generation: 0,
      metrics: { episode_return: { start: 0, x: [10, 20], y: [1, 2] } },
    });
    // Half a line waits for its other half.
    const next = line({ step: 30, episode_return: "NaN" });
    appendFileSync(run.log, next.slice(0, 9));
    appendFileSync(run.log, next.slice(9));
    expect(await events.until(({ kind }) => kind === "points")).toMatchObject({
      metrics: { episode_return: { start: 2, x: [30], y: [null] } },
    });
    mkdirSync(path.join(run.root, "checkpoints", "step_30"));
    await events.until((event) => event.kind === "files" && event.id === id);
    // As `resume` does it: the log is replaced by what was known at the checkpoint.
    writeFileSync(`${run.log}.tmp`, line(at(10, 1)));
    renameSync(`${run.log}.tmp`, run.log);
    expect(await events.until(({ kind }) => kind === "reload")).toEqual({ kind: "reload", ids: [id] });
    grow(run, at(15, 7));
    expect(await events.until(({ kind }) => kind === "points")).toMatchObject({
      generation: 1,
      metrics: { episode_return: { start: 1, x: [15], y: [7] } },
    });
    noteOutcome(path.join(run.root, "logs"), { state: "done", step: 15 });
    rmSync(path.join(run.root, "logs", ".lock"));
    await events.until(isRuns("done"));
    rmSync(run.root, { recursive: true });
    expect(await events.until(({ kind }) => kind === "gone")).toEqual({ kind: "gone", ids: [id] });
    expect(await runsOf(board)).toEqual([]);
  });

  it("that a page has missed while it was cut off come when it is back", async () => {
    const base = temporaryFolder();
    const run = writeRun(base, "a_20260101_000000", [at(10, 1)]);
    const board = await dashboardOf(base);
    const first = await listen(board);
    grow(run, at(20, 2));
    await first.until(({ kind }) => kind === "points");
    const last = first.lastId();
    first.close();
    grow(run, at(30, 3));
    await board.settled();
    const second = await listen(board, last);
    expect(await second.until(({ kind }) => kind === "points")).toMatchObject({
      metrics: { episode_return: { start: 2, x: [30] } },
    });
    expect(second.named).toEqual([]);
    // A number of another server, or of none, says nothing: everything is to be asked for again.
    for (const wrong of ["0123456789ab-1", "nonsense", `${last.split("-")[0]}-999999`])
      expect((await listen(board, wrong)).named).toEqual(["reset"]);
  });
});

describe("the port", () => {
  it("is the next free one if none was asked for, and an error if one was that is in use", async () => {
    const taken = createServer();
    await new Promise<void>((resolve) => taken.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void taken.close());
    const { port } = taken.address() as AddressInfo;
    const baseDir = temporaryFolder();
    await expect(startDashboard({ baseDir, pageDir, port })).rejects.toThrow(
      `port ${port} is in use; choose another, or leave --port out for the next free one`,
    );
    const boards = [await startDashboard({ baseDir, pageDir }), await startDashboard({ baseDir, pageDir })];
    expect(boards[1].port).toBeGreaterThan(boards[0].port);
    for (const board of boards) await board.close();
  });

  it("is listened on by this machine alone", async () => {
    const board = await dashboardOf(temporaryFolder());
    expect(board.url).toBe(`http://127.0.0.1:${board.port}/`);
    expect(board.openUrl).toBe(`${board.url}#token=${board.token}`);
    const outer = Object.values(networkInterfaces())
      .flatMap((one) => one ?? [])
      .find(({ internal, family }) => !internal && family === "IPv4");
    if (outer !== undefined)
      await expect(fetch(`http://${outer.address}:${board.port}/`)).rejects.toThrow("fetch failed");
  });

  it("needs a page that was built", async () => {
    await expect(startDashboard({ baseDir: temporaryFolder(), pageDir: temporaryFolder() })).rejects.toThrow(
      /the dashboard's page is not in .*; build it with npm run build/,
    );
  });
});
