// Pictures of the playground for docs/: node tools/playgroundShots.mjs
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";
import { buildSite } from "./site.mjs";

const repository = fileURLToPath(new URL("..", import.meta.url));
const types = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css" };

const done = (page) =>
  page.locator("#run .figures").filter({ hasText: /^Done/ }).waitFor({ timeout: 120_000 });

/** Each picture: its file, how the page is opened, and what is done before it is taken. */
export const playgroundShots = [
  {
    file: "playground.png",
    view: { viewport: { width: 1280, height: 960 }, colorScheme: "light" },
    hash: "env=CartPole-v1&algo=ppo&runner.total_timesteps=50000&train",
    prepare: async (page) => {
      await done(page);
      await page.locator(".player-status", { hasText: /step 1\d\d/ }).waitFor();
    },
  },
  {
    file: "playground_editor.png",
    view: { viewport: { width: 1280, height: 960 }, colorScheme: "dark" },
    hash: "env=own&algo=ppo&runner.total_timesteps=40960",
    prepare: async (page) => {
      await page.locator("#message", { hasText: "is sound" }).waitFor();
      await page.click("#train:enabled");
      await done(page);
      await page.click(".cm-content");
      await page.keyboard.press("ControlOrMeta+Home");
      // A mistake, to show where it is told.
      await page.locator(".cm-line", { hasText: "observationSpace" }).click();
      await page.keyboard.press("End");
      for (let at = 0; at < "] }),".length; at++) await page.keyboard.press("ArrowLeft");
      await page.keyboard.press("Backspace");
      await page.keyboard.insertText("2");
      await page.locator(".problem", { hasText: /Line \d+: .*observation/ }).waitFor();
      await page.keyboard.press("Home");
    },
  },
  {
    file: "playground_phone.png",
    view: { viewport: { width: 390, height: 844 }, colorScheme: "light", deviceScaleFactor: 1.5 },
    hash: "env=Acrobot-v1&algo=ppo&runner.total_timesteps=60000&train",
    prepare: async (page) => {
      await done(page);
      await page.locator(".player-status", { hasText: /step \d\d/ }).waitFor();
    },
  },
];

/** Takes all of them into a folder. */
export async function takePlaygroundShots(outDir = path.join(repository, "docs", "images")) {
  const folder = mkdtempSync(path.join(tmpdir(), "vibe-rl-site-"));
  await buildSite(folder);
  const server = createServer(({ url }, response) => {
    const file = path.join(folder, new URL(url, "http://localhost").pathname);
    if (!existsSync(file)) return response.writeHead(404).end();
    const type = types[path.extname(file)] ?? "application/octet-stream";
    return response.writeHead(200, { "content-type": type }).end(readFileSync(file));
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const executablePath = process.env.VIBE_RL_CHROMIUM ?? "/usr/bin/chromium";
  const browser = await chromium.launch({ executablePath, chromiumSandbox: false });
  try {
    for (const { file, view, hash, prepare } of playgroundShots) {
      const page = await browser.newPage(view);
      await page.goto(`http://127.0.0.1:${server.address().port}/index.html#${hash}`);
      await prepare(page);
      writeFileSync(path.join(outDir, file), await page.screenshot());
      await page.close();
      console.log(file);
    }
  } finally {
    await browser.close();
    server.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await takePlaygroundShots();
