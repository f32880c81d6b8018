// Runs npm scripts side by side: node tools/together.mjs lint test:unit. The last one's output is shown
// as it comes, each other's in one piece when all are done; the first that failed decides the exit code.
import { spawn } from "node:child_process";

function run(script, isLast) {
  // npm is a script that only a shell can start on Windows.
  const shell = process.platform === "win32";
  if (isLast) {
    const child = spawn("npm", ["run", script], { shell, stdio: "inherit" });
    return new Promise((resolve) => child.once("close", (code) => resolve({ code, output: "" })));
  }
  const child = spawn("npm", ["run", script], { shell });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text) => (output += text));
  }
  return new Promise((resolve) => child.once("close", (code) => resolve({ code, output })));
}

const scripts = process.argv.slice(2);
const results = await Promise.all(scripts.map((script, at) => run(script, at === scripts.length - 1)));
for (const { output } of results) process.stdout.write(output);
process.exitCode = results.map(({ code }) => code).find((code) => code !== 0) ?? 0;
