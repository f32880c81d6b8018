// A worker at work: makes its environments, then answers commands until it is terminated.
import { classOf, messageOf, VecEnvError, type Failure } from "../errors.js";
import { EnvGroup } from "../group.js";
import { describeEnv } from "../hostEnvs.js";
import type { InfoSink } from "../infos.js";
import { layoutOf } from "../layout.js";
import { isPromise } from "../promises.js";
import type { HostArray, HostEnv } from "../types.js";
import { LoadError, loadEnvs } from "./load.js";
import { memoryOf, partOf, type Memory } from "./memory.js";
import { plainSpace } from "./plainSpace.js";
import {
  maxNames,
  word,
  wordsPerWorker,
  type Command,
  type Loaded,
  type LoadRequest,
  type NewName,
  type Reply,
  type Request,
  type ShareRequest,
} from "./protocol.js";

/** The thread's way to the main one. */
export interface Port {
  readonly post: (reply: Reply) => void;
  readonly listen: (hear: (request: Request) => void) => void;
}

const operation = "WorkerVecEnv";

/** Between commands a worker sleeps this long before it goes back to its event loop. */
const sleepMs = 20;
/** However busy it is, its event loop runs this often: for what it prints, and for timers. */
const busyMs = 100;

/** Messages in the order in which they come. */
class Inbox {
  private readonly requests: Request[] = [];
  private wake: (() => void) | null = null;

  constructor(port: Port) {
    port.listen((request) => {
      if (request.kind !== "wake") this.requests.push(request);
      this.wake?.();
    });
  }

  /** Until a message comes, of whatever kind. */
  async any(): Promise<void> {
    if (this.requests.length === 0) await new Promise<void>((resolve) => (this.wake = resolve));
    this.wake = null;
  }

  async next(): Promise<Request> {
    for (;;) {
      const request = this.requests.shift();
      if (request !== undefined) return request;
      await this.any();
    }
  }
}

export async function serve(port: Port): Promise<void> {
  const inbox = new Inbox(port);
  const load = (await inbox.next()) as LoadRequest;
  let envs: HostEnv[];
  try {
    envs = await loadEnvs(operation, load);
  } catch (error) {
    port.post(
      error instanceof LoadError
        ? { kind: "refused", reason: error.message, cause: sendable(error.cause) }
        : { kind: "failed", failure: failureOf(error, load.first) },
    );
    return;
  }
  port.post({ kind: "result", value: loadedOf(envs), names: [] });
  const share = (await inbox.next()) as ShareRequest;
  await new Server(port, inbox, envs, load, share).run();
}

const loadedOf = (envs: readonly HostEnv[]): Loaded => ({
  environments: envs.map(describeEnv),
  observationSpace: plainSpace(envs[0].observationSpace),
  actionSpace: plainSpace(envs[0].actionSpace),
  hasState: envs.every((env) => env.getState !== undefined),
  hasRender: envs.every((env) => env.render !== undefined),
});

class Server {
  private readonly memory: Memory;
  private readonly group: EnvGroup;
  private readonly told: Told;
  private readonly actions: HostArray;
  private readonly offset: number;
  private seen = 0;
  /** Environments that answer with promises may need the event loop between commands. */
  private isAsync = false;
  private lastRest = performance.now();

  constructor(
    private readonly port: Port,
    private readonly inbox: Inbox,
    private readonly envs: readonly HostEnv[],
    { first, maxEpisodeSteps }: LoadRequest,
    { memory, worker, numEnvs, numWorkers }: ShareRequest,
  ) {
    const obs = layoutOf(envs[0].observationSpace);
    const action = layoutOf(envs[0].actionSpace);
    this.memory = memoryOf({ obs, action, numEnvs, numWorkers }, memory);
    this.offset = worker * wordsPerWorker;
    this.actions = this.memory.actions.subarray(first * action.size, (first + envs.length) * action.size);
    this.told = new Told(this.memory.told, first, envs);
    this.group = new EnvGroup(envs, {
      operation,
      obs,
      action,
      buffers: partOf(this.memory, obs.size, first, envs.length),
      infos: this.told,
      first,
      maxEpisodeSteps,
    });
  }

  async run(): Promise<void> {
    this.port.post({ kind: "result", value: null, names: [] });
    for (;;) {
      await this.command();
      let reply: Reply | null = null;
      try {
        let value: unknown;
        if (this.read(word.isStep) === 1) await this.step();
        else value = await this.obey();
        const names = this.told.newNames();
        if (value !== undefined || names.length > 0) reply = { kind: "result", value, names };
      } catch (error) {
        reply = { kind: "failed", failure: failureOf(error, this.told.first) };
      }
      this.answer(reply);
    }
  }

