// `vibe-rl cache`: what it lists and clears.
import { existsSync, utimesSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { takeSteps } from "../../src/device/native/commands.js";
import { anySource, building, scriptedCompiler, temporaryCache } from "../device/native.js";
import { call } from "./host.js";

describe.skipIf(process.platform === "win32")("cache", () => {
  it("lists built programs with their sizes and ages, and clears them", async () => {
    const cache = temporaryCache();
    expect(await call(["cache"])).toMatchObject({
      ...{ code: 0, errors: [], lines: [`${cache}: 0 programs, 0 B of at most 512.0 MiB`] },
    });
    scriptedCompiler();
    const { file } = takeSteps(building(anySource("x".repeat(4000))));
    const old = new Date(Date.now() - 2 * 86_400_000 - 1000);
    utimesSync(path.join(path.dirname(file), "entry.json"), old, old);
    const key = path.basename(path.dirname(file)).slice(0, 12);
    expect((await call(["cache"])).lines).toEqual([
      `${cache}: 1 program, 4 KiB of at most 512.0 MiB`,
      expect.stringMatching(/^key +program +compiler +size +last used$/),
      expect.stringMatching(new RegExp(`^${key} +jit\\(test\\) +gcc 1\\.2\\.3 +4 KiB +2 days ago$`)),
    ]);
    expect((await call(["cache", "clear"])).lines).toEqual([`${cache}: removed 1 program, 4 KiB`]);
    expect(existsSync(file)).toBe(false);
  });

  it("refuses other words and flags with code 2", async () => {
    temporaryCache();
    for (const line of [
      ["cache", "empty"],
      ["cache", "clear", "all"],
      ["cache", "--all"],
    ]) {
      const { code, errors } = await call(line);
      expect([code, errors.length]).toEqual([2, 1]);
    }
    expect((await call(["cache", "--help"])).lines.join("\n")).toContain("VIBE_RL_CACHE_DIR");
  });
});
