// The playground in Chromium: what a first visit loads, how long it takes from a cold page to a trained CartPole, and how
// many pictures a second are drawn while it trains.
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { chromium } from "playwright-core";
import { serveFolder } from "../tools/serveFolder.mjs";
import { buildSite } from "../tools/site.mjs";

const executablePath = process.env.VIBE_RL_CHROMIUM ?? "/usr/bin/chromium";
if (!existsSync(executablePath)) {
  console.log(`skipped: there is no ${executablePath}; set VIBE_RL_CHROMIUM`);
  process.exit(0);
}

const rounds = 5;
/** Half of the preset's steps: in each of 12 seeds, the greedy return over 20 episodes was 500 in the end. */
const settings =
  "env=CartPole-v1&algo=ppo&runner.total_timesteps=50000&runner.eval_every=25000&runner.eval_episodes=20&train";
const median = (values) => values.toSorted((a, b) => a - b)[values.length >> 1];

const folder = mkdtempSync(path.join(tmpdir(), "vibe-rl-site-"));
await buildSite(folder);
let loaded = [];
const { url, close } = await serveFolder(folder, (bytes) => loaded.push(bytes));

/** Counts frames of the screen and pictures of the player from the start of a run to its end. */
const watch = () => {
  const { document, requestAnimationFrame, MutationObserver } = globalThis;
  const count = { frames: 0, pictures: 0, longest: 0 };
  let [began, last] = [0, 0];
  const figures = () => document.querySelector("#run .figures")?.textContent ?? "";
  return new Promise((resolve) => {
    const observer = new MutationObserver(() => {
      if (began > 0) count.pictures++;
    });
    const tick = (now) => {
      const host = document.querySelector(".player-picture");
      if (began === 0 && host !== null && /steps\/s/.test(figures())) {
        observer.observe(host, { childList: true });
        began = last = now;
      } else if (began > 0) {
        count.frames++;
        count.longest = Math.max(count.longest, now - last);
        last = now;
      }
      if (/^(Done|Failed)/.test(figures())) resolve({ ...count, seconds: (now - began) / 1000 });
      else requestAnimationFrame(tick);
    };
    requestAnimationFrame(tick);
  });
};

const results = [];
for (let round = 0; round < rounds; round++) {
  // A browser of its own each time: nothing is cached, nothing compiled.
  const browser = await chromium.launch({ executablePath, chromiumSandbox: false });
  const page = await browser.newPage();
  loaded = [];
  const start = performance.now();
  await page.goto(`${url}/index.html#${settings}`);
  const seen = await page.evaluate(watch);
  const seconds = (performance.now() - start) / 1000;
  const evaluated = Number(/evaluated: ([\d.]+)/.exec(await page.textContent("#run .figures"))?.[1]);
  results.push({
    seconds,
    evaluated,
    requests: loaded.length,
    bytes: loaded.reduce((sum, size) => sum + size, 0),
    frames: seen.frames / seen.seconds,
    pictures: seen.pictures / seen.seconds,
    longest: seen.longest,
  });
  await browser.close();
}
close();
rmSync(folder, { recursive: true, force: true });

const of = (name) => results.map((result) => result[name]);
const text = (name, digits) =>
  `${median(of(name)).toFixed(digits)} (${of(name)
    .map((value) => value.toFixed(digits))
    .join(", ")})`;
console.log(`first load, gzip:            ${median(of("bytes"))} bytes`);
console.log(`requests:                    ${text("requests", 0)}`);
console.log(`navigation to trained:       ${text("seconds", 2)} s`);
console.log(`greedy return, 20 episodes:  ${text("evaluated", 0)}`);
console.log(`frames/s while training:     ${text("frames", 1)}`);
console.log(`pictures/s while training:   ${text("pictures", 1)}`);
console.log(`longest frame:               ${text("longest", 0)} ms`);
