// Environments in worker threads give what those in this thread give.
import { SyncVecEnv, WorkerVecEnv } from "vibe-rl/vecEnv";
import { Counter } from "./counter.js";

const url = new URL("./counter.js", import.meta.url);
const there = await WorkerVecEnv({ url, exportName: "Counter", numEnvs: 3, numWorkers: 2 });
const here = SyncVecEnv(Array.from({ length: 3 }, () => () => new Counter()));
const seen = [];
for (const vec of [there, here]) {
  const list = [...(await vec.reset(5))];
  for (let step = 0; step < 8; step++) list.push(...(await vec.step(Int32Array.of(0, 1, 1))).obs);
  seen.push(list.join());
}
await there.close();
process.stdout.write(JSON.stringify({ numEnvs: there.numEnvs, isSame: seen[0] === seen[1] }));
