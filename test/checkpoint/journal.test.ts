// Journals: files that only grow, of which every checkpoint knows its part.
import { appendFileSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { beginJournal, resumeJournal, type Journal } from "../../src/checkpoint/journal.js";
import { runInBackground, runNow } from "../../src/files/index.js";
import { temporaryFolder } from "../temporary.js";

const write = (journal: Journal, ...entries: object[]): Promise<void> =>
  runInBackground({ actions: [journal.append(entries)], undo: [] });

it("give back what was written up to a mark, and go on from there", async () => {
  const file = path.join(temporaryFolder(), "history.jsonl");
  const journal = beginJournal(file);
  await write(journal, { a: 1 }, { b: "é\u2028" });
  const { mark } = journal;
  await write(journal, { c: 3 });
  // What a killed process was about to write.
  appendFileSync(file, '{"d":');
  const found = resumeJournal(file, mark);
  expect(found?.entries).toEqual([{ a: 1 }, { b: "é\u2028" }]);
  if (found === null) return;
  runNow({ actions: [found.journal.append([{ e: 5 }])], undo: [] });
  expect(resumeJournal(file, found.journal.mark)?.entries).toEqual([{ a: 1 }, { b: "é\u2028" }, { e: 5 }]);
  expect(readFileSync(file, "utf8").split("\n")).toHaveLength(5);
});

it("notice every changed or missing byte before the mark", async () => {
  const file = path.join(temporaryFolder(), "history.jsonl");
  const journal = beginJournal(file);
  await write(journal, { a: 1 }, { b: 2 });
  const bytes = readFileSync(file);
  for (let at = 0; at < bytes.length; at++) {
    const changed = Buffer.from(bytes);
    changed[at] ^= 1;
    writeFileSync(file, changed);
    expect(() => resumeJournal(file, journal.mark)).toThrow(/its checksum differs/);
  }
  writeFileSync(file, bytes);
  truncateSync(file, bytes.length - 1);
  expect(() => resumeJournal(file, journal.mark)).toThrow(
    `it has ${bytes.length - 1} bytes instead of ${bytes.length}`,
  );
  expect(journal.isWhole).toBe(false);
  await expect(write(journal, { c: 3 })).rejects.toThrow(/somebody has cut it/);
  rmSync(file);
  expect(resumeJournal(file, journal.mark)).toBe(null);
});

it("begin anew over an older journal, and over nothing else", async () => {
  const file = path.join(temporaryFolder(), "history.jsonl");
  await write(beginJournal(file), { old: 1 }, { older: 2 });
  const journal = beginJournal(file);
  await write(journal, { a: 1 });
  expect(resumeJournal(file, journal.mark)?.entries).toEqual([{ a: 1 }]);
  for (const text of ["a diary\n", "{}\n", '{"format":"another journal"}\n']) {
    writeFileSync(file, text);
    expect(() => beginJournal(file)).toThrow(/is not a journal of ours and is left as it is/);
    expect(readFileSync(file, "utf8")).toBe(text);
  }
});
