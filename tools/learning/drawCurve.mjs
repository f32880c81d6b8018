// The learning curve of a preset: the mean of greedy returns over all seeds, with their standard deviation.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { plotRewardCurve } from "../../dist/exports/plotting.js";

/** Draws `results` of trainSeeds to a file. */
export function drawCurve(file, title, results) {
  const folder = mkdtempSync(path.join(tmpdir(), "vibe-rl-curves-"));
  try {
    const runs = results.map(({ seed, curve }) => {
      const root = path.join(folder, `seed_${seed}`);
      mkdirSync(path.join(root, "logs"), { recursive: true });
      const lines = curve.map(({ step, return: eval_return }) => JSON.stringify({ step, eval_return }));
      writeFileSync(path.join(root, "logs", "metrics.jsonl"), `${lines.join("\n")}\n`);
      return root;
    });
    plotRewardCurve(runs, {
      groupBy: () => `${results.length} seeds`,
      yKey: "eval_return",
      smooth: 0,
      config: { title, figsize: [4.8, 3], dpi: 120, xLabel: "environment steps", yLabel: "greedy return" },
      savePath: file,
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
}
