// Environments by the names of their tasks. Loading MuJoCo takes a moment, so these functions are asynchronous.
import { tellNearest } from "../array/index.js";
import { MujocoEnv } from "./env.js";
import { fail } from "./errors.js";
import { loadMujoco } from "./load.js";
import type { MujocoTask } from "./task.js";
import { hopper } from "./tasks/hopper.js";
import { invertedDoublePendulum } from "./tasks/invertedDoublePendulum.js";
import { invertedPendulum } from "./tasks/invertedPendulum.js";
import type { Mujoco } from "./types.js";

const tasks = {
  InvertedPendulum: invertedPendulum,
  InvertedDoublePendulum: invertedDoublePendulum,
  Hopper: hopper,
};

/** The names of the tasks that come with the package. */
export type MujocoName = keyof typeof tasks;

export interface MujocoOptions {
  /** MuJoCo, already loaded. Default: what `loadMujoco()` gives. */
  readonly mujoco?: Mujoco;
}

function taskOf(operation: string, task: MujocoName | MujocoTask): MujocoTask {
  if (typeof task === "object") return task;
  if (Object.hasOwn(tasks, task)) return tasks[task]();
  return fail(
    operation,
    `there is no task ${JSON.stringify(task)}; ${tellNearest(task, Object.keys(tasks))}. ` +
      "A task of your own is passed as an object",
  );
}

async function factoryOf(
  operation: string,
  task: MujocoName | MujocoTask,
  { mujoco }: MujocoOptions,
): Promise<() => MujocoEnv> {
  const chosen = taskOf(operation, task);
  const loaded = mujoco ?? (await loadMujoco());
  return () => new MujocoEnv(loaded, chosen);
}

/** A function that makes environments of one task, each with a simulation of its own, without waiting. */
export const mujocoFactory = (
  task: MujocoName | MujocoTask,
  options: MujocoOptions = {},
): Promise<() => MujocoEnv> => factoryOf("mujocoFactory", task, options);

/** One environment: `await makeMujoco("Hopper")`, or of a task of your own. */
export async function makeMujoco(
  task: MujocoName | MujocoTask,
  options: MujocoOptions = {},
): Promise<MujocoEnv> {
  return (await factoryOf("makeMujoco", task, options))();
}
