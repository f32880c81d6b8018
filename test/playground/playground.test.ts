// The playground in a real browser: it trains, draws, plays, and takes what visitors write and drop. What
// belongs to none of loading, training and mistakes is for `npm run test:long`.
import { execFileSync } from "node:child_process";
import { readFileSync, rmSync } from "node:fs";
import path from "node:path";
import type { BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { PPO } from "vibe-rl/algorithms/ppo";
import { np } from "vibe-rl/array";
import { presets } from "vibe-rl/config";
import { make } from "vibe-rl/env";
import { loadPolicy } from "vibe-rl/policy";
import { RunDir } from "vibe-rl/runDir";
import { trainDQN, trainPPO } from "vibe-rl/runner";
import { template } from "../../site/playground/editor/template.js";
import { isWithoutChromium, openWindow, openPage } from "../browser/chromium.js";
import { itLong } from "../long.js";
import { readGif } from "../plotting/files.js";
import { temporaryFolder } from "../temporary.js";
import { buildSite, serveSite, train, trained, write, type Site } from "./site.js";

const isSkipped = isWithoutChromium("test/playground/playground.test.ts");

describe.skipIf(isSkipped)("the playground", { timeout: 90_000 }, () => {
  let folder = "";
  let site: Site;
  let browser: BrowserContext;
  let page: Page;
  let problems: string[];

  /** The playground with some settings, ready to train. */
  async function open(hash: string, from: Site = site): Promise<{ page: Page; problems: string[] }> {
    const opened = await openPage(browser);
    await opened.page.goto(`${from.url}/index.html#${hash}`);
    await opened.page.locator(".player-picture svg").waitFor();
    return opened;
  }

  beforeAll(async () => {
    folder = await buildSite();
    site = await serveSite(folder);
    browser = await openWindow();
    ({ page, problems } = await open("env=CartPole-v1&runner.total_timesteps=50000"));
  }, 90_000);

  afterAll(async () => {
    await browser.close();
    site.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const text = async (selector: string, of = page): Promise<string> =>
    (await of.locator(selector).textContent()) ?? "";

  /** The bytes that a button saves. */
  async function download(label: string): Promise<{ name: string; bytes: Buffer }> {
    const [saved] = await Promise.all([
      page.waitForEvent("download"),
      page.locator("#downloads").getByRole("button", { name: label, exact: true }).click(),
    ]);
    return { name: saved.suggestedFilename(), bytes: readFileSync(await saved.path()) };
  }

  it("loads with at most 250,000 compressed bytes, each file once, all from its own folder", async () => {
    await page.locator("#train:enabled").waitFor();
    const { requests } = site;
    expect(site.compressed(requests)).toBeLessThanOrEqual(250_000);
    expect(requests.filter((url, at) => requests.indexOf(url) !== at)).toEqual([]);
    const asked = await page.evaluate(() => performance.getEntriesByType("resource").map(({ name }) => name));
    expect(asked.filter((url) => !url.startsWith(site.url) && !/^(blob|data):/.test(url))).toEqual([]);
    expect(await text("#settings")).not.toContain("checkpoint");
  });

  it("draws the curve of a run in the theme's colours, and it rises", async () => {
    expect(await train(page)).toMatch(/^Done after .* · 49,920 of 49,920 steps · .* · evaluated: \d/);
    // The mean height of the pixels in the colour of the first curve, at the left and at the right.
    const heights = await page.evaluate(() => {
      const canvas = document.querySelector("#run canvas");
      if (!(canvas instanceof HTMLCanvasElement)) throw new Error("no canvas");
      const { width, height } = canvas;
      const { data } = canvas.getContext("2d")?.getImageData(0, 0, width, height) ?? { data: [] };
      document.body.style.outlineColor = "var(--series-1)";
      const wanted = (getComputedStyle(document.body).outlineColor.match(/\d+/g) ?? []).map(Number);
      const columns: [number, number][] = [];
      for (let at = 0; at < data.length; at += 4)
        if (wanted.every((channel, index) => Math.abs(data[at + index] - channel) < 8))
          columns.push([(at / 4) % width, height - Math.floor(at / 4 / width)]);
      columns.sort(([a], [b]) => a - b);
      const mean = (inside: readonly [number, number][]): number =>
        inside.reduce((sum, [, y]) => sum + y, 0) / inside.length / height;
      return { count: columns.length, first: mean(columns.slice(0, 30)), last: mean(columns.slice(-30)) };
    });
    expect(heights.count).toBeGreaterThan(300);
    expect(heights.last - heights.first).toBeGreaterThan(0.3);
  });

  it("plays the agent that was trained, which balances", async () => {
    await page.locator(".player select").selectOption("64");
    await page.locator(".player-seed").fill("3");
    await page.locator(".player-seed").press("Enter");
    await page.locator(".player-status", { hasText: /last (4[789]\d|500)$/ }).waitFor();
    expect(await page.locator(".player-picture svg circle").count()).toBeGreaterThan(1);
  });

  itLong("lets a visitor act by keys: left and nothing else soon loses", async () => {
    await page.locator(".player select").selectOption("4");
    await page.getByRole("button", { name: "Take over" }).click();
    expect(await text(".player-hint")).toContain("← 0 · → 1");
    await page.locator(".player-seed").fill("4");
    await page.locator(".player-seed").press("Enter");
    await page.locator(".player").focus();
    await page.keyboard.down("ArrowLeft");
    await page.locator(".player-status", { hasText: /last \d{1,2}$/ }).waitFor();
    await page.keyboard.up("ArrowLeft");
    await page.keyboard.press("Escape");
    expect(await page.locator(".player-hint").isVisible()).toBe(false);
    await page.keyboard.press(" ");
    expect(await page.locator(".player").getByRole("button", { name: "Play" }).isVisible()).toBe(true);
  });

  itLong("saves the policy, in three formats, the curve and a video", async () => {
    const { name, bytes } = await download("Policy");
    expect(name).toBe("CartPole-v1_ppo.safetensors");
    const policy = await loadPolicy(bytes);
    expect(policy.metadata).toMatchObject({ environment: "CartPole-v1", step: 49_920, seed: 0 });
    expect([policy.act([0, 0, 0.1, 0.5]), policy.act([0, 0, -0.1, -0.5])]).toEqual([1, 0]);

    const onnx = await loadPolicy((await download("ONNX")).bytes);
    expect([onnx.act([0, 0, 0.1, 0.5]), onnx.act([0, 0, -0.1, -0.5])]).toEqual([1, 0]);
    expect((await download("JavaScript")).bytes.toString()).toContain("export");

    const saved = await download("Checkpoint");
    expect(saved.name).toBe("CartPole-v1_ppo_step_49920.tar");
    const checkpointDir = temporaryFolder();
    execFileSync("tar", ["-xf", "-"], { cwd: checkpointDir, input: saved.bytes });
    // What was trained in the page goes on in Node.
    const [started, stop] = [[] as number[], { aborted: false }];
    const { algoConfig, runner } = presets.cartpole_ppo.config;
    const [{ agentState }] = await trainPPO(...make("CartPole-v1"), {
      ppoConfig: algoConfig,
      runnerConfig: { ...runner, totalTimesteps: 60_000, checkpointDir, resume: true },
      onStart: (step) => void started.push(step),
      onProgress: () => (stop.aborted = true),
      signal: stop,
    });
    expect(started).toEqual([49_920]);
    expect(PPO.act(agentState, np.array([0, 0, 0.1, 0.5]), { explore: false })[0].item()).toBe(1);

    const [head, ...rows] = (await download("Curve (CSV)")).bytes.toString().trim().split("\n");
    expect(head.split(",")).toEqual(expect.arrayContaining(["step", "episode_return", "eval_return"]));
    expect(rows.length).toBeGreaterThan(40);
    const svg = (await download("Curve (SVG)")).bytes.toString();
    expect(svg).toContain("<title>CartPole-v1, PPO</title>");

    // An episode of chance is short.
    await page.getByLabel("Who plays").selectOption("random");
    const gif = readGif((await download("GIF")).bytes);
    expect([gif.width, gif.height]).toEqual([360, 240]);
    expect(gif.frames.length).toBeGreaterThan(5);
    expect(new Set(gif.frames.at(-1)?.pixels).size).toBeGreaterThan(4);
    expect(problems).toEqual([]);
  });

  itLong("watches a policy or a checkpoint that is dropped in, where it was trained", async () => {
    await page.getByLabel("Who plays").selectOption("latest");
    const { bytes } = await download("Policy");
    const other = await open("env=Acrobot-v1");
    const file = { name: "pole.safetensors", mimeType: "application/octet-stream", buffer: bytes };
    await other.page.locator("#file").setInputFiles(file);
    await other.page.locator("#agent", { hasText: "from a file: pole.safetensors" }).waitFor();
    expect(await other.page.getByLabel("Environment").inputValue()).toBe("CartPole-v1");
    await other.page.locator(".player select").selectOption("64");
    await other.page.locator(".player-status", { hasText: /last (4[789]\d|500)$/ }).waitFor();

    // A checkpoint is two files, or a tar of them.
    await other.page
      .locator("#file")
      .setInputFiles({ ...file, name: "run.tar", buffer: (await download("Checkpoint")).bytes });
    await other.page.locator("#agent", { hasText: "from a file: checkpoint of step 49920" }).waitFor();
    const baseDir = temporaryFolder();
    const runDir = RunDir("mountain", { baseDir });
    await trainDQN(...make("MountainCar-v0"), {
      dqnConfig: { hiddenSizes: [8] },
      runnerConfig: { totalTimesteps: 64, warmupSteps: 32, checkpointInterval: 64, evalEpisodes: 1 },
      runDir,
    });
    const checkpoint = runDir.latestCheckpoint?.path ?? "";
    const both = ["checkpoint.json", "tensors.safetensors"].map((name) => path.join(checkpoint, name));
    await other.page.locator("#file").setInputFiles(both.slice(1));
    await other.page.locator("#message", { hasText: "the bytes of checkpoint.json are missing" }).waitFor();
    await other.page.locator("#file").setInputFiles(both);
    await other.page.locator("#agent", { hasText: "from a file: checkpoint of step 64" }).waitFor();
    expect(await other.page.getByLabel("Environment").inputValue()).toBe("MountainCar-v0");

    const dataTransfer = await other.page.evaluateHandle(() => {
      const data = new DataTransfer();
      data.items.add(new File(["no policy"], "tea.txt"));
      return data;
    });
    await other.page.dispatchEvent("body", "dragover", { dataTransfer });
    expect(await other.page.locator("#drop").isVisible()).toBe(true);
    await other.page.dispatchEvent("body", "drop", { dataTransfer });
    expect(await other.page.locator("#drop").isVisible()).toBe(false);
    await other.page.locator("#message", { hasText: "tea.txt cannot be watched: " }).waitFor();
    expect(other.problems).toEqual([]);
    await other.page.close();
  });

  it("refuses settings in the config's words, and shares what differs", async () => {
    const rate = page.locator('[name="algo.lr"]');
    await rate.fill("-1");
    await rate.press("Enter");
    await page.locator("#settings", { hasText: "lr must be a number greater than 0, got -1" }).waitFor();
    expect(await page.locator("#train").isDisabled()).toBe(true);
    await rate.fill("5e-4");
    await rate.press("Enter");
    await page.locator("#train:enabled").waitFor();
    const { hash } = new URL(page.url());
    expect(hash).toBe("#env=CartPole-v1&algo=ppo&runner.total_timesteps=50000&algo.lr=5e-4");

    const shared = await open(hash.slice(1));
    expect(await shared.page.locator('[name="algo.lr"]').inputValue()).toBe("5e-4");
    expect(await shared.page.locator('[name="algo.gamma"]').inputValue()).toBe("0.98");
    await shared.page.close();
  });

  itLong("stops a run when it is asked to, and trains with DQN and SAC too", async () => {
    const stopped = await open("env=CartPole-v1&algo=dqn&runner.total_timesteps=100000000&train");
    await stopped.page.locator("#run canvas").waitFor();
    await stopped.page.locator("#agent", { hasText: "as it learns" }).waitFor();
    await stopped.page.click("#stop:enabled");
    expect(await trained(stopped.page)).toMatch(/^Stopped/);
    await stopped.page.getByLabel("Environment").selectOption("Pendulum-v1");
    await stopped.page.getByLabel("Algorithm").selectOption("sac");
    for (const [field, value] of [
      ["runner.total_timesteps", "1500"],
      ["runner.seed", "1"],
    ]) {
      await stopped.page.locator(`[name="${field}"]`).fill(value);
      await stopped.page.locator(`[name="${field}"]`).press("Enter");
    }
    expect(await train(stopped.page)).toMatch(/^Done after .* · 1,500 of 1,500 steps/);
    expect(stopped.problems).toEqual([]);
    await stopped.page.close();
  });

  itLong("trains on several devices where the page is isolated, and on one elsewhere", async () => {
    expect(await page.getByLabel("Devices").count()).toBe(0);
    const isolated = await serveSite(folder, true);
    const spread = await open("env=CartPole-v1&runner.total_timesteps=4096&devices=2", isolated);
    const count = await spread.page.evaluate(() => navigator.hardwareConcurrency);
    if (count > 1) {
      expect(await spread.page.getByLabel("Devices").inputValue()).toBe("2");
      expect(await train(spread.page)).toMatch(/^Done after .* · 4,096 of 4,096 steps/);
    }
    expect(spread.problems).toEqual([]);
    await spread.page.close();
    isolated.close();
  });

  describe("with an environment of the visitor's own", () => {
    let own: Awaited<ReturnType<typeof open>>;

    beforeAll(async () => {
      own = await open("env=CartPole-v1&algo=ppo&runner.total_timesteps=20480");
      await own.page.getByRole("tab", { name: "Built in" }).focus();
      await own.page.keyboard.press("ArrowRight");
      await own.page.locator("#message", { hasText: "Catch-v0 is sound." }).waitFor();
    }, 60_000);

    const told = (wanted: RegExp) =>
      expect.poll(() => text(".problem", own.page), { timeout: 30_000 }).toMatch(wanted);

    itLong("trains it, and the agent learns", async () => {
      await own.page.locator('[name="runner.total_timesteps"]').fill("20480");
      await own.page.locator('[name="runner.total_timesteps"]').press("Enter");
      await own.page.waitForURL(/total_timesteps=20480/);
      expect(await train(own.page)).toMatch(/^Done after .* · evaluated: ([4-9]|10)/);
      await own.page.locator("#agent", { hasText: "as it learns: step 20,480" }).waitFor();
      expect(own.problems).toEqual([]);
    });

    it("shows errors at their lines: syntax, modules, loading, shapes, and what environments promise", async () => {
      const lines = template.split("\n");
      const lineOf = (part: string): number => lines.findIndex((line) => line.includes(part)) + 1;
      const changed = (part: string, by: string): Promise<void> =>
        write(
          own.page,
          template.replace(part, () => by),
        );

      await changed("defaultParams: () =>", "defaultParams: () => =>");
      await told(new RegExp(`^Line ${lineOf("defaultParams")}: Syntax error`));
      expect(await own.page.locator("#train").isDisabled()).toBe(true);
      expect(await own.page.locator(".cm-lintRange-error").count()).toBeGreaterThan(0);

      await changed("vibe-rl/env", "left-pad");
      await told(/^Line 4: there is no module "left-pad" here; there are vibe-rl, /);

      await changed("const game:", "missing();\nconst game:");
      await told(new RegExp(`^Line ${lineOf("const game:")}: missing is not defined`));

      await changed("np.stack([basket, x, y])", "np.stack([basket, x, np.zeros([2])])");
      await told(new RegExp(`^Line ${lineOf("const observe")}: .*stack`));

      await changed('.astype("float32");', ";");
      await told(new RegExp(`^Line ${lineOf("  step(key")}: reward of step must be a float32 scalar`));

      await changed("export default game;", "");
      await told(/^the module must `export default` an environment/);
    });

    it("lets it reach no other server", async () => {
      const other = await serveSite(folder);
      const fetching = `await fetch("${other.url}/index.html", { mode: "no-cors" })`;
      const answer = `.then(() => "reached", () => "refused")`;
      await write(own.page, `${template}\nthrow new Error("the server was " + (${fetching}${answer}));\n`);
      await told(/the server was refused$/);
      expect(other.requests).toEqual([]);
      other.close();
    });

    itLong("shares it by address", async () => {
      await write(own.page, template.replace("Catch-v0", "Catch-v7"));
      await own.page.locator("#message", { hasText: "Catch-v7 is sound." }).waitFor();
      const { hash } = new URL(own.page.url());
      const shared = await open(hash.slice(1));
      await shared.page.locator("#message", { hasText: "Catch-v7 is sound." }).waitFor();
      expect(await text(".cm-content", shared.page)).toContain("Catch-v7");
      await shared.page.close();
    });

    itLong("is not held up by a loop that never ends", async () => {
      // The page's clock is moved by hand: the worker's loop is not waited for.
      await own.page.clock.install();
      await write(own.page, template.replace("const lower =", "while (true);\nconst lower ="));
      const late = own.page.locator(".problem", { hasText: "is there a loop that never ends?" });
      await expect
        .poll(
          async () => {
            await own.page.clock.runFor(1_000);
            return late.isVisible();
          },
          { timeout: 30_000 },
        )
        .toBe(true);
      await own.page.clock.resume();
      await write(own.page, template);
      await own.page.locator("#message", { hasText: "Catch-v0 is sound." }).waitFor();
    });
  });

  itLong("has live examples made of the same parts", async () => {
    const { page: live, problems: found } = await openPage(browser);
    await live.goto(`${site.url}/live.html`);
    const example = live.locator("#gridworld");
    expect(await example.locator("code").textContent()).toContain(
      'await trainDQN(...make("GridWorld-v0"), {\n  dqnConfig: { ...algoConfig },\n' +
        "  runnerConfig: { ...runner, totalTimesteps: 10000 },",
    );
    await example.scrollIntoViewIfNeeded();
    await example.locator(".player-picture svg").waitFor();
    await example.getByRole("button", { name: "Train" }).click();
    expect(await trained(live, "#gridworld")).toMatch(/^Done after .* · evaluated: 0\.93/);
    expect(found).toEqual([]);
    await live.close();
  });
});
