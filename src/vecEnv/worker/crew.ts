// The workers of a vector of environments, as the main thread sees them: it commands them, and waits for them.
import { fail } from "../../array/index.js";
import { lateReason, VecEnvError } from "../errors.js";
import type { Memory } from "./memory.js";
import { word, wordsPerWorker, type Command, type Reply, type Request } from "./protocol.js";
import { startThread, type Thread } from "./thread.js";

/** How long the main thread sleeps for an answer, where it may. Going through the event loop costs a tenth of it. */
const sleepMs = 1;

/** The environments of a worker. */
export interface Part {
  readonly first: number;
  readonly count: number;
}

export type Result = Extract<Reply, { kind: "result" }>;

interface Member extends Part {
  readonly thread: Thread;
  /** Replies that nobody has taken yet. */
  readonly replies: Reply[];
  /** Where its control words begin. */
  readonly offset: number;
  /** The count of its last command. */
  sequence: number;
  lost: { readonly reason: string; readonly cause?: unknown } | null;
}

export interface CrewOptions {
  /** Who speaks in messages. */
  readonly operation: string;
  readonly parts: readonly Part[];
  readonly timeoutMs: number;
}

export class Crew {
  private readonly members: readonly Member[];
  private memory: Memory | null = null;
  private look: (() => void) | null = null;
  private ending: Promise<void> | null = null;
  /** Classes of the environments, for messages. */
  private classes: readonly string[] = [];

  constructor(private readonly options: CrewOptions) {
    this.members = options.parts.map((part, at) => this.start(part, at));
  }

  private start({ first, count }: Part, at: number): Member {
    const replies: Reply[] = [];
    const thread = startThread(this.options.operation, {
      message: (reply) => {
        if (reply.kind !== "wake") replies.push(reply);
        this.look?.();
      },
      lost: (reason, cause) => {
        member.lost ??= { reason, cause };
        this.look?.();
      },
    });
    const member: Member = {
      first,
      count,
      thread,
      replies,
      offset: at * wordsPerWorker,
      sequence: 0,
      lost: null,
    };
    return member;
  }

  /** Asks all workers before they have a memory to share, and waits for a reply of each. */
  async ask(requestOf: (at: number) => Request): Promise<unknown[]> {
    for (const [at, { thread }] of this.members.entries()) thread.post(requestOf(at));
    const hasReplied = ({ replies }: Member): boolean => replies.length > 0;
    await this.wait(this.members, hasReplied, this.makingMs());
    return (await this.take(this.members, hasReplied, `was not made within ${this.makingMs()} ms`)).map(
      (result) => result?.value,
    );
  }

  /** From here on, words in shared memory carry the commands. */
  share(memory: Memory, classes: readonly string[]): void {
    this.memory = memory;
    this.classes = classes;
    // A process may end without closing them.
    for (const { thread } of this.members) thread.hold(false);
  }

  /** Lets all workers take a step; `null` if all have answered at once and told nothing beside. */
  step(): null | Promise<readonly (Result | null)[]> {
    if (this.members.every(({ lost }) => lost === null)) {
      for (const member of this.members) this.signal(member, 1);
      if (this.sleep()) return null;
    }
    return this.finish(this.members);
  }

  /** Gives a command to each worker, or to those that are named. */
  command(
    commandOf: (at: number) => Command,
    chosen: Iterable<number> = this.members.keys(),
  ): Promise<readonly (Result | null)[]> {
    const members = [...chosen].map((at) => {
      this.members[at].thread.post(commandOf(at));
      this.signal(this.members[at], 0);
      return this.members[at];
    });
    return this.finish(members);
  }

  /** Closes the environments of the workers that still answer, within a limit, and ends all workers. */
  end(limitMs: number): Promise<void> {
    return (this.ending ??= this.close(limitMs));
  }

  private async close(limitMs: number): Promise<void> {
    const free = this.members.filter(
      (member) => this.memory !== null && member.lost === null && this.hasAnswered(member),
    );
    for (const member of free) {
      member.replies.length = 0;
      member.thread.post({ kind: "close" });
      this.signal(member, 0);
    }
    if (free.length > 0) await this.wait(free, (member) => this.hasAnswered(member), limitMs);
    await Promise.all(this.members.map(({ thread }) => thread.terminate()));
    const failed = free.flatMap(({ replies }) => replies).find(({ kind }) => kind === "failed");
    if (failed?.kind === "failed") throw new VecEnvError(this.options.operation, failed.failure);
  }

  private signal(member: Member, isStep: 0 | 1): void {
    const { control } = this.shared();
    const { offset } = member;
    member.sequence = (member.sequence + 1) | 0;
    Atomics.store(control, offset + word.isStep, isStep);
    Atomics.store(control, offset + word.command, member.sequence);
    Atomics.notify(control, offset + word.command);
    if (Atomics.load(control, offset + word.isListening) === 1) member.thread.post({ kind: "wake" });
  }

