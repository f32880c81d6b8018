// Work on a disk in the background: what is flushed before a folder appears.
import fs from "node:fs";
import path from "node:path";
import { expect, it, vi } from "vitest";
import { planFolder, runInBackground } from "../../src/files/index.js";
import { temporaryFolder } from "../temporary.js";

/** Carries out a plan with a disk that flushes only when it is told to; notes what is flushed and when names change. */
async function flushesOf(bytes: number): Promise<{ events: string[]; target: string }> {
  const folder = temporaryFolder();
  const target = path.join(folder, "made");
  const events: string[] = [];
  const { fsync } = fs;
  let isHere = false;
  const note = (what: string): void => {
    // A folder is there from one moment on: what happens before and after is told apart.
    if (!isHere && fs.existsSync(target)) events.push("appears");
    isHere = fs.existsSync(target);
    events.push(what);
  };
  vi.spyOn(fs, "fsync").mockImplementation((file, done) => {
    note(fs.fstatSync(file).isDirectory() ? "folder" : "file");
    fsync(file, done);
  });
  try {
    const files = ["a", "b"].map((name) => ({ name, parts: [new Uint8Array(bytes).fill(7)] }));
    await runInBackground(planFolder(target, files));
  } finally {
    vi.restoreAllMocks();
  }
  return { events, target };
}

it("flushes all small files and their names, and only then lets a folder appear", async () => {
  const { events, target } = await flushesOf(1000);
  expect(events).toEqual(["file", "file", "folder", "appears", "folder"]);
  expect(fs.readdirSync(target)).toEqual(["a", "b"]);
});

it("flushes the names of large files once these are there", async () => {
  const { events, target } = await flushesOf(2 ** 21);
  // Large files are flushed by their own handles.
  expect(events).toEqual(["folder", "appears", "folder"]);
  expect(fs.readdirSync(target).map((name) => fs.statSync(path.join(target, name)).size)).toEqual([
    2 ** 21,
    2 ** 21,
  ]);
});
