// What `vibe-rl/runner` offers: what its pages tell of, and nothing of the machinery behind it.
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import path from "node:path";
import { expect, it } from "vitest";
import * as runner from "vibe-rl/runner";

const docs = fileURLToPath(new URL("../../docs", import.meta.url));

it("every name of vibe-rl/runner is on a page of the documentation", () => {
  const pages = readdirSync(docs).filter((name) => name.endsWith(".md"));
  const text = pages.map((name) => readFileSync(path.join(docs, name), "utf8")).join("\n");
  const words = new Set(text.match(/\w+/g));
  expect(Object.keys(runner).filter((name) => !words.has(name))).toEqual([]);
  expect(Object.keys(runner)).toContain("OnPolicyRunner");
});
