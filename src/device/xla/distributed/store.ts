// A store of values by key that processes share over TCP: the first process keeps it, and all ask for what they need.
import { buffer, net, type Socket, type TcpServer } from "../../../node/index.js";

/** One line of text each way, in JSON. */
interface Request {
  readonly id: number;
  readonly kind: "put" | "get" | "tryGet";
  readonly key: string;
  /** In base64. */
  readonly value?: string;
  readonly timeoutMs?: number;
}

interface Reply {
  readonly id: number;
  /** In base64; null where there is none. */
  readonly value: string | null;
}

/** Calls `hear` with each line that comes. */
function onLines(socket: Socket, hear: (line: string) => void): void {
  let rest = "";
  socket.setEncoding("utf8");
  socket.on("data", (text) => {
    const lines = (rest + String(text)).split("\n");
    rest = lines.pop() ?? "";
    lines.forEach(hear);
  });
}

/** Keeps the store, at an address of this machine. */
export function serveStore(host: string, port: number): Promise<TcpServer> {
  const values = new Map<string, string>();
  const waiting = new Map<string, Set<(value: string) => void>>();
  const put = (key: string, value: string): void => {
    values.set(key, value);
    waiting.get(key)?.forEach((tell) => tell(value));
    waiting.delete(key);
  };
  const get = (key: string, timeoutMs: number, tell: (value: string | null) => void): void => {
    const known = values.get(key);
    if (known !== undefined) {
      tell(known);
      return;
    }
    const others = waiting.get(key) ?? new Set<(value: string) => void>();
    waiting.set(key, others);
    const found = (value: string): void => {
      clearTimeout(timer);
      tell(value);
    };
    const timer = setTimeout(() => {
      others.delete(found);
      tell(null);
    }, timeoutMs);
    others.add(found);
  };
  const server = net.createServer((socket) => {
    socket.on("error", () => socket.destroy());
    onLines(socket, (line) => {
      const { id, kind, key, value = "", timeoutMs = 0 } = JSON.parse(line) as Request;
      const answer = (found: string | null): void => {
        if (socket.writable) socket.write(`${JSON.stringify({ id, value: found } satisfies Reply)}\n`);
      };
      if (kind === "put") {
        put(key, value);
        answer(null);
      } else if (kind === "tryGet") answer(values.get(key) ?? null);
      else get(key, timeoutMs, answer);
    });
  });
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () => resolve(server));
  });
}

/** The store as a process sees it. */
export interface Store {
  readonly put: (key: string, value: Uint8Array) => void;
  /** The value, as soon as somebody has put it there; null if nobody has in time. */
  readonly get: (key: string, timeoutMs: number) => Promise<Uint8Array | null>;
  /** The value, or null if there is none now. */
  readonly tryGet: (key: string) => Promise<Uint8Array | null>;
  readonly close: () => void;
}

const retryMs = 100;

/** Connects with the store, which may not be there yet. */
export async function connectStore(host: string, port: number, timeoutMs: number): Promise<Store> {
  const until = Date.now() + timeoutMs;
  for (;;) {
    try {
      return storeOver(await connected(host, port));
    } catch (error) {
      if (Date.now() > until) throw error;
      await new Promise((resolve) => setTimeout(resolve, retryMs));
    }
  }
}

const connected = (host: string, port: number): Promise<Socket> =>
  new Promise((resolve, reject) => {
    const socket = net.connect(port, host, () => resolve(socket));
    socket.once("error", reject);
  });

function storeOver(socket: Socket): Store {
  const asked = new Map<number, (value: string | null) => void>();
  let last = 0;
  const lose = (): void => {
    for (const tell of asked.values()) tell(null);
    asked.clear();
  };
  socket.on("error", lose);
  socket.on("close", lose);
  onLines(socket, (line) => {
    const { id, value } = JSON.parse(line) as Reply;
    asked.get(id)?.(value);
    asked.delete(id);
  });
  const ask = (request: Omit<Request, "id">): Promise<Uint8Array | null> =>
    new Promise((resolve) => {
      const id = ++last;
      asked.set(id, (value) =>
        resolve(value === null ? null : Uint8Array.from(buffer.Buffer.from(value, "base64"))),
      );
      socket.write(`${JSON.stringify({ id, ...request } satisfies Request)}\n`);
    });
  return {
    put: (key, value) => void ask({ kind: "put", key, value: buffer.Buffer.from(value).toString("base64") }),
    get: (key, timeoutMs) => ask({ kind: "get", key, timeoutMs }),
    tryGet: (key) => ask({ kind: "tryGet", key }),
    close: () => socket.destroy(),
  };
}
