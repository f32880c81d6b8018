// Makes the pictures of pages in docs/images: node tools/screenshots.mjs [words of names]. Each entry of the list opens
// what it shows by itself and takes its pictures with `take`.
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";
import "./build.mjs";
import { playground } from "./playgroundShots.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const images = path.join(root, "docs", "images");

/** Runs the command line to its end. */
const vibe = (...words) =>
  new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [path.join(root, "dist", "cli", "main.js"), ...words], {
      stdio: "ignore",
    });
    child.on("exit", (code) =>
      code === 0 ? resolve() : reject(new Error(`${words.join(" ")}: code ${code}`)),
    );
  });

/** The dashboard over three runs with PPO and one with DQN, one of them opened and at play. */
async function dashboard({ open, take, folder }) {
  const { startDashboard } = await import("../dist/dashboard/index.js");
  // Pictures show paths as they are typed, not where this machine has them.
  process.chdir(folder);
  const base = "runs";
  for (const seed of [0, 1, 2])
    await vibe("train", "cartpole_ppo", "--base-dir", base, "--runner.seed", String(seed));
  await vibe("train", "cartpole_dqn", "--base-dir", base, "--runner.total_timesteps", "30000");
  const board = await startDashboard({ baseDir: base, port: 0, version: "0.1.0" });
  await board.settled();
  for (const scheme of ["light", "dark"]) {
    const page = await open(board.openUrl, { width: 1360, height: 860, scheme });
    await page.locator(".chart[data-curves='4']").waitFor();
    await page.getByRole("button", { name: "group seeds" }).click();
    await page.locator(".chart[data-curves='2']").waitFor();
    await page.locator("button.name").first().click();
    await page.getByRole("button", { name: "play", exact: true }).click();
    await page.locator(".player-picture svg").waitFor();
    await take(page, `dashboard-${scheme}.png`);
    await page.context().close();
  }
  const phone = await open(board.openUrl, { width: 390, height: 844, scheme: "light" });
  await phone.locator(".chart[data-curves='4']").waitFor();
  await take(phone, "dashboard-phone.png");
  await phone.context().close();
  await board.close();
}

/** What there are pictures of; add yours. */
const screenshots = { dashboard, playground };

const wanted = process.argv.slice(2);
const chosen = Object.keys(screenshots).filter(
  (name) => wanted.length === 0 || wanted.some((word) => name.includes(word)),
);
if (chosen.length === 0) {
  console.error(`Which pictures? There are ${Object.keys(screenshots).join(", ")}.`);
  process.exit(2);
}

mkdirSync(images, { recursive: true });
const executablePath = process.env.VIBE_RL_CHROMIUM ?? "/usr/bin/chromium";
const browser = await chromium.launch({ executablePath, chromiumSandbox: false });

/** A page at an address, of a size in CSS pixels, light or dark. */
async function open(url, { width, height, scheme = "light" }) {
  const context = await browser.newContext({ viewport: { width, height }, colorScheme: scheme });
  const page = await context.newPage();
  page.on("pageerror", (error) => {
    throw error;
  });
  await page.goto(url);
  return page;
}

/** Takes a picture of what is to be seen of a page. */
async function take(page, name) {
  await page.screenshot({ path: path.join(images, name) });
  console.log(`docs/images/${name}`);
}

try {
  for (const name of chosen) {
    const folder = mkdtempSync(path.join(os.tmpdir(), "vibe-rl-screenshots-"));
    try {
      await screenshots[name]({ open, take, folder });
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }
} finally {
  await browser.close();
}
