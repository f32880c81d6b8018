// Links of the README and the documentation lead somewhere, on the repository's pages and in the installed package.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { unpackPackage } from "./package/project.js";
import { temporaryFolder } from "./temporary.js";

const root = fileURLToPath(new URL("..", import.meta.url));
const pages = ["README.md", ...readdirSync(path.join(root, "docs")).map((file) => `docs/${file}`)].filter(
  (file) => file.endsWith(".md"),
);

/** The text of a page without its code. */
const proseOf = (page: string): string =>
  readFileSync(path.join(root, page), "utf8")
    .replaceAll(/^```.*?^```/gms, "")
    .replaceAll(/`[^`\n]*`/g, (code) => code.replaceAll(/[[\]()]/g, ""));

const linksOf = (page: string): string[] =>
  [...proseOf(page).matchAll(/\]\(([^)\s]+)\)/g)].map((match) => match[1]);

/** The names that headings have as targets of links, as GitHub makes them. */
const anchorsOf = (page: string): string[] =>
  [...proseOf(page).matchAll(/^#+ (.*)$/gm)].map(([, heading]) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
      .trim()
      .replaceAll(" ", "-"),
  );

describe("links", () => {
  it.each(pages)("of %s lead to files, and to headings that are there", (page) => {
    const broken = linksOf(page)
      .filter((link) => !link.startsWith("https://"))
      .filter((link) => {
        const [file, anchor] = link.split("#");
        const target = file === "" ? page : path.posix.join(path.posix.dirname(page), file);
        if (!existsSync(path.join(root, target))) return true;
        return anchor !== undefined && !anchorsOf(target).includes(anchor);
      });
    expect(broken).toEqual([]);
  });

  it("lead to files that are in the package", async () => {
    const packed = temporaryFolder();
    await unpackPackage(packed);
    const targets = pages.flatMap((page) =>
      linksOf(page)
        .filter((link) => !/^(https:\/\/|#)/.test(link))
        .map((link) => path.posix.join(path.posix.dirname(page), link.split("#")[0])),
    );
    expect(targets.length).toBeGreaterThan(50);
    expect(targets.filter((target) => !existsSync(path.join(packed, target)))).toEqual([]);
  });

  it("reach every page from the README", () => {
    const reached = new Set(["README.md"]);
    for (const page of reached) {
      for (const link of linksOf(page)) {
        const target = path.posix.join(path.posix.dirname(page), link.split("#")[0]);
        if (target.endsWith(".md") && !link.startsWith("https:")) reached.add(target);
      }
    }
    expect([...reached].sort()).toEqual([...pages].sort());
  });

  it("are to pages that tell the least version of TypeScript that the types are tested for", () => {
    for (const page of ["README.md", "docs/installing.md", "docs/browsers.md"]) {
      expect([page, readFileSync(path.join(root, page), "utf8")]).toEqual([
        page,
        expect.stringMatching(/TypeScript\W+5\.4\s+or\s+newer/),
      ]);
    }
  });
});
