// Several processes find each other by a store of values, whichever thread of a plugin asks for them.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer, type AddressInfo } from "node:net";
import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { distributedInitialize } from "vibe-rl/sharding";
import { connectStore, serveStore } from "../../../src/device/xla/distributed/store.js";
import { fakeProblem, newFake } from "./fake.js";
import { unhurried } from "../../unhurried.js";

/** A port that nobody uses. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

const text = (bytes: Uint8Array | null): string | null => bytes && new TextDecoder().decode(bytes);
const bytes = (value: string): Uint8Array => new TextEncoder().encode(value);

describe("the store", () => {
  it("answers once a value is there, at once, or not at all", async () => {
    const port = await freePort();
    const server = await serveStore("127.0.0.1", port);
    const [first, second] = [
      await connectStore("127.0.0.1", port, 1000),
      await connectStore("127.0.0.1", port, 1000),
    ];
    onTestFinished(() => {
      first.close();
      second.close();
      server.close();
    });
    expect(await second.tryGet("a")).toBe(null);
    expect(await second.get("a", 1)).toBe(null);
    const later = second.get("a", 20_000);
    first.put("a", bytes("one\ntwo"));
    expect(text(await later)).toBe("one\ntwo");
    expect(text(await second.tryGet("a"))).toBe("one\ntwo");
    expect(text(await first.get("a", 0))).toBe("one\ntwo");
  });

  it("says that nobody is there", async () => {
    await expect(connectStore("127.0.0.1", await freePort(), 0)).rejects.toThrow("ECONNREFUSED");
  });
});

describe("distributedInitialize", () => {
  it.each([
    [
      { coordinatorAddress: "here" },
      'coordinatorAddress must be a host and a port, such as "10.0.0.1:1234", got "here"',
    ],
    [{ numProcesses: 0 }, "numProcesses must be a whole number of at least 1"],
    [{ processId: 2 }, "processId 2 is none of 0 to 1, of 2 processes"],
  ])("refuses %o", async (given, words) => {
    const options = { coordinatorAddress: "127.0.0.1:1", numProcesses: 2, processId: 0, ...given };
    await expect(distributedInitialize(options)).rejects.toThrow(words);
  });
});

describe.skipIf(fakeProblem("test/device/xla/distributed.test.ts") !== null)("processes", () => {
  /** Some of so many processes, and what each of them found. */
  async function run(ids: readonly number[], processes: number, getMs: number): Promise<unknown[]> {
    const { file } = newFake();
    const address = `127.0.0.1:${await freePort()}`;
    const children = ids.map((id) => {
      const script = path.join(import.meta.dirname, "process.mjs");
      const args = [script, file, address, String(processes), String(id), String(getMs)];
      const child = spawn(process.execPath, [...unhurried, ...args], { stdio: ["pipe", "pipe", "inherit"] });
      onTestFinished(() => void child.kill());
      return child;
    });
    const found = await Promise.all(
      children.map(async ({ stdout }) => JSON.parse(String((await once(stdout, "data"))[0])) as unknown),
    );
    children.forEach(({ stdin }) => stdin.end());
    return found;
  }

  it("know of each other's devices, and compile programs for all of them", async () => {
    const run2 = "split: it is compiled for 2 devices, and this process has 1 of them";
    const each = { here: 1, all: 2, run: expect.stringContaining(run2) as unknown };
    expect(await run([0, 1], 2, 20_000)).toEqual([each, each]);
  });

  it("say who is missing", async () => {
    const [found] = await run([0], 2, 50);
    expect(found).toEqual({
      problem: expect.stringContaining("nobody has put node 1 into the store within 50 ms") as unknown,
    });
  });
});
