// The dashboard in a real browser, over a run that trains meanwhile: it appears, its curve grows, it is stopped from the
// page, and its agent plays.
import { spawn, type ChildProcess } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { BrowserContext, Locator, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startDashboard, type Dashboard } from "../../src/dashboard/index.js";
import { isWithoutChromium, openWindow, openPage } from "../browser/chromium.js";
import { here, pageDir } from "./client.js";
import { at, grow, writeRun } from "./runs.js";
import { unhurried } from "../unhurried.js";

const isSkipped = isWithoutChromium("test/dashboard/page.test.ts");

/** A picture of one red pixel. */
const redPixel = "R0lGODlhAQABAPAAAP8AAP///yH5BAAAAAAALAAAAAABAAEAAAICRAEAOw==";

describe.skipIf(isSkipped)("the dashboard's page", { timeout: 60_000 }, () => {
  let base: string;
  let board: Dashboard;
  let browser: BrowserContext;
  let page: Page;
  let problems: string[];
  let training: ChildProcess | null = null;
  const asked: string[] = [];
  const by = (seed: number, lr: number) => ({
    algo_config: { lr, n_steps: 32, num_envs: 8 },
    runner: { seed, total_timesteps: 100_000 },
  });
  const rising = (top: number) => Array.from({ length: 400 }, (_, n) => at(n * 100, (top * n) / 400));

  beforeAll(async () => {
    base = mkdtempSync(path.join(tmpdir(), "vibe-rl-dashboard-"));
    writeRun(base, "Old_ppo_20260101_000000", rising(100), by(0, 0.001));
    writeRun(base, "Old_ppo_20260101_000001", rising(300), by(1, 0.001));
    writeRun(base, "Old_ppo_20260101_000002", rising(-50), {
      ...by(2, 0.01),
      env_id: "Snake-v0",
      imports: ["snake.js"],
    });
    board = await startDashboard({ baseDir: base, port: 0, pageDir, version: "test" });
    browser = await openWindow();
    ({ page, problems } = await openPage(browser));
    await page.setViewportSize({ width: 1400, height: 900 });
    page.on("request", (request) => asked.push(request.url()));
    await page.goto(board.openUrl);
  }, 60_000);

  afterAll(async () => {
    training?.kill("SIGKILL");
    await browser.close();
    await board.close();
    rmSync(base, { recursive: true, force: true });
  });

  const rows = (): Locator => page.locator("table.runs tbody tr");
  const row = (id: string): Locator => page.locator(`tr[data-run="${id}"]`);
  const poll = <T>(body: () => Promise<T> | T) => expect.poll(body, { timeout: 40_000 });
  // The page forbids `eval`, which is how waitForFunction asks.
  const until = (expression: string): Promise<void> =>
    poll(() => page.evaluate<boolean>(`Boolean(${expression})`)).toBe(true);

  /** How many pixels of the chart have about the colour of a curve of the theme. */
  const pixelsOf = (series: number, metric = "episode_return"): Promise<number> =>
    page.evaluate<number>(`(() => {
      const canvas = document.querySelector('[data-metric="${metric}"] canvas');
      const probe = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
      probe.fillStyle = getComputedStyle(document.documentElement).getPropertyValue("--series-${series}").trim();
      probe.fillRect(0, 0, 1, 1);
      const wanted = probe.getImageData(0, 0, 1, 1).data;
      const copy = document.createElement("canvas");
      Object.assign(copy, { width: canvas.width, height: canvas.height });
      const context = copy.getContext("2d", { willReadFrequently: true });
      context.drawImage(canvas, 0, 0);
      const { data } = context.getImageData(0, 0, copy.width, copy.height);
      let count = 0;
      for (let at = 0; at < data.length; at += 4)
        if (data[at + 3] > 200 && [0, 1, 2].every((c) => Math.abs(data[at + c] - wanted[c]) < 12)) count++;
      return count;
    })()`);

  it("lists the runs and draws their curves, each in its colour", async () => {
    await until("document.querySelector('.chart')?.dataset.curves === '3'");
    expect(await rows().count()).toBe(3);
    expect(await row("Old_ppo_20260101_000001").innerText()).toMatch(
      /CartPole-v1\s+ppo\s+1\s+39.9K \/ 100K\s+1K\s+299.3\s+299.3\s+stopped/,
    );
    for (const series of [1, 2, 3]) expect(await pixelsOf(series)).toBeGreaterThan(300);
    expect(await pixelsOf(4)).toBe(0);
    // The token is not left in the address, from where it would be copied.
    expect(page.url()).toBe(board.url);
  });

  it("is searched and sorted by hand and by keyboard", async () => {
    await page.keyboard.press("/");
    await page.keyboard.type("seed:1");
    await until("document.querySelector('.chart').dataset.curves === '1'");
    expect(await rows().count()).toBe(1);
    await page.fill("#search", "");
    await until("document.querySelector('.chart').dataset.curves === '3'");
    const ids = (): Promise<string[]> =>
      rows().evaluateAll((all) => all.map((one) => one.getAttribute("data-run") ?? ""));
    await page.getByRole("button", { name: "last return" }).press("Enter");
    await until("document.querySelector('[data-column=last]').ariaSort === 'descending'");
    expect((await ids()).map((id) => id.at(-1))).toEqual(["1", "0", "2"]);
    await page.getByRole("button", { name: "last return" }).press("Enter");
    await until("document.querySelector('[data-column=last]').ariaSort === 'ascending'");
    expect((await ids()).map((id) => id.at(-1))).toEqual(["2", "0", "1"]);
  });

  it("compares ticked runs: their curves alone, and the settings in which they differ", async () => {
    await row("Old_ppo_20260101_000000").getByRole("checkbox").check();
    await row("Old_ppo_20260101_000002").getByRole("checkbox").check();
    await until("document.querySelector('.chart').dataset.curves === '2'");
    const cells = page.locator("#comparison tbody tr");
    await cells.first().waitFor();
    expect(await cells.allInnerTexts()).toEqual([
      "env_id\tCartPole-v1\tSnake-v0",
      "algo_config.lr\t0.001\t0.01",
      "runner.seed\t0\t2",
      "imports\t–\t(snake.js)",
    ]);
    await page.getByRole("button", { name: "untick 2" }).click();
    await page.locator("#comparison").waitFor({ state: "hidden" });
  });

  it("shows groups of seeds as their mean with a band", async () => {
    await page.getByRole("button", { name: "group seeds" }).click();
    const legend = page.locator(".chart-legend li");
    await until(
      "document.querySelector('.chart').dataset.curves === '2' && document.querySelector('.chart-legend').innerText.includes('lr')",
    );
    expect((await legend.allInnerTexts()).sort()).toEqual([
      expect.stringMatching(/^Old_ppo · .*lr 0.001.* \(2 seeds\)$/),
      expect.stringMatching(/^Old_ppo · .*lr 0.01.* \(1 run\)$/),
    ]);
    await page.getByRole("button", { name: "group seeds" }).click();
    await until("document.querySelector('.chart').dataset.curves === '3'");
  });

  it("draws other metrics, smoothed, on a logarithmic scale, zoomed, with values at the cursor", async () => {
    await page.getByLabel("metric of chart 1").selectOption("critic_loss");
    await until("document.querySelector('[data-metric=critic_loss] .chart')?.dataset.curves === '3'");
    await page.getByRole("button", { name: "log scale" }).click();
    await page.getByRole("button", { name: "add chart" }).click();
    await until("document.querySelector('[data-metric=episode_return] .chart')?.dataset.curves === '3'");
    // On a logarithmic scale, a curve below 0 is not there.
    await until("document.querySelectorAll('.chart-grid .card').length === 2");
    expect(await pixelsOf(3)).toBe(0);
    await page.getByRole("button", { name: "log scale" }).click();
    await page.getByRole("button", { name: "close critic_loss" }).click();
    await until("document.querySelectorAll('.chart-grid .card').length === 1");
    await page.locator("#smoothing").fill("0.9");
    await page.locator("#smoothing").fill("0");
    const over = page.locator("[data-metric=episode_return] .u-over");
    const box = (await over.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
    await page.mouse.move(box.x + box.width / 2, box.y + 20);
    const legend = page.locator("[data-metric=episode_return] .chart-legend");
    expect(await legend.innerText()).toMatch(/at 19,9\d\d\s+Old_ppo_20260101_000000\s+(49|50)/);
    const before = asked.length;
    await page.mouse.down();
    await page.mouse.move(box.x + box.width / 2 + 100, box.y + 40, { steps: 3 });
    await page.mouse.up();
    await poll(() => asked.slice(before).find((url) => url.includes("from="))).toMatch(
      /from=19\d\d\d\.?\d*&to=2\d\d\d\d/,
    );
    await page.locator("[data-metric=episode_return] .chart-plot").press("Escape");
  });

  it("opens a run with its config, checkpoints and videos, and says why it cannot play it", async () => {
    const folder = path.join(base, "Old_ppo_20260101_000002", "videos");
    writeFileSync(path.join(folder, "step_100.gif"), Buffer.from(redPixel, "base64"));
    await page.getByRole("button", { name: "Old_ppo_20260101_000002" }).click();
    const details = page.locator("#details");
    await details
      .getByText("It cannot be played here: its environment, Snake-v0, was registered by snake.js")
      .waitFor();
    await poll(() =>
      details
        .locator("img")
        .evaluateAll((all) => all.map((one) => (one as unknown as { naturalWidth: number }).naturalWidth)),
    ).toEqual([1]);
    expect(await details.locator(".settings").innerText()).toContain("algo_config.lr\t0.01");
    expect(page.url()).toBe(`${board.url}#run=Old_ppo_20260101_000002`);
    await details.getByRole("button", { name: "close the run" }).click();
    await details.waitFor({ state: "hidden" });
  });

  it("shows a run that begins to train, live, and stops it with a checkpoint", async () => {
    // By its return it would change places with others while it is clicked at.
    await page.locator("[data-column=name] .sort").press("Enter");
    await until("document.querySelector('[data-column=name]').ariaSort === 'ascending'");
    const words = ["train", "cartpole_ppo", "--base-dir", base, "--runner.total_timesteps", "5000000"];
    const child = spawn(process.execPath, [...unhurried, here("dist", "cli", "main.js"), ...words], {
      stdio: "ignore",
    });
    training = child;
    const ended = new Promise<number | null>((resolve) => child.once("exit", resolve));
    const live = page.locator('tr[data-run^="CartPole-v1_ppo_"]');
    await live.getByText("running").waitFor();
    await until("document.querySelector('.chart').dataset.curves === '4'");
    // It has learned when an evaluation has reached what an episode can give.
    await poll(() => live.locator("[data-column=best]").innerText()).toBe("500");
    // The oldest run comes first: this one has the fourth colour.
    expect(await pixelsOf(4)).toBeGreaterThan(30);
    await live.getByRole("button").click();
    await page.locator("#details").getByRole("button", { name: "stop" }).click();
    expect(await ended).toBe(130);
    await live.getByText("stopped").waitFor();
    const id = (await live.getAttribute("data-run")) ?? "";
    const outcome = JSON.parse(readFileSync(path.join(base, id, "logs", "outcome.json"), "utf8")) as {
      step: number;
    };
    await page
      .locator("#details .checkpoints")
      .getByText(`step ${outcome.step.toLocaleString("en")}`)
      .waitFor();
    expect(await page.locator("#details pre.command").innerText()).toMatch(
      new RegExp(`^npx vibe-rl resume .*${id}$`),
    );
  });

  it("plays its agent in the page, compiled there, and it balances", async () => {
    const details = page.locator("#details");
    await details.getByRole("button", { name: "play", exact: true }).click();
    const status = details.locator(".player-status");
    await status.waitFor();
    await details.getByLabel("Speed").selectOption("64");
    await poll(() => status.innerText()).toMatch(/return 500/);
    expect(await details.locator(".player-picture svg").count()).toBe(1);
  });

  it("goes on where runs grow and go, in the dark, and on a phone", async () => {
    const old = {
      id: "",
      root: "",
      log: path.join(base, "Old_ppo_20260101_000000", "logs", "metrics.jsonl"),
    };
    grow(old, at(50_000, 450));
    await row("Old_ppo_20260101_000000").getByText("50K / 100K").waitFor();
    rmSync(path.join(base, "Old_ppo_20260101_000002"), { recursive: true });
    await row("Old_ppo_20260101_000002").waitFor({ state: "detached" });
    await page.getByRole("button", { name: /^theme/ }).click();
    await page.getByRole("button", { name: "theme: light" }).click();
    const background = () => page.evaluate<string>("getComputedStyle(document.body).backgroundColor");
    await poll(background).toBe("rgb(16, 21, 28)");
    await page.setViewportSize({ width: 390, height: 800 });
    await until("document.querySelector('.uplot').clientWidth < 390");
    expect(await page.evaluate<number>("document.documentElement.scrollWidth")).toBeLessThanOrEqual(390);
  });

  it("asks nobody but its own server, and has nothing to complain of", () => {
    expect(asked.filter((url) => !url.startsWith(board.url) && !url.startsWith("blob:"))).toEqual([]);
    expect(problems).toEqual([]);
  });

  it("without the token cannot stop anything", async () => {
    const { page: other } = await openPage(browser);
    await other.goto(board.url);
    await other.locator("tr[data-run]").first().waitFor();
    expect(
      await other.evaluate<number>(
        "fetch('api/runs/Old_ppo_20260101_000000/stop', { method: 'POST' }).then((r) => r.status)",
      ),
    ).toBe(403);
    await other.close();
  });
});
