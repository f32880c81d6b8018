// Node's modules where they are, and a word where they are not.
import nodeFs from "node:fs";
import { afterEach, describe, expect, it, vi } from "vitest";
import { saveTree } from "vibe-rl/checkpoint";
import { MetricsLogger } from "vibe-rl/metrics";
import { RunDir } from "vibe-rl/runDir";
import { fs, hasFiles, needFiles } from "../../src/node/index.js";

afterEach(() => vi.unstubAllGlobals());

describe("Node's modules", () => {
  it("are its own", () => {
    expect(hasFiles()).toBe(true);
    expect(fs.readFileSync).toBe(nodeFs.readFileSync);
  });

  it.each([
    ["in a browser", undefined],
    ["with a polyfill", { env: {}, browser: true }],
    ["in an older Node", { env: {}, getBuiltinModule: undefined }],
  ])("are missed only when they are used: %s", (_, process) => {
    vi.stubGlobal("process", process);
    const found = hasFiles();
    const errors = [
      () => needFiles("writeGif"),
      () => void RunDir("run"),
      () => void MetricsLogger("metrics.jsonl"),
      () => saveTree("tree.safetensors", {}),
    ].map((action) => {
      try {
        action();
        return "no error";
      } catch (error) {
        return String(error);
      }
    });
    vi.unstubAllGlobals();
    expect(found).toBe(false);
    for (const error of errors)
      expect(error).toMatch(/files need Node 20\.16 or newer.*leave out run directories/);
  });
});
