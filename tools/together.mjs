// Runs npm scripts side by side: node tools/together.mjs lint test:unit. The last one's output is shown
// as it comes, each other's in one piece when all are done; the first that failed decides the exit code.
import { run } from "./sideBySide.mjs";

// npm is a script that only a shell can start on Windows.
const shell = process.platform === "win32";
const scripts = process.argv.slice(2);
const results = await Promise.all(
  scripts.map((script, at) =>
    run(
      "npm",
      ["run", script],
      at === scripts.length - 1 ? { shell, stdio: "inherit", detached: false } : { shell },
    ),
  ),
);
for (const { output } of results) process.stdout.write(output);
process.exitCode = results.map(({ code }) => code).find((code) => code !== 0) ?? 0;
