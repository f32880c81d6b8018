// The dashboard is for browsers on this machine and for its own page: attempts to get more out of it fail.
import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { beginningOf } from "../../src/files/processes.js";
import { temporaryFolder } from "../temporary.js";
import { ask, askJson, dashboardOf, here } from "./client.js";
import { at, lock, writeRun } from "./runs.js";

const secret = "the secret";

/** A directory of runs beside a file that nobody is to see. */
function guarded(): { readonly base: string; readonly outside: string } {
  const folder = temporaryFolder();
  const [base, outside] = [path.join(folder, "runs"), path.join(folder, "outside")];
  mkdirSync(base);
  mkdirSync(outside);
  writeFileSync(path.join(outside, "secret.gif"), secret);
  writeFileSync(path.join(folder, "runs-secret.gif"), secret);
  return { base, outside };
}

describe("paths", () => {
  it("lead nowhere but to runs and the page", async () => {
    const { base } = guarded();
    const { root } = writeRun(base, "a_20260101_000000", [at(1, 1)]);
    writeFileSync(path.join(root, "videos", "step_1.gif"), "picture");
    writeFileSync(path.join(root, "videos", "notes.txt"), secret);
    const board = await dashboardOf(base);
    const run = "/api/runs/a_20260101_000000";
    expect((await ask(board, `${run}/videos/step_1.gif`)).text).toBe("picture");
    const attempts = [
      "/../../outside/secret.gif",
      "/..%2f..%2foutside%2fsecret.gif",
      "/%2e%2e/%2e%2e/etc/passwd",
      "/assets/../../../../package.json",
      "/assets/..%2f..%2findex.js",
      "/index.html%00.js",
      "//etc/passwd",
      String.raw`/..\..\outside\secret.gif`,
      "/api/runs/..",
      "/api/runs/.",
      "/api/runs/%2e%2e",
      "/api/runs/../../outside",
      "/api/runs/..%2foutside/videos/secret.gif",
      `/api/runs/${encodeURIComponent(root)}`,
      "/api/runs/__proto__",
      "/api/constructor",
      "/api/runs/a_20260101_000000%00",
      ...[
        "../config.json",
        "..%2fconfig.json",
        "..%2f..%2f..%2foutside%2fsecret.gif",
        "..%5c..%5csecret.gif",
        "%2e%2e%2f%2e%2e%2fruns-secret.gif",
        encodeURIComponent(path.join(root, "..", "..", "outside", "secret.gif")),
        "step_1.gif%00.txt",
        "notes.txt",
        "",
        ".",
        "absent.gif",
      ].map((name) => `${run}/videos/${name}`),
      `${run}/logs/metrics.jsonl`,
      `${run}/config.json`,
      `${run}/policy?step=../../x`,
      `${run}/policy?step=1`,
      "/%",
      "/api/curves?metric=a&run=..%2foutside",
    ];
    for (const attempt of attempts) {
      const { status, text } = await ask(board, attempt);
      expect([attempt, [400, 404].includes(status)]).toEqual([attempt, true]);
      expect(text).not.toContain(secret);
      expect(text).not.toContain("root:");
    }
  });

  it("do not follow links out of the directory of runs, be they files, folders or whole runs", async () => {
    const { base, outside } = guarded();
    const { root } = writeRun(base, "a_20260101_000000", [at(1, 1)]);
    symlinkSync(path.join(outside, "secret.gif"), path.join(root, "videos", "link.gif"));
    const far = writeRun(outside, "far_20260101_000000", [at(1, 99)]);
    symlinkSync(far.root, path.join(base, "far_20260101_000000"));
    const folders = writeRun(base, "b_20260101_000000");
    for (const name of ["logs", "videos", "config.json", "checkpoints"]) {
      rmSync(path.join(folders.root, name), { recursive: true });
      symlinkSync(path.join(far.root, name), path.join(folders.root, name));
    }
    writeFileSync(path.join(far.root, "videos", "secret.gif"), secret);
    // A link that stays inside is as good as a folder.
    const inside = writeRun(base, "c_20260101_000000", [at(1, 5)]);
    symlinkSync(inside.root, path.join(base, "d_20260101_000000"));
    const board = await dashboardOf(base);
    const { runs } = await askJson<{ runs: { id: string; records: number }[] }>(board, "/api/runs");
    expect(Object.fromEntries(runs.map(({ id, records }) => [id, records]))).toEqual({
      a_20260101_000000: 1,
      // What it has is elsewhere; only its name is here.
      b_20260101_000000: 0,
      c_20260101_000000: 1,
      d_20260101_000000: 1,
    });
    const paths = [
      "a_20260101_000000/videos/link.gif",
      "b_20260101_000000/videos/secret.gif",
      "far_20260101_000000",
    ];
    for (const one of paths) expect((await ask(board, `/api/runs/${one}`)).status).toBe(404);
    const detailsOf = (id: string) => askJson<object>(board, `/api/runs/${id}_20260101_000000`);
    expect(await detailsOf("a")).toMatchObject({ videos: [] });
    expect(await detailsOf("b")).toMatchObject({ videos: [], config: null, checkpoints: [] });
  });

  it("give no policy of checkpoints that a run has elsewhere", async () => {
    const { base, outside } = guarded();
    const { root, id } = writeRun(base, "a_20260101_000000", [at(1, 1)]);
    mkdirSync(path.join(outside, "step_1"));
    writeFileSync(path.join(outside, "step_1", "checkpoint.json"), "{}");
    writeFileSync(path.join(root, "logs", "checkpoint_dir.txt"), `${outside}\n`);
    const board = await dashboardOf(base);
    expect(await ask(board, `/api/runs/${id}/policy?step=1`)).toMatchObject({ status: 404 });
    expect(await askJson(board, `/api/runs/${id}`)).toMatchObject({
      checkpoints: [],
      resume: { problem: "its checkpoints are outside of the directory of all runs" },
    });
    const inside = path.join(root, "checkpoints", "step_2");
    mkdirSync(inside);
    writeFileSync(path.join(inside, "checkpoint.json"), "{}");
    symlinkSync(path.join(outside, "secret.gif"), path.join(inside, "tensors.safetensors"));
    const { status, text } = await ask(board, `/api/runs/${id}/policy?step=2`);
    expect([status, text]).toEqual([
      403,
      "tensors.safetensors of step 2 lies outside of the directory of all runs\n",
    ]);
  });
});

