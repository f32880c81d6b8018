// Run directories with made-up metrics, in a folder of their own.
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

/** An empty folder outside the project. */
export const newFolder = (): string => mkdtempSync(path.join(tmpdir(), "vibe-rl-plotting-"));

type Row = Readonly<Record<string, unknown>>;

/** Writes a run directory as training does. */
export function writeRun(base: string, name: string, rows: readonly Row[], config: Row = {}): string {
  const root = path.join(base, name);
  mkdirSync(path.join(root, "logs"), { recursive: true });
  writeFileSync(path.join(root, "config.json"), JSON.stringify(config));
  const lines = rows.map((row) => `${JSON.stringify(row)}\n`);
  writeFileSync(path.join(root, "logs", "metrics.jsonl"), lines.join(""));
  return root;
}

/** Rows of a run whose return rises to 500 at some speed. */
export const rising = (speed: number, count = 100, every = 1000): Row[] =>
  Array.from({ length: count }, (_, at) => ({
    step: (at + 1) * every,
    wall_time: 1_700_000_000 + at * 0.25,
    episode_return: 500 * (1 - Math.exp((-speed * at) / count)) + 15 * Math.sin(at * 1.7),
    loss: 1 / (at + 1),
  }));
