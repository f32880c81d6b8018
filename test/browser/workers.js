// Vectors of environments in a page, or in a worker of it: what they give, as plain data.
import { SyncVecEnv, WorkerVecEnv } from "/dist/exports/vecEnv.js";
import { Walk } from "./walk.js";

const url = new URL("walk.js", import.meta.url);

const here = (numEnvs) => SyncVecEnv(Array.from({ length: numEnvs }, () => () => new Walk()));
const inWorkers = (numEnvs, options = {}) =>
  WorkerVecEnv({ url, exportName: "Walk", numEnvs, numWorkers: 2, ...options });

/** Everything that a vector says in some steps. */
async function played(vec) {
  const told = [[...(await vec.reset(7))]];
  for (let step = 0; step < 40; step++) {
    const actions = Int32Array.from({ length: vec.numEnvs }, (_, at) => (step % (at + 2) === 0 ? 1 : 0));
    const { obs, rewards, dones, extras } = await vec.step(actions);
    told.push([...obs], [...rewards], [...dones], [...extras.timeOuts], extras.log);
  }
  told.push(await vec.getState());
  await vec.close();
  return told;
}

/** The same steps in this thread and in workers. */
export const both = async () => ({ here: await played(here(3)), there: await played(await inWorkers(3)) });

/** What a call throws, as plain data. */
async function failure(call) {
  try {
    await call();
  } catch ({ name, message, index, cause }) {
    return { name, message, index, cause: String(cause) };
  }
  return null;
}

/** What is said of an environment that throws, hangs, or cannot be loaded. */
export async function troubles() {
  const trouble = (name, timeoutMs) =>
    failure(async () => {
      const args = (index) => [index === 1 ? { trouble: name } : {}];
      await played(await inWorkers(3, { args, timeoutMs, numWorkers: 1 }));
    });
  return {
    throws: await trouble("throws", 60_000),
    hangs: await trouble("hangs", 1_000),
    nowhere: await failure(() => inWorkers(2, { url: new URL("nowhere.js", url), numWorkers: 1 })),
  };
}

/** Where a page may not share memory: what is said, and what works there. */
export const refused = async () => ({
  said: await failure(() => inWorkers(2, { numWorkers: 1 })),
  steps: (await played(here(2))).length,
});

/** Trains on environments in workers. */
export async function train() {
  const { OnPolicyRunner } = await import("/dist/exports/runner.js");
  const env = await inWorkers(4, { numWorkers: 1 });
  const runner = new OnPolicyRunner({ env, cfg: { nSteps: 16, numEnvs: 4 } });
  const stats = await runner.learn(4 * 16 * 5);
  await env.close();
  return { iterations: runner.iteration, length: stats["episode/mean_length"], loss: stats["train/loss"] };
}

/** The same in a worker of the page. */
export const trainInWorker = () =>
  new Promise((resolve, reject) => {
    const worker = new globalThis.Worker(new URL("workersInside.js", import.meta.url), { type: "module" });
    worker.onmessage = ({ data }) => resolve(data);
    worker.onerror = ({ message }) => reject(new Error(message));
  });