describe("requests", () => {
  it("by another name than this machine's are refused, so that no site can be made to lead here", async () => {
    const board = await dashboardOf(guarded().base);
    for (const host of [
      "evil.example",
      `evil.example:${board.port}`,
      "127.0.0.1",
      "127.0.0.1:1",
      "localhost.evil:80",
    ]) {
      expect([host, (await ask(board, "/api/runs", { headers: { host } })).status]).toEqual([host, 421]);
    }
    for (const host of [`localhost:${board.port}`, `127.0.0.1:${board.port}`, `[::1]:${board.port}`])
      expect((await ask(board, "/api/runs", { headers: { host } })).status).toBe(200);
  });

  it("from pages of other origins are refused, also for pictures, and whatever they ask for", async () => {
    const board = await dashboardOf(guarded().base);
    for (const origin of [
      "http://evil.example",
      "null",
      `http://localhost:${board.port + 1}`,
      `https://127.0.0.1:${board.port}`,
    ])
      expect((await ask(board, "/api/runs", { headers: { origin } })).status).toBe(403);
    const own = { origin: `http://127.0.0.1:${board.port}` };
    expect((await ask(board, "/api/runs", { headers: own })).status).toBe(200);
    for (const site of ["cross-site", "same-site"]) {
      const picture = { "sec-fetch-site": site, "sec-fetch-mode": "no-cors", "sec-fetch-dest": "image" };
      const frame = { "sec-fetch-site": site, "sec-fetch-mode": "navigate", "sec-fetch-dest": "iframe" };
      const link = { "sec-fetch-site": site, "sec-fetch-mode": "navigate", "sec-fetch-dest": "document" };
      expect((await ask(board, "/api/runs", { headers: picture })).status).toBe(403);
      expect((await ask(board, "/", { headers: frame })).status).toBe(403);
      expect((await ask(board, "/api/runs", { headers: link })).status).toBe(403);
      expect((await ask(board, "/", { headers: link })).status).toBe(200);
    }
  });

  it("that are answered forbid everything from elsewhere, and allow no other origin", async () => {
    const board = await dashboardOf(guarded().base);
    for (const target of ["/", "/api/runs", "/api/absent"]) {
      const { headers } = await ask(board, target, { headers: { origin: `http://127.0.0.1:${board.port}` } });
      expect(headers["content-security-policy"]).toContain(
        "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'",
      );
      expect(headers["x-content-type-options"]).toBe("nosniff");
      expect(Object.keys(headers).filter((name) => name.startsWith("access-control"))).toEqual([]);
    }
    expect((await ask(board, "/api/runs", { method: "OPTIONS" })).status).toBe(405);
  });
});

