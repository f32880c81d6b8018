// `dashboard` and `train --dashboard` as processes: the address, the end by Ctrl-C, and bad usage.
import { spawn, type ChildProcess } from "node:child_process";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { here } from "../dashboard/client.js";
import { at, writeRun } from "../dashboard/runs.js";
import { temporaryFolder } from "../temporary.js";
import { call } from "./host.js";
import { unhurried } from "../unhurried.js";

interface Started {
  readonly child: ChildProcess;
  /** What it has printed, once that matches. */
  readonly printed: (pattern: RegExp) => Promise<RegExpExecArray>;
  readonly ended: Promise<number | null>;
}

/** The command line in a process of its own. */
function start(...words: readonly string[]): Started {
  const child = spawn(process.execPath, [...unhurried, here("dist", "cli", "main.js"), ...words]);
  onTestFinished(() => void child.kill("SIGKILL"));
  let text = "";
  let wake = (): void => undefined;
  const take = (part: Buffer): void => {
    text += part.toString();
    wake();
  };
  child.stdout.on("data", take);
  child.stderr.on("data", take);
  const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
  void ended.then(() => wake());
  const printed = async (pattern: RegExp): Promise<RegExpExecArray> => {
    for (;;) {
      const found = pattern.exec(text);
      if (found !== null) return found;
      if (child.exitCode !== null) throw new Error(`it ended without ${String(pattern)}:\n${text}`);
      await new Promise<void>((resolve) => (wake = resolve));
    }
  };
  return { child, printed, ended };
}

const address = /http:\/\/127\.0\.0\.1:\d+\/(?=#token=\S{32})/;

describe("dashboard", () => {
  it("prints the address with its token, serves, and ends cleanly with Ctrl-C", async () => {
    const base = temporaryFolder();
    writeRun(base, "a_20260101_000000", [at(1, 2)]);
    const { child, printed, ended } = start("dashboard", "--base-dir", base, "--port", "0");
    const [url] = await printed(address);
    await expect
      .poll(async () => (await fetch(`${url}api/runs`)).text(), { timeout: 20_000 })
      .toContain('"records":1');
    expect(await (await fetch(url)).text()).toContain("<title>vibe-rl dashboard</title>");
    // A page that listens does not hold it up.
    const listening = await fetch(`${url}api/events`);
    child.kill("SIGINT");
    expect(await ended).toBe(0);
    await expect(listening.text()).resolves.toContain("event: reset");
  });

  it("refuses a port that is in use, or none, and what it does not know", async () => {
    const taken = createServer();
    await new Promise<void>((resolve) => taken.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void taken.close());
    const { port } = taken.address() as AddressInfo;
    const { printed, ended } = start("dashboard", "--base-dir", temporaryFolder(), "--port", String(port));
    await printed(new RegExp(`port ${port} is in use; choose another`));
    expect(await ended).toBe(1);
    expect(await call(["dashboard", "--port", "70000"])).toMatchObject({
      code: 2,
      errors: ["vibe-rl dashboard: --port must be at most 65535, got 70000"],
    });
    expect((await call(["dashboard", "--prot", "1"])).errors[0]).toContain("did you mean --port?");
    expect((await call(["dashboard", "--open", "yes"])).errors).toEqual([
      "vibe-rl dashboard: --open takes no value",
    ]);
    expect((await call(["dashboard", "runs"])).code).toBe(2);
    expect((await call(["help", "dashboard"])).lines[0]).toContain("--port N");
  });
});

describe("train --dashboard", () => {
  it("has the dashboard beside the run, and ends with it where there is no terminal", async () => {
    const base = temporaryFolder();
    const small = [
      "--runner.total_timesteps",
      "1024",
      "--runner.eval_episodes",
      "1",
      "--runner.plot",
      "false",
    ];
    const { printed, ended } = start("train", "cartpole_ppo", "--dashboard", "--base-dir", base, ...small);
    const [url] = await printed(address);
    await printed(/last evaluation/);
    expect(await ended).toBe(0);
    await expect(fetch(url)).rejects.toThrow("fetch failed");
  });

  it("takes no value", async () => {
    const { code, errors } = await call(["train", "cartpole_ppo", "--dashboard", "now"]);
    expect([code, errors]).toEqual([2, ["vibe-rl train: --dashboard takes no value, got now"]]);
  });
});
