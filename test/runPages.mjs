// Runs the code of documentation pages, one module after the other, in one process: runPages.mjs <end mark> <file>…
// After each page it prints the mark, with what the page threw, if anything.
import { pathToFileURL } from "node:url";
import { inspect } from "node:util";

const [mark, ...files] = process.argv.slice(2);
for (const file of files) {
  let failure = "";
  try {
    await import(pathToFileURL(file).href);
  } catch (error) {
    failure = inspect(error);
  }
  process.stdout.write(`${mark}${JSON.stringify(failure)}\n`);
}
