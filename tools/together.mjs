// Runs npm scripts side by side: node tools/together.mjs lint:code typecheck. Each one's output comes in one piece
// when it is done; the first that fails decides the exit code.
import { spawn } from "node:child_process";

const run = (script) =>
  new Promise((resolve) => {
    let output = "";
    // npm is a script that only a shell can start on Windows.
    const child = spawn("npm", ["run", script], { shell: process.platform === "win32" });
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (text) => (output += text));
    }
    child.once("error", (error) => (output += `${error.message}\n`));
    child.once("close", (code) => {
      process.stdout.write(output);
      resolve(code);
    });
  });

const codes = await Promise.all(process.argv.slice(2).map(run));
process.exitCode = codes.find((code) => code !== 0) ?? 0;
