// Calls to a worker and back: functions by name, answers or errors by number, and events in between.

/** Functions that a worker offers, by name; each takes at most one argument. */
export type Offered = Readonly<Record<string, (argument: never) => unknown>>;

interface Call {
  readonly number: number;
  readonly name: string;
  readonly argument: unknown;
}

/** An error as plain data, with the place in the visitor's code where it is known. */
export interface Problem {
  readonly message: string;
  readonly line: number | null;
  readonly column: number | null;
}

type Message =
  | { readonly kind: "ready" }
  | { readonly kind: "answer"; readonly number: number; readonly result: unknown }
  | { readonly kind: "error"; readonly number: number; readonly problem: Problem }
  | { readonly kind: "event"; readonly event: unknown };

/** What a worker could not do. */
export class WorkerError extends Error {
  override readonly name = "WorkerError";
  constructor(readonly problem: Problem) {
    super(problem.message);
  }
}

interface Scope {
  postMessage(message: Message, transfer?: Transferable[]): void;
  addEventListener(type: "message", listen: (event: MessageEvent<Call>) => void): void;
}

/** Buffers in an answer that need not be copied. */
const buffersIn = (result: unknown): Transferable[] =>
  result instanceof Uint8Array && result.buffer instanceof ArrayBuffer ? [result.buffer] : [];

/** In a worker: answers calls until it is ended. */
export function serveCalls(offered: Offered, explain: (error: unknown) => Problem): void {
  const scope = globalThis as unknown as Scope;
  const answer = async ({ number, name, argument }: Call): Promise<void> => {
    try {
      const result = await (offered[name] as (argument: unknown) => unknown)(argument);
      scope.postMessage({ kind: "answer", number, result }, buffersIn(result));
    } catch (error) {
      scope.postMessage({ kind: "error", number, problem: explain(error) });
    }
  };
  scope.addEventListener("message", ({ data }) => void answer(data));
  scope.postMessage({ kind: "ready" });
}

/** In a worker: tells the page something. */
export const tellPage = (event: unknown, transfer: Transferable[] = []): void =>
  (globalThis as unknown as Scope).postMessage({ kind: "event", event }, transfer);

export interface Connection<Functions extends Offered> {
  /** Calls a function of the worker. */
  call<Name extends keyof Functions & string>(
    name: Name,
    ...argument: Parameters<Functions[Name]>
  ): Promise<Awaited<ReturnType<Functions[Name]>>>;
  /** Settles once the worker's program has loaded; fails if it cannot. */
  readonly ready: Promise<void>;
  readonly isEnded: boolean;
  /** Ends the worker, whatever it is doing; calls that wait fail with this reason. */
  end(reason: string): void;
}

interface Waiting {
  readonly resolve: (result: never) => void;
  readonly reject: (error: Error) => void;
}

export interface ConnectionOptions {
  /** Told what the worker tells by itself. */
  readonly onEvent?: ((event: unknown) => void) | undefined;
  /** A call may take so long, in milliseconds, once the worker has loaded; then the worker is ended. Default: no limit. */
  readonly limitMs?: number | undefined;
}

/** In a page: the functions of a worker. */
export function connect<Functions extends Offered>(
  worker: Worker,
  { onEvent, limitMs }: ConnectionOptions = {},
): Connection<Functions> {
  const waiting = new Map<number, Waiting>();
  let last = 0;
  let isEnded = false;
  let loaded: Waiting | undefined;
  const ready = new Promise<void>((resolve, reject) => (loaded = { resolve, reject }));
  // Who calls something hears of it there.
  ready.catch(() => undefined);

  const end = (message: string): void => {
    if (isEnded) return;
    isEnded = true;
    worker.terminate();
    const error = new WorkerError({ message, line: null, column: null });
    loaded?.reject(error);
    for (const { reject } of waiting.values()) reject(error);
    waiting.clear();
  };
  const watch = (number: number, limit: number): void => {
    const late = `no answer within ${limit / 1000} s: is there a loop that never ends?`;
    const look = (): void => {
      if (waiting.has(number)) end(late);
    };
    ready.then(() => setTimeout(look, limit)).catch(() => undefined);
  };
  worker.addEventListener("error", (event) => {
    event.preventDefault();
    end(`the worker has failed: ${event.message === "" ? "its program did not load" : event.message}`);
  });
  worker.addEventListener("message", ({ data }: MessageEvent<Message>) => {
    if (data.kind === "ready") loaded?.resolve(undefined as never);
    else if (data.kind === "event") onEvent?.(data.event);
    else {
      const one = waiting.get(data.number);
      waiting.delete(data.number);
      if (data.kind === "answer") one?.resolve(data.result as never);
      else one?.reject(new WorkerError(data.problem));
    }
  });
  return {
    ready,
    end,
    get isEnded() {
      return isEnded;
    },
    call: (name, ...[argument]) =>
      new Promise((resolve, reject) => {
        if (isEnded) {
          reject(new WorkerError({ message: "the worker has ended", line: null, column: null }));
          return;
        }
        const number = ++last;
        waiting.set(number, { resolve, reject });
        worker.postMessage({ number, name, argument } satisfies Call);
        if (limitMs !== undefined) watch(number, limitMs);
      }),
  };
}
