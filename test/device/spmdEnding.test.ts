// A device's thread that ends: whoever waits for it gets an error, and the next run has a new thread.
import { execFileSync } from "node:child_process";
import { pathToFileURL } from "node:url";
import { expect, it } from "vitest";
import { unhurried } from "../unhurried.js";

const fromDist = (file: string): string => JSON.stringify(pathToFileURL(`dist/${file}`).href);

/** What a process prints in which the code `ending` runs in the first thread of a device, before its own program. */
function printedWith(ending: string): string {
  const program = `
    const threads = process.getBuiltinModule("node:worker_threads");
    const { Worker } = threads;
    let started = 0;
    threads.Worker = class extends Worker {
      constructor(url, options) {
        const code = ${JSON.stringify(ending)} + "; import(" + JSON.stringify(url.href) + ")";
        super(++started === 1 ? new URL("data:text/javascript," + encodeURIComponent(code)) : url, options);
      }
    };
    const { bindOne, traceProgram } = await import(${fromDist("array/core/trace.js")});
    const { arrayType } = await import(${fromDist("array/index.js")});
    const { psum } = await import(${fromDist("array/primitives/collectives.js")});
    const { wasmBackend } = await import(${fromDist("device/wasm/backend.js")});
    const { program } = traceProgram("test", [arrayType([2], "float32")], ([x]) => [bindOne(psum, [x], { axes: ["data"] })]);
    const run = wasmBackend().spmd(program, { name: "test", axes: [{ name: "data", size: 3 }], constants: [], donated: [false] });
    const input = { read: (device) => Float32Array.of(device, 1) };
    for (let attempt = 0; attempt < 3; attempt++) {
      try {
        console.log(run.run([input])[0].read(2).join());
      } catch (error) {
        console.log(error.message);
      }
    }`;
  return execFileSync(process.execPath, [...unhurried, "--input-type=module", "-e", program], {
    encoding: "utf8",
    timeout: 30_000,
  });
}

const instead = (run: string): string =>
  `WebAssembly.Instance = function () { return { exports: { run: () => { ${run} } } }; }`;

it.each([
  ["ends itself in a run", instead("process.exit(7)"), "its thread has ended with code 7"],
  ["fails in a run", instead("throw new Error('no more')"), "no more"],
])("a thread that %s", (_, ending, reason) => {
  const lines = printedWith(ending).trimEnd().split("\n");
  expect(lines[0]).toBe(`spmd: device 1 of 3 failed, and the others stopped: ${reason}`);
  // A thread that has thrown lives on, with the program that throws.
  const next = ending.includes("exit") ? "3,3" : lines[0];
  expect(lines.slice(1)).toEqual([next, next]);
});

it("a thread that ends after a run", () => {
  const ending =
    "const { notify } = Atomics; " +
    "Atomics.notify = (words, at) => { notify(words, at); if (Atomics.load(words, 17) === 1) process.exit(3); }";
  const [first, second, third] = printedWith(ending).trimEnd().split("\n");
  expect([first, third]).toEqual(["3,3", "3,3"]);
  // It may still be there when the second run looks for it.
  expect(second).toMatch(
    /^3,3$|^spmd: device \d of 3 failed, and the others stopped: .*its thread has ended with code 3$/,
  );
});
