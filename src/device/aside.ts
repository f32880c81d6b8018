// A thread that does something at the same time as this one, whether this one turns its event loop meanwhile or not. Where the
// thread cannot start, as in a bundle without its file, this one does the task.
import { startWorker, threads, type MessagePort } from "../node/index.js";

/** How far the thread has come. */
const stages = { waiting: 0, working: 1, done: 2, dismissed: 3 } as const;

/** What a thread is started with, and what it is asked. */
interface Start {
  readonly stage: Int32Array;
  readonly setting: unknown;
}
interface Asked {
  readonly task: unknown;
  readonly answers: MessagePort;
}

/** A thread for one task, which is waited for while this thread's event loop turns. */
export interface Asking<Task, Answer> {
  /** Its answer; null if it cannot do the task. */
  readonly ask: (task: Task) => Promise<Answer | null>;
  readonly dismiss: () => void;
}

/** A thread for one task, while this thread goes on without turning its event loop. Whoever comes to the task first does it. */
export interface Aside<Task, Answer> {
  readonly begin: (task: Task) => void;
  /** Waits for the answer; null if the thread has not come to the task, or could not do it. */
  readonly finish: () => Answer | null;
  readonly dismiss: () => void;
}

/** The file of a thread beside this package's file at an address; the built one where that is a source, which Node cannot run. */
export const threadBeside = (address: string, name: string): URL =>
  new URL(
    `${name}.js`,
    address.endsWith(".ts") ? address.replace(/\/src\/(?!.*\/src\/)/, "/dist/") : address,
  );

function start(url: URL, setting: unknown) {
  const stage = new Int32Array(new SharedArrayBuffer(4));
  return { stage, worker: startWorker(url, undefined, { workerData: { stage, setting } satisfies Start }) };
}

/** Starts a thread that can be waited for. */
export function openAside<Setting, Task, Answer>(url: URL, setting: Setting): Asking<Task, Answer> {
  const { worker } = start(url, setting);
  let isGone = false;
  for (const event of ["error", "exit"]) worker.once(event, () => (isGone = true));
  const ask = (task: Task): Promise<Answer | null> => {
    const { port1: here, port2: there } = new threads.MessageChannel();
    return new Promise((resolve) => {
      const end = (answer: Answer | null): void => {
        here.close();
        void worker.terminate();
        resolve(answer);
      };
      if (isGone) {
        end(null);
        return;
      }
      here.once("message", end);
      for (const event of ["error", "exit"]) worker.once(event, () => end(null));
      worker.postMessage({ task, answers: there } satisfies Asked, [there]);
    });
  };
  return { ask, dismiss: () => void worker.terminate() };
}

/** Starts a thread beside which this one goes on. */
export function startAside<Setting, Task, Answer>(url: URL, setting: Setting): Aside<Task, Answer> {
  const { stage, worker } = start(url, setting);
  worker.unref();
  // Whatever keeps it from its task, this thread does it then.
  worker.on("error", () => undefined);
  const { port1: here, port2: there } = new threads.MessageChannel();
  return {
    begin: (task) => worker.postMessage({ task, answers: there } satisfies Asked, [there]),
    finish: () => {
      if (Atomics.compareExchange(stage, 0, stages.waiting, stages.dismissed) === stages.waiting) return null;
      Atomics.wait(stage, 0, stages.working);
      return (threads.receiveMessageOnPort(here)?.message as Answer | null | undefined) ?? null;
    },
    dismiss: () => {
      Atomics.compareExchange(stage, 0, stages.waiting, stages.dismissed);
      here.close();
      void worker.terminate();
    },
  };
}

/** The program of such a thread: gets ready, then does its task, or answers null where it cannot. */
export function doAside<Setting, Task, Answer>(
  prepare: (setting: Setting) => (task: Task) => Answer | null,
): void {
  const { parentPort } = threads;
  if (parentPort === null) throw new Error("this is the program of a thread");
  const { stage, setting } = (threads as { readonly workerData: unknown }).workerData as Start;
  const work = prepare(setting as Setting);
  parentPort.on("message", ({ task, answers }: Asked) => {
    if (Atomics.compareExchange(stage, 0, stages.waiting, stages.working) !== stages.waiting) return;
    try {
      answers.postMessage(work(task as Task));
    } finally {
      Atomics.store(stage, 0, stages.done);
      Atomics.notify(stage, 0);
    }
  });
}
