// What can be asked of the dashboard, by path.
import { path, type IncomingMessage, type ServerResponse } from "../node/index.js";
import { encodeCurves } from "./curves.js";
import { detailsOf } from "./details.js";
import { Refusal } from "./errors.js";
import { isPlainName, type Fence } from "./fence.js";
import { sendFile } from "./files.js";
import { checkToken } from "./guard.js";
import type { PolicyFiles } from "./policyFile.js";
import type { DashboardRun } from "./run.js";
import { stopRun } from "./stop.js";
import type { RunStore } from "./store.js";
import type { RunList } from "./types.js";

export interface Served {
  readonly store: RunStore;
  readonly fence: Fence;
  readonly page: ReadonlyMap<string, string>;
  readonly policies: PolicyFiles;
  readonly token: string;
  readonly version: string;
  /** The directory of all runs as it was given. */
  readonly baseDir: string;
}

interface Question {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly query: URLSearchParams;
  /** The parts of the path behind the route's own. */
  readonly parts: readonly string[];
}

type Answer = (served: Served, question: Question) => void | Promise<void>;

const reading = ["GET", "HEAD"];

function refuseMethod(method: string | undefined, allowed: readonly string[]): void {
  if (allowed.includes(method ?? "")) return;
  throw new Refusal(405, `${method ?? ""} is not possible here`, { allow: allowed.join(", ") });
}

function send({ request, response }: Question, body: Uint8Array | string, type: string): void {
  response.writeHead(200, {
    "content-type": type,
    "content-length": Buffer.byteLength(body),
    "cache-control": "no-store",
  });
  response.end(request.method === "HEAD" ? undefined : body);
}

const sendJson = (question: Question, value: unknown): void =>
  send(question, JSON.stringify(value), "application/json; charset=utf-8");

/** A whole number of a query; undefined where it is not given. */
function wholeIn(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name);
  if (text === null) return undefined;
  if (!/^\d{1,15}$/.test(text))
    throw new Refusal(400, `${name} must be a whole number, got ${JSON.stringify(text)}`);
  return Number(text);
}

function numberIn(query: URLSearchParams, name: string, usual: number): number {
  const text = query.get(name);
  if (text === null) return usual;
  const value = Number(text);
  if (text.trim() === "" || Number.isNaN(value))
    throw new Refusal(400, `${name} must be a number, got ${JSON.stringify(text)}`);
  return value;
}

/** The run of a path. Only runs that were found in the directory have one, so that no path leads elsewhere. */
function runOf({ store }: Served, id: string): DashboardRun {
  const run = isPlainName(id) ? store.runs.get(id) : undefined;
  if (run === undefined) throw new Refusal(404, `there is no run ${JSON.stringify(id)}`);
  return run;
}

const listRuns: Answer = ({ store, version, baseDir }, question) => {
  const list: RunList = { baseDir, version, runs: [...store.runs.values()].map((run) => run.summary) };
  sendJson(question, list);
};

const sendCurves: Answer = (served, question) => {
  const { query } = question;
  const metric = query.get("metric");
  if (metric === null) throw new Refusal(400, "which metric? Say it with ?metric=episode_return");
  const ids = query.getAll("run");
  const runs = ids.length === 0 ? [...served.store.runs.values()] : ids.map((id) => runOf(served, id));
  const bytes = encodeCurves(runs, {
    metric,
    buckets: wholeIn(query, "buckets") ?? 0,
    from: numberIn(query, "from", -Infinity),
    to: numberIn(query, "to", Infinity),
  });
  send(question, bytes, "application/octet-stream");
};

const sendConfigs: Answer = ({ store }, question) =>
  sendJson(question, Object.fromEntries([...store.runs].map(([id, run]) => [id, run.config.plain])));

const listen: Answer = ({ store }, { request, response }) => {
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-store" });
  if (request.method === "HEAD") response.end();
  else store.events.open(response, request.headers["last-event-id"]?.toString());
};

const ofRun: Answer = async (served, question) => {
  const [id, what, name, ...more] = question.parts;
  const { request, response, query } = question;
  const run = runOf(served, id);
  if (what === "stop" && name === undefined) {
    refuseMethod(request.method, ["POST"]);
    checkToken(request, served.token);
    const stopped = stopRun(id, served.fence.inside(id, "logs"));
    sendJson(question, stopped);
    return;
  }
  refuseMethod(request.method, reading);
  if (what === undefined) sendJson(question, detailsOf(run, served.fence.base));
  else if (what === "policy" && name === undefined) {
    const step = wholeIn(query, "step");
    if (step === undefined) throw new Refusal(400, "which checkpoint? Say its step with ?step=");
    const bytes = await served.policies.of(run, step, wholeIn(query, "member") ?? null);
    send(question, bytes, "application/octet-stream");
  } else if (what === "videos" && name !== undefined && more.length === 0) {
    const file = run.videoFile(name);
    if (file === null) throw new Refusal(404, `${id} has no video ${JSON.stringify(name)}`);
    sendFile(request, response, file, "no-cache");
  } else throw new Refusal(404, `there is nothing at ${what}`);
};

const answers: Readonly<Record<string, Answer>> = {
  runs: (served, question) => (question.parts.length === 0 ? listRuns : ofRun)(served, question),
  curves: sendCurves,
  configs: sendConfigs,
  events: listen,
};

/** Answers a request that was let through. */
export async function answer(
  served: Served,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { pathname, parts, query } = placeOf(request.url ?? "/");
  const [first, second, ...rest] = parts;
  if (first !== "api") {
    refuseMethod(request.method, reading);
    const file = served.page.get(pathname);
    if (file === undefined) throw new Refusal(404, `there is nothing at ${pathname}`);
    // Names of assets change with their content.
    const isAsset = path.basename(path.dirname(file)) === "assets";
    sendFile(request, response, file, isAsset ? "max-age=31536000, immutable" : "no-cache");
    return;
  }
  const found = Object.hasOwn(answers, second ?? "") ? answers[second] : undefined;
  if (found === undefined) throw new Refusal(404, `there is nothing at ${pathname}`);
  if (second !== "runs") {
    refuseMethod(request.method, reading);
    if (rest.length > 0) throw new Refusal(404, `there is nothing at ${pathname}`);
  } else if (rest.length === 0) refuseMethod(request.method, reading);
  await found(served, { request, response, query, parts: rest });
}

/** A request's path in parts, each decoded by itself: a slash that was hidden stays within its part. */
function placeOf(url: string): { pathname: string; parts: string[]; query: URLSearchParams } {
  const [pathname, ...search] = url.split("?");
  try {
    const parts = pathname.split("/").slice(1).map(decodeURIComponent);
    if (!pathname.startsWith("/") || parts.some((part) => part.includes("\0"))) throw new Error("no path");
    return {
      pathname,
      parts: parts.at(-1) === "" ? parts.slice(0, -1) : parts,
      query: new URLSearchParams(search.join("?")),
    };
  } catch {
    throw new Refusal(400, `${JSON.stringify(pathname)} is no path`);
  }
}
