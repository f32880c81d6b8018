// One of several processes that find each other: process.mjs PLUGIN ADDRESS PROCESSES ID MILLISECONDS. Prints what it found, as JSON.
import { createRequire } from "node:module";
const built = (file) => import(new URL(`../../../dist/${file}`, import.meta.url).href);
const { traceProgram } = await built("array/core/trace.js");
const { arrayType } = await built("array/index.js");
const { distributedClient, distributedInitialize } = await built("device/xla/distributed/initialize.js");
const { Client } = await built("device/xla/client.js");
const { Plugin } = await built("device/xla/plugin.js");
const { XlaShardedExecutable } = await built("device/xla/sharded.js");

const [file, coordinatorAddress, processes, id, getMs] = process.argv.slice(2);
const koffi = createRequire(import.meta.url)("koffi");
koffi.load(file).func("fake_set", "void", ["str", "int64"])("getMs", Number(getMs));
await distributedInitialize({
  coordinatorAddress,
  numProcesses: Number(processes),
  processId: Number(id),
  timeout: 20,
});
const client = Client.start(Plugin.load(koffi, file), distributedClient());
const found =
  "problem" in client
    ? { problem: client.problem }
    : { here: client.devices.length, all: client.deviceCount };
if (!("problem" in client)) {
  const { program } = traceProgram("split", [arrayType([4], "float32")], (inputs) => inputs);
  const layouts = [[["a"]]];
  const axes = [{ name: "a", size: client.deviceCount }];
  const executable = new XlaShardedExecutable(client, program, {
    ...{ name: "split", axes, constants: [], donated: [false], inputs: layouts, outputs: layouts },
  });
  try {
    executable.run([{ read: () => new Float32Array(2) }]);
  } catch (error) {
    found.run = error.message;
  }
}
process.stdout.write(`${JSON.stringify(found)}\n`);
// Who keeps the store waits until the others have read from it.
process.stdin.on("end", () => process.exit(0)).resume();
