// The playground in Chromium: what a first visit loads, how long it takes from a cold page to a trained CartPole, and how
// many pictures a second are drawn while it trains.
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { chromium } from "playwright-core";
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
const types = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css" };
const median = (values) => values.toSorted((a, b) => a - b)[values.length >> 1];

const folder = mkdtempSync(path.join(tmpdir(), "vibe-rl-site-"));
await buildSite(folder);
let loaded = [];
const server = createServer(({ url }, response) => {
  const file = path.join(folder, new URL(url, "http://localhost").pathname);
  if (!existsSync(file)) return response.writeHead(404).end();
  const bytes = gzipSync(readFileSync(file));
  loaded.push(bytes.length);
  return response
    .writeHead(200, {
      "content-type": types[path.extname(file)] ?? "application/octet-stream",
      "content-encoding": "gzip",
      "cache-control": "max-age=600",
    })
    .end(bytes);
});
await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
const address = `http://127.0.0.1:${server.address().port}/index.html`;

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
  await page.goto(`${address}#${settings}`);
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
server.close();
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
