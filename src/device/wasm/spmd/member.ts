// A thread that a device runs in, as the main thread sees it.
import { fail } from "../../../array/index.js";
import { controlBytes, controlOf, readText, word, type Control, type Request } from "./protocol.js";
import { startThread, type Thread } from "./thread.js";

/** How long a thread may take to start. */
const startLimitMs = 60_000;

export class Member {
  private readonly control: Control;
  private readonly thread: Thread;
  private readonly whenReady: Promise<void>;
  private runs = 0;
  private reason: string | null = null;

  constructor(private readonly device: number) {
    let settle: () => void = () => undefined;
    this.whenReady = new Promise((resolve) => (settle = resolve));
    this.thread = startThread({
      ready: settle,
      lost: (reason) => {
        this.reason ??= reason;
        settle();
      },
    });
    // After the thread, which says why where there is no memory to share.
    this.control = controlOf(new SharedArrayBuffer(controlBytes));
    this.post({ kind: "start", control: this.control.words.buffer });
  }

  post(request: Request): void {
    this.thread.post(request);
    this.ring("messages");
  }

  private ring(counter: "messages" | "runs"): void {
    const { words } = this.control;
    Atomics.add(words, word[counter], 1);
    Atomics.add(words, word.bell, 1);
    Atomics.notify(words, word.bell);
  }

  get isReady(): boolean {
    return Atomics.load(this.control.words, word.isReady) === 1;
  }

  /** Sleeps until the thread has started; in Node it does so meanwhile. */
  waitForStart(): void {
    if (!this.isReady) Atomics.wait(this.control.words, word.isReady, 0, startLimitMs);
    if (!this.isReady) this.reason ??= `it has not started within ${startLimitMs / 1000} s`;
    this.failIfLost();
  }

  async start(): Promise<void> {
    this.thread.hold(true);
    if (!this.isReady) await this.whenReady;
    this.thread.hold(false);
    this.failIfLost();
  }

  /** Why the thread is no more; known at once, also while this thread waits and hears nothing. */
  get lost(): string | null {
    if (Atomics.load(this.control.words, word.hasEnded) === 1) this.reason ??= this.failure;
    return this.reason;
  }

  failIfLost(): void {
    const { lost } = this;
    if (lost !== null) fail("spmd", `device ${this.device} has no thread to run in: ${lost}`);
  }

  /** Asks for a run of a program that was loaded. */
  begin(program: number, spins: number): void {
    const { words } = this.control;
    Atomics.store(words, word.program, program);
    Atomics.store(words, word.spins, spins);
    this.runs = (this.runs + 1) | 0;
    this.ring("runs");
  }

  /** Waits until the run has ended: awake for so many looks, then asleep if this thread may. */
  finish(spins: number, maySleep: boolean): void {
    const { words } = this.control;
    for (let left = spins; ; left--) {
      const answer = Atomics.load(words, word.answer);
      if (answer === this.runs || this.lost !== null) return;
      if (left <= 0 && maySleep) Atomics.wait(words, word.answer, answer);
    }
  }

  /** What was thrown in the last run that failed here. */
  get failure(): string {
    return readText(this.control);
  }
}
