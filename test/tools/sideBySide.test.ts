// Processes side by side: tools/sideBySide.mjs, which `npm test` and `npm run test:gpu` are run with.
import { spawn, spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../temporary.js";

const source = new URL("../../tools/sideBySide.mjs", import.meta.url).href;
/** A module that has what is tested. */
const words = (code: string): string[] => [
  "--input-type=module",
  "-e",
  `import { inPlaces, run } from ${JSON.stringify(source)};\n${code}`,
];
/** What such a module prints, as JSON. */
function printed(code: string): unknown {
  const { stdout, stderr } = spawnSync(process.execPath, words(code), { encoding: "utf8" });
  expect(stderr).toBe("");
  return JSON.parse(stdout);
}

describe("tools/sideBySide.mjs", () => {
  it("starts jobs in their order, as soon as as many places are free as they take", () => {
    const code = `
      let taken = 0;
      const seen = [];
      const results = await inPlaces(4, [2, 3, 1, 4, 1].map((places) => ({ places })), async ({ places }) => {
        taken += places;
        seen.push(taken);
        await new Promise((resolve) => setTimeout(resolve, 10 * places));
        taken -= places;
        return places;
      });
      console.log(JSON.stringify({ seen, results }));`;
    expect(printed(code)).toEqual({ seen: [2, 3, 4, 4, 1], results: [2, 3, 1, 4, 1] });
  });

  it("keeps apart what processes print, and tells how they ended", () => {
    const code = `
      const programs = ["console.log('one')", "console.error('two'); process.exit(3)", "process.kill(process.pid)"];
      const results = await Promise.all(programs.map((program) => run(process.execPath, ["-e", program])));
      console.log(JSON.stringify(results));`;
    expect(printed(code)).toEqual([
      { code: 0, output: "one\n" },
      { code: 3, output: "two\n" },
      { code: 1, output: "" },
    ]);
  });

  // Windows has no signals, and no groups of processes.
  it.skipIf(process.platform === "win32").each(["SIGINT", "SIGTERM"] as const)(
    "ends what it has started, and what that has started, with %s",
    async (signal) => {
      const file = path.join(temporaryFolder(), "pid");
      const busy = `require("fs").writeFileSync(${JSON.stringify(file)}, String(process.pid)); for (;;);`;
      const between = `require("child_process").spawnSync(process.execPath, ["-e", ${JSON.stringify(busy)}])`;
      const program = spawn(
        process.execPath,
        words(`await run(process.execPath, ["-e", ${JSON.stringify(between)}])`),
      );
      const ended = new Promise((resolve) => program.once("close", resolve));
      while (!existsSync(file) || readFileSync(file, "utf8") === "") await sleep(10);
      program.kill(signal);
      expect(await ended).toBe(1);
      const pid = Number(readFileSync(file, "utf8"));
      // A signal is on its way for a moment.
      while (isThere(pid)) await sleep(10);
    },
  );
});

function isThere(pid: number): boolean {
  try {
    process.kill(pid, 0);
    // An ended process whose parent has not asked how it ended is there until somebody does.
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
}
