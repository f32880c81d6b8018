// Locks: one process at a time writes to a folder, and one that is gone is in nobody's way.
import { once } from "node:events";
import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { lockName, lockOwner, takeLock } from "../../src/files/index.js";
import { temporaryFolder } from "../temporary.js";

/** A folder with the lock of somebody else. */
function lockedBy(owner: object | string): string {
  const folder = temporaryFolder();
  const text = typeof owner === "string" ? owner : `${JSON.stringify(owner)}\n`;
  writeFileSync(path.join(folder, lockName), text);
  return folder;
}

/** The number of a process that is over. */
const deadPid = (): number => spawnSync(process.execPath, ["-e", ""]).pid;

describe("a lock", () => {
  it("names its process, keeps others out, and is gone when it is released", () => {
    const folder = temporaryFolder();
    const lock = takeLock(folder);
    expect(JSON.parse(readFileSync(path.join(folder, lockName), "utf8"))).toMatchObject({
      ...{ pid: process.pid, host: hostname() },
    });
    expect(() => takeLock(folder)).toThrow(/is being written to by this very process since \d{4}-/);
    lock.release();
    expect(readdirSync(folder)).toEqual([]);
    takeLock(folder).release();
  });

  it("tells others who has it: whether the process lives, is certainly that one, and listens for Ctrl-C", () => {
    const folder = temporaryFolder();
    expect(lockOwner(folder)).toBe(null);
    const listeners = process.listeners("SIGINT");
    process.removeAllListeners("SIGINT");
    try {
      const lock = takeLock(folder);
      const own = { pid: process.pid, isHere: true, isAlive: true };
      expect(lockOwner(folder)).toMatchObject({
        ...own,
        listens: false,
        isCertain: process.platform !== "win32",
      });
      lock.release();
      const listen = (): void => undefined;
      process.on("SIGINT", listen);
      const next = takeLock(folder);
      process.off("SIGINT", listen);
      expect(lockOwner(folder)).toMatchObject({ ...own, listens: true });
      next.release();
    } finally {
      for (const listener of listeners) process.on("SIGINT", listener);
    }
    expect(lockOwner(lockedBy({ pid: deadPid(), host: hostname(), began: "1" }))).toMatchObject({
      isAlive: false,
    });
    expect(lockOwner(lockedBy({ pid: 1, host: "elsewhere" }))).toMatchObject({
      isHere: false,
      isCertain: false,
    });
    expect(lockOwner(lockedBy("no json"))).toBe(null);
  });

  it("of a process that lives is respected, by name", () => {
    const child = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"]);
    try {
      const folder = lockedBy({ pid: child.pid, host: hostname(), began: null, since: "today" });
      expect(() => takeLock(folder)).toThrow(`process ${child.pid} since today; two at once would spoil it`);
      expect(readdirSync(folder)).toEqual([lockName]);
    } finally {
      child.kill("SIGKILL");
    }
  });

  it("of a process that is gone is taken over", () => {
    const folder = lockedBy({ pid: deadPid(), host: hostname(), began: "1", since: "today" });
    const lock = takeLock(folder);
    expect(readdirSync(folder)).toEqual([lockName]);
    expect(readFileSync(path.join(folder, lockName), "utf8")).toContain(`"pid":${process.pid},`);
    lock.release();
    expect(readdirSync(folder)).toEqual([]);
  });

  it.skipIf(process.platform === "win32")(
    "of a process whose number another one has got is taken over",
    () => {
      // This very process has the number, but began at another time.
      const folder = lockedBy({ pid: process.pid, host: hostname(), began: "long ago", since: "today" });
      takeLock(folder).release();
      expect(readdirSync(folder)).toEqual([]);
    },
  );

  it("of another host is respected, with a word how to go on", () => {
    const folder = lockedBy({ pid: deadPid(), host: "elsewhere", began: "1", since: "today" });
    const file = path.join(folder, lockName);
    expect(() => takeLock(folder)).toThrow(`on elsewhere since today`);
    expect(() => takeLock(folder)).toThrow(`if not, remove ${file} to go on`);
    rmSync(file);
    takeLock(folder).release();
  });

  it("that cannot be read is respected, with a word how to go on", () => {
    for (const text of ["", "\0\0\0", "[]", '{"pid":"x"}']) {
      const folder = lockedBy(text);
      expect(() => takeLock(folder)).toThrow(
        /cannot be read; if nobody writes there, remove .*\.lock to go on/,
      );
      expect(readFileSync(path.join(folder, lockName), "utf8")).toBe(text);
    }
  });

  it("is not removed by somebody whose lock it no longer is", () => {
    const folder = temporaryFolder();
    const lock = takeLock(folder);
    writeFileSync(path.join(folder, lockName), "another's");
    lock.release();
    expect(readFileSync(path.join(folder, lockName), "utf8")).toBe("another's");
  });

  it("that nobody holds is cleared away by one process at a time", () => {
    const owner = { host: hostname(), began: null, since: "today" };
    const stale = JSON.stringify({ ...owner, pid: deadPid() });
    const folder = lockedBy(stale);
    const claim = path.join(folder, `${lockName}.clearing`);
    // Another is at it and does not get done; then it is gone.
    writeFileSync(claim, JSON.stringify({ ...owner, pid: process.ppid }));
    expect(() => takeLock(folder)).toThrow("is being written to by process");
    expect(readFileSync(path.join(folder, lockName), "utf8")).toBe(stale);
    writeFileSync(claim, stale);
    takeLock(folder).release();
    expect(readdirSync(folder)).toEqual([]);
  });

  it("is got by one of many that come at once, over one that is stale", async () => {
    const folder = mkdtempSync(path.join(tmpdir(), "vibe-rl-lock-"));
    try {
      writeFileSync(
        path.join(folder, lockName),
        JSON.stringify({ pid: deadPid(), host: hostname(), began: "1", since: "today" }),
      );
      const source = new URL("../../dist/files/index.js", import.meta.url).href;
      const program =
        `const { takeLock } = await import(${JSON.stringify(source)});` +
        `try { takeLock(${JSON.stringify(folder)}); console.log("got"); for await (const _ of process.stdin); }` +
        `catch (error) { console.log(error.name); }`;
      const children = Array.from({ length: 6 }, () =>
        spawn(process.execPath, ["--input-type=module", "-e", program], {
          stdio: ["pipe", "pipe", "inherit"],
        }),
      );
      // Whoever has the lock keeps it until all have told.
      const told = await Promise.all(
        children.map(async ({ stdout }) => String((await once(stdout, "data"))[0]).trim()),
      );
      for (const { stdin } of children) stdin.end();
      await Promise.all(children.map(async (child) => child.exitCode ?? once(child, "exit")));
      expect(told.sort()).toEqual([...Array<string>(5).fill("LockError"), "got"]);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
