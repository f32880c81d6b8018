// Requests to a dashboard as nobody's browser would make them: raw paths, any header.
import { request } from "node:http";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import { startDashboard, type Dashboard, type DashboardEvent } from "../../src/dashboard/index.js";

/** The built page. */
export const pageDir = fileURLToPath(new URL("../../dist/dashboard/page", import.meta.url));

/** A dashboard of a directory, gone after the test. */
export async function dashboardOf(baseDir: string): Promise<Dashboard> {
  const board = await startDashboard({ baseDir, port: 0, pageDir, version: "test" });
  onTestFinished(() => board.close());
  await board.settled();
  return board;
}

export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
  readonly text: string;
}

export interface Ask {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Asks for a path, exactly as it is written. */
export const ask = (
  { port }: Dashboard,
  target: string,
  { method = "GET", headers = {} }: Ask = {},
): Promise<Reply> =>
  new Promise((resolve, reject) => {
    const sent = request({ host: "127.0.0.1", port, path: target, method, headers }, (response) => {
      const parts: Buffer[] = [];
      response.on("data", (part: Buffer) => parts.push(part));
      response.on("end", () => {
        const body = Buffer.concat(parts);
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body, text: body.toString() });
      });
    });
    sent.on("error", reject);
    sent.end();
  });

export const askJson = async <T>(board: Dashboard, target: string): Promise<T> =>
  JSON.parse((await ask(board, target)).text) as T;

export interface Listener {
  /** The next event that a test is true of. */
  until(isWanted: (event: DashboardEvent) => boolean): Promise<DashboardEvent>;
  /** Names of events that are no messages, as `reset`. */
  readonly named: readonly string[];
  readonly lastId: () => string;
  close(): void;
}

/** Listens to a dashboard's events, as of behind one that was had before. */
export async function listen({ port }: Dashboard, lastId?: string): Promise<Listener> {
  const seen: DashboardEvent[] = [];
  const named: string[] = [];
  let id = "";
  let wake = (): void => undefined;
  let text = "";
  const take = (block: string): void => {
    const fields = new Map(
      block.split("\n").map((one) => one.split(/: (.*)/s).slice(0, 2) as [string, string]),
    );
    id = fields.get("id") ?? id;
    const [event, data] = [fields.get("event"), fields.get("data")];
    if (event !== undefined) named.push(event);
    else if (data !== undefined) seen.push(JSON.parse(data) as DashboardEvent);
  };
  const headers = lastId === undefined ? {} : { "last-event-id": lastId };
  const sent = request({ host: "127.0.0.1", port, path: "/api/events", headers });
  await new Promise<void>((resolve, reject) => {
    sent.on("error", reject);
    sent.on("response", (response) => {
      response.setEncoding("utf8");
      response.on("error", () => undefined);
      response.on("data", (part: string) => {
        text += part;
        const blocks = text.split("\n\n");
        text = blocks.pop() ?? "";
        blocks.forEach(take);
        resolve();
        wake();
      });
    });
    sent.end();
  });
  sent.on("error", () => undefined);
  const close = (): void => void sent.destroy();
  onTestFinished(close);
  let from = 0;
  return {
    named,
    lastId: () => id,
    close,
    until: async (isWanted) => {
      for (;;) {
        for (; from < seen.length; from++) if (isWanted(seen[from])) return seen[from++];
        await new Promise<void>((resolve) => (wake = resolve));
      }
    },
  };
}

/** The curves of an answer, by run. */
export function curvesIn(body: Buffer): Record<string, [x: number[], y: number[]]> {
  const length = body.readUInt32LE(0);
  const header = JSON.parse(body.toString("utf8", 4, 4 + length)) as {
    readonly curves: readonly { readonly id: string; readonly points: number }[];
  };
  let at = 4 + length;
  const numbers = (count: number): number[] =>
    Array.from({ length: count }, () => {
      at += 8;
      return body.readDoubleLE(at - 8);
    });
  return Object.fromEntries(header.curves.map(({ id, points }) => [id, [numbers(points), numbers(points)]]));
}

/** A path of this repository. */
export const here = (...parts: readonly string[]): string =>
  path.join(fileURLToPath(new URL("../..", import.meta.url)), ...parts);
