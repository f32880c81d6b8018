// A folder of its own for every test, gone afterwards.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { onTestFinished, vi } from "vitest";

/** A new empty folder for the test that is running. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(path.join(tmpdir(), "vibe-rl-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** The warnings of a kind that a function emits. */
export async function warningsOf(kind: string, body: () => unknown): Promise<string[]> {
  const spy = vi.spyOn(process, "emitWarning").mockImplementation(() => undefined);
  try {
    await body();
    const calls = spy.mock.calls as unknown as [message: string, kind: string][];
    return calls.filter(([, name]) => name === kind).map(([message]) => message);
  } finally {
    spy.mockRestore();
  }
}
