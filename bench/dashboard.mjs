// How long the dashboard takes with many long runs: until the server has read them, and from opening the page to
// drawn curves. npm run bench -- dashboard [--runs 200] [--records 10000]
import { closeSync, mkdirSync, mkdtempSync, openSync, rmSync, writeFileSync, writeSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { chromium } from "playwright-core";
import { startDashboard } from "../dist/dashboard/index.js";
import { digits } from "./measure.mjs";

const numberAfter = (flag, usual) => {
  const at = process.argv.indexOf(flag);
  return at < 0 ? usual : Number(process.argv[at + 1]);
};
const runs = numberAfter("--runs", 200);
const records = numberAfter("--records", 10_000);
const openings = numberAfter("--openings", 9);

const noise = (n) => Math.sin(n * 12.9898) * 0.5 + Math.sin(n * 78.233) * 0.5;

/** A log like that of PPO: twelve metrics, the episodes, and an evaluation with every tenth record. */
function writeRun(base, at) {
  const id = `CartPole-v1_ppo_20260101_${String(Math.floor(at / 60) + 100).padStart(4, "0")}${String(at % 60).padStart(2, "0")}`;
  const root = path.join(base, id);
  for (const folder of ["logs", "checkpoints", "videos"])
    mkdirSync(path.join(root, folder), { recursive: true });
  const config = {
    env_id: "CartPole-v1",
    algo: "ppo",
    algo_config: { lr: [1e-4, 1e-3][at % 2], n_steps: 128, num_envs: 8 },
  };
  writeFileSync(
    path.join(root, "config.json"),
    JSON.stringify({ ...config, runner: { seed: at >> 1, total_timesteps: records * 1024 } }),
  );
  const file = openSync(path.join(root, "logs", "metrics.jsonl"), "w");
  let text = "";
  for (let n = 1; n <= records; n++) {
    const level = 500 * (1 - Math.exp((-n * (1 + at / runs)) / (records / 4)));
    const value = (scale) => scale * (1 + noise(n + at * 7.7));
    const episodes = [1, 2, 3].map((e) => Math.round(level + 20 * noise(n * e + at)));
    const record = {
      step: n * 1024,
      ...{
        actor_loss: value(-0.003),
        approx_kl: value(0.005),
        clip_fraction: value(0.04),
        critic_loss: value(3),
      },
      ...{ entropy: value(0.5), explained_variance: value(0.4), kl: value(0.002), total_loss: value(1.5) },
      ...{ episode_return: level + 30 * noise(n + at), episode_length: level + 30 * noise(n + at) },
      ...{
        episode_returns: episodes,
        episode_lengths: episodes,
        episode_steps: episodes.map((e) => n * 1024 - e),
      },
      wall_time: 1.79e9 + n * 0.1,
    };
    text += `${JSON.stringify(record)}\n`;
    if (n % 10 === 0)
      text += `${JSON.stringify({ step: n * 1024, eval_return: level, eval_length: level, wall_time: 1.79e9 + n * 0.1 })}\n`;
    if (text.length > 1 << 20 || n === records) {
      writeSync(file, text);
      text = "";
    }
  }
  closeSync(file);
}

const median = (values) => [...values].sort((a, b) => a - b)[values.length >> 1];
const tell = (name, value) => console.log(`${name.padEnd(44)} ${value}`);

/** In the page: when the list has all rows and the chart the curves of all runs. */
const whenDrawn = `new Promise((resolve) => {
  const look = () => {
    const isListed = document.querySelectorAll("table.runs tbody tr").length === ${runs};
    const isDrawn = document.querySelector(".chart")?.dataset.curves === "${runs}";
    if (isListed && isDrawn) resolve(performance.now());
    else requestAnimationFrame(look);
  };
  look();
})`;

/** In the page: notes the longest time between two frames from now on. */
const watchFrames = `longest = 0;
requestAnimationFrame(function next(now) {
  if (globalThis.last !== undefined) longest = Math.max(longest, now - last);
  last = now;
  requestAnimationFrame(next);
});`;

/** The longest time between two frames while the cursor moves over the chart and the page scrolls. */
async function longestFrame(page) {
  await page.evaluate(watchFrames);
  const box = await page.locator(".u-over").first().boundingBox();
  for (let x = 20; x < box.width; x += 40) await page.mouse.move(box.x + x, box.y + 100);
  await page.mouse.move(box.x + 100, box.y + 500);
  for (let at = 0; at < 10; at++) await page.mouse.wheel(0, 300);
  return page.evaluate("longest");
}

const base = mkdtempSync(path.join(os.tmpdir(), "vibe-rl-bench-"));
try {
  for (let at = 0; at < runs; at++) writeRun(base, at);
  const started = performance.now();
  const board = await startDashboard({ baseDir: base, port: 0 });
  await board.settled();
  tell(`${runs} runs of ${records} records, read in`, `${digits((performance.now() - started) / 1000)} s`);
  tell("memory of the server", `${digits(process.memoryUsage().rss / 2 ** 20)} MiB`);
  const executablePath = process.env.VIBE_RL_CHROMIUM ?? "/usr/bin/chromium";
  const browser = await chromium.launch({ executablePath, chromiumSandbox: false });
  const [times, frames] = [[], []];
  for (let opening = 0; opening < openings; opening++) {
    const page = await browser.newPage({ viewport: { width: 1400, height: 900 } });
    await page.goto(board.url, { waitUntil: "commit" });
    times.push(await page.evaluate(whenDrawn));
    frames.push(await longestFrame(page));
    await page.close();
  }
  const spread = `${digits(Math.min(...times))} to ${digits(Math.max(...times))} of ${openings}`;
  tell("from opening the page to drawn curves", `${digits(median(times))} ms (median; ${spread})`);
  tell("longest frame while hovering and scrolling", `${digits(median(frames))} ms (median)`);
  await browser.close();
  await board.close();
} finally {
  rmSync(base, { recursive: true, force: true });
}