  private async step(): Promise<void> {
    this.told.begin();
    const stepped = this.group.step(this.actions);
    if (!isPromise(stepped)) return;
    this.isAsync = true;
    await stepped;
  }

  private async obey(): Promise<unknown> {
    const command = (await this.inbox.next()) as Command;
    switch (command.kind) {
      case "reset":
        await this.group.reset(command.seed ?? undefined);
        return undefined;
      case "getState":
        return this.group.getStates();
      case "setState":
        await this.group.setStates(command.states);
        return undefined;
      case "render":
        return this.group.render(command.at);
      case "close":
        await this.group.close();
        return undefined;
    }
  }

  /** Waits for the next command: asleep at first, which is quickest, then in the event loop. */
  private async command(): Promise<void> {
    const { control } = this.memory;
    if (performance.now() - this.lastRest > busyMs) {
      await new Promise<void>((resolve) => setTimeout(resolve, 0));
      this.lastRest = performance.now();
    }
    while (this.read(word.command) === this.seen) {
      if (!this.isAsync) Atomics.wait(control, this.offset + word.command, this.seen, sleepMs);
      if (this.read(word.command) !== this.seen) break;
      Atomics.store(control, this.offset + word.isListening, 1);
      if (this.read(word.command) === this.seen) await this.inbox.any();
      Atomics.store(control, this.offset + word.isListening, 0);
      this.lastRest = performance.now();
    }
    this.seen = this.read(word.command);
  }

  private answer(reply: Reply | null): void {
    const { control } = this.memory;
    if (reply !== null) this.send(reply);
    Atomics.store(control, this.offset + word.hasMessage, reply === null ? 0 : 1);
    Atomics.store(control, this.offset + word.answer, this.seen);
    Atomics.notify(control, this.offset + word.answer);
    if (this.read(word.isAwaited) === 1) this.port.post({ kind: "wake" });
  }

  private send(reply: Reply): void {
    try {
      this.port.post(reply);
    } catch (cause) {
      const { first } = this.told;
      const reason = `what it gave does not come through between threads: ${messageOf(cause)}`;
      this.port.post({
        kind: "failed",
        failure: { index: first, environment: classOf(this.envs[0]), reason },
      });
    }
  }

  private read(which: number): number {
    return Atomics.load(this.memory.control, this.offset + which);
  }
}

/** Numbers that environments tell by name, written to their places in shared memory. */
class Told implements InfoSink {
  private readonly places = new Map<string, number>();
  private fresh: NewName[] = [];

  constructor(
    private readonly numbers: Float64Array,
    readonly first: number,
    private readonly envs: readonly HostEnv[],
  ) {
    numbers.fill(NaN, first * maxNames, (first + envs.length) * maxNames);
  }

  begin(): void {
    for (let at = 0; at < this.envs.length; at++) {
      const row = (this.first + at) * maxNames;
      this.numbers.fill(NaN, row, row + this.places.size);
    }
  }

  component(index: number, name: string, value: number): void {
    this.write("component", index, name, value);
  }

  figure(index: number, name: string, value: number): void {
    this.write("figure", index, name, value);
  }

  newNames(): NewName[] {
    const names = this.fresh;
    if (names.length > 0) this.fresh = [];
    return names;
  }

  private write(kind: NewName["kind"], index: number, name: string, value: number): void {
    const key = `${kind} ${name}`;
    let place = this.places.get(key);
    if (place === undefined) {
      place = this.places.size;
      if (place === maxNames) {
        const reason = `tells numbers under more than ${maxNames} names in info.rewardComponents and info.log, ${JSON.stringify(name)} for one`;
        const environment = classOf(this.envs[index - this.first]);
        throw new VecEnvError(operation, { index, environment, reason });
      }
      this.places.set(key, place);
      this.fresh.push({ kind, name });
    }
    this.numbers[index * maxNames + place] = value;
  }
}

/** What came through between threads of a thrown value. */
function sendable(cause: unknown): unknown {
  try {
    return structuredClone(cause);
  } catch {
    return new Error(messageOf(cause));
  }
}

function failureOf(error: unknown, index: number): Failure {
  if (!(error instanceof VecEnvError)) {
    return { index, environment: "", reason: messageOf(error), cause: sendable(error) };
  }
  const { index: own, environment, reason, cause } = error;
  return { index: own, environment, reason, ...(cause !== undefined && { cause: sendable(cause) }) };
}