  /** Whether all workers have answered by words alone before it is time to go back to the event loop. */
  private sleep(): boolean {
    if (!canSleep()) return false;
    const { control } = this.shared();
    const end = performance.now() + sleepMs;
    for (const { offset, sequence } of this.members) {
      for (;;) {
        const answer = Atomics.load(control, offset + word.answer);
        if (answer === sequence) break;
        const rest = end - performance.now();
        if (rest <= 0) return false;
        Atomics.wait(control, offset + word.answer, answer, rest);
      }
      if (Atomics.load(control, offset + word.hasMessage) === 1) return false;
    }
    return true;
  }

  private async finish(members: readonly Member[]): Promise<readonly (Result | null)[]> {
    const hasAnswered = (member: Member): boolean => this.hasAnswered(member);
    await this.wait(members, hasAnswered, this.options.timeoutMs);
    return this.take(members, hasAnswered, lateReason(this.options.timeoutMs));
  }

  private hasAnswered({ offset, sequence, replies }: Member): boolean {
    const { control } = this.shared();
    if (Atomics.load(control, offset + word.answer) !== sequence) return false;
    return Atomics.load(control, offset + word.hasMessage) === 0 || replies.length > 0;
  }

  /** Waits in the event loop until all are done, one is lost, or the time is over. */
  private async wait(
    members: readonly Member[],
    isDone: (member: Member) => boolean,
    limitMs: number,
  ): Promise<void> {
    this.await(members, 1);
    await new Promise<void>((resolve) => {
      const timer = limitMs === Infinity ? undefined : setTimeout(resolve, limitMs);
      this.look = () => {
        const isOver = members.some(
          ({ lost, replies }) => lost !== null || (replies.length > 0 && replies[0].kind !== "result"),
        );
        if (!isOver && !members.every(isDone)) return;
        clearTimeout(timer);
        resolve();
      };
      this.look();
    });
    this.look = null;
    this.await(members, 0);
  }

  /** Tells workers whether the main thread is in its event loop; there, the process must not end. */
  private await(members: readonly Member[], isAwaited: 0 | 1): void {
    if (this.memory === null) return;
    for (const { offset, thread } of members) {
      Atomics.store(this.memory.control, offset + word.isAwaited, isAwaited);
      thread.hold(isAwaited === 1);
    }
  }

  /** The results of workers that are done; where one is not, or has failed, all are closed. */
  private async take(
    members: readonly Member[],
    isDone: (member: Member) => boolean,
    missing: string,
  ): Promise<(Result | null)[]> {
    const failures = members.flatMap((member) => this.failureOf(member) ?? []);
    // A worker that has said what is wrong knows more than one that is just not done.
    const [failure] =
      failures.length > 0
        ? failures
        : members.filter((member) => !isDone(member)).map((member) => this.blame(member, missing));
    if (failure === undefined)
      return members.map(({ replies }) => (replies.shift() as Result | undefined) ?? null);
    // Environments that have not failed may still close; what they say to it is not what went wrong.
    await this.end(1000).catch(() => undefined);
    throw failure;
  }

  private failureOf(member: Member): Error | null {
    const { operation } = this.options;
    const { lost, replies } = member;
    const [reply] = replies;
    if (reply?.kind === "failed") return new VecEnvError(operation, reply.failure);
    if (reply?.kind === "refused") {
      return new Error(
        `${operation}: ${reply.reason}`,
        reply.cause === undefined ? {} : { cause: reply.cause },
      );
    }
    if (lost === null) return null;
    return this.blame(member, lost.reason, lost.cause);
  }

  /** Modules are loaded, too, before environments are made. */
  private makingMs(): number {
    return Math.max(this.options.timeoutMs, 60_000);
  }

  /** The failure of the environment that a worker was busy with. */
  private blame({ first, count }: Member, reason: string, cause?: unknown): VecEnvError {
    const { memory, classes } = this;
    const own = Array.from({ length: count }, (_, at) => first + at);
    const busy = own.filter((index) => memory?.waiting[index] === 1);
    const index = busy[0] ?? first;
    const others = (busy.length > 0 ? busy : own).filter((other) => other !== index);
    const also = others.length === 0 ? "" : ` (or one of those in the same worker: ${others.join(", ")})`;
    return new VecEnvError(this.options.operation, {
      index,
      environment: classes[index] ?? "",
      reason: reason + also,
      cause,
    });
  }

  private shared(): Memory {
    return this.memory ?? fail(this.options.operation, "there is no shared memory yet");
  }
}

let isSleepAllowed: boolean | null = null;

/** Whether this thread may sleep on shared memory; the main thread of a page may not. */
function canSleep(): boolean {
  if (isSleepAllowed === null) {
    try {
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 1, 0);
      isSleepAllowed = true;
    } catch {
      isSleepAllowed = false;
    }
  }
  return isSleepAllowed;
}