describe("stopping a run", () => {
  const id = "a_20260101_000000";
  const target = `/api/runs/${id}/stop`;

  it("needs POST and the token of this server, and nothing else gives it away", async () => {
    const { base } = guarded();
    writeRun(base, id, [at(1, 1)]);
    const board = await dashboardOf(base);
    const token = { "x-vibe-rl-token": board.token };
    const origin = { origin: "http://evil.example" };
    const get = await ask(board, target, { headers: token });
    expect([get.status, get.headers.allow]).toEqual([405, "POST"]);
    const post = (headers: Record<string, string>) => ask(board, target, { method: "POST", headers });
    expect(await post({})).toMatchObject({
      status: 403,
      text: expect.stringContaining("needs the token") as string,
    });
    expect(await post({ "x-vibe-rl-token": `${board.token}x` })).toMatchObject({ status: 403 });
    expect(await post({ "x-vibe-rl-token": "" })).toMatchObject({ status: 403 });
    expect(await post({ ...token, ...origin })).toMatchObject({ status: 403 });
    expect(await ask(board, `${target}?token=${board.token}`, { method: "POST" })).toMatchObject({
      status: 403,
    });
    expect(await post(token)).toMatchObject({
      status: 409,
      text: `${id} was not stopped: no process is training it\n`,
    });
    for (const page of ["/", "/api/runs", `/api/runs/${id}`])
      expect((await ask(board, page)).text).not.toContain(board.token);
    for (const one of ["/", "/api/runs", "/api/curves?metric=a", `/api/runs/${id}`])
      expect((await ask(board, one, { method: "POST", headers: token })).status).toBe(405);
  });

  it("is refused with a word where the lock is not certainly of a process that saves", async () => {
    const { base } = guarded();
    const run = writeRun(base, id, [at(1, 1)]);
    const board = await dashboardOf(base);
    const stop = async (): Promise<string> => {
      const reply = await ask(board, target, { method: "POST", headers: { "x-vibe-rl-token": board.token } });
      expect(reply.status).toBe(409);
      return reply.text;
    };
    lock(run, { host: "elsewhere" });
    expect(await stop()).toContain("it is trained on another machine, elsewhere");
    lock(run, { pid: 2 ** 30 });
    expect(await stop()).toContain(`its process ${2 ** 30} has gone already`);
    lock(run, {});
    expect(await stop()).toContain(`does not tell whether process ${process.pid} is still the one`);
    lock(run, { began: "another one" });
    expect(await stop()).toContain("has gone already");
    lock(run, { began: beginningOf(process.pid), listens: false });
    expect(await stop()).toContain("does not listen for Ctrl-C and would end without saving");
    writeFileSync(path.join(run.root, "logs", ".lock"), "no json");
    expect(await stop()).toContain("no process is training it");
  });
});

it("the page's own files ask for nothing from elsewhere", () => {
  const folder = here("dist", "dashboard", "page");
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) =>
    /\.(html|css|js)$/.test(name),
  );
  expect(files.length).toBeGreaterThan(3);
  for (const name of files) {
    const text = readFileSync(path.join(folder, name), "utf8");
    // Names of XML languages look like addresses and are none.
    const addresses = (text.match(/https?:\/\/[\w.-]+/g) ?? []).filter((one) => !one.includes("www.w3.org"));
    const asked = addresses.filter((one) =>
      new RegExp(`(?:src|href|url\\(|fetch\\(|import)[^;]{0,20}${one}`).test(text),
    );
    expect([name, asked]).toEqual([name, []]);
  }
});
