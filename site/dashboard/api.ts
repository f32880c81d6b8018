// What the page asks its server.
import type { CurvesHeader, RunDetails, RunList } from "../../src/dashboard/index.js";

/** A request that the server has refused, with its words. */
export class ServerError extends Error {
  override readonly name = "ServerError";
}

async function ask(path: string, init: RequestInit = {}): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(path, init);
  } catch {
    throw new ServerError("the dashboard does not answer; is it still running?");
  }
  if (!response.ok) throw new ServerError((await response.text()).trim() || response.statusText);
  return response;
}

const runPath = (id: string): string => `api/runs/${encodeURIComponent(id)}`;

export const fetchRuns = async (): Promise<RunList> => (await ask("api/runs")).json() as Promise<RunList>;

export const fetchDetails = async (id: string): Promise<RunDetails> =>
  (await ask(runPath(id))).json() as Promise<RunDetails>;

/** The configs of all runs, by id; null for those that have none. */
export type Configs = Readonly<Record<string, Readonly<Record<string, unknown>> | null>>;

export const fetchConfigs = async (): Promise<Configs> =>
  (await ask("api/configs")).json() as Promise<Configs>;

/** A curve as it came. */
export interface FetchedCurve {
  readonly id: string;
  readonly x: Float64Array;
  readonly y: Float64Array;
  /** How many values it stands for. */
  readonly total: number;
  readonly generation: number;
}

export interface CurvesQuestion {
  readonly metric: string;
  readonly runs?: readonly string[];
  readonly buckets: number;
  readonly range?: { readonly min: number; readonly max: number };
}

/** The curves of a metric, of some runs or of all. */
export async function fetchCurves({
  metric,
  runs = [],
  buckets,
  range,
}: CurvesQuestion): Promise<FetchedCurve[]> {
  const query = new URLSearchParams({ metric, buckets: String(buckets) });
  for (const run of runs) query.append("run", run);
  if (range !== undefined) {
    query.set("from", String(range.min));
    query.set("to", String(range.max));
  }
  const bytes = await (await ask(`api/curves?${query.toString()}`)).arrayBuffer();
  const length = new DataView(bytes).getUint32(0, true);
  const { curves } = JSON.parse(new TextDecoder().decode(new Uint8Array(bytes, 4, length))) as CurvesHeader;
  let at = 4 + length;
  return curves.map(({ id, points, total, generation }) => {
    const x = new Float64Array(bytes, at, points);
    const y = new Float64Array(bytes, at + points * 8, points);
    at += points * 16;
    return { id, x, y, total, generation };
  });
}

/** The agent of a checkpoint as the bytes that `loadPolicy` takes. */
export async function fetchPolicy(id: string, step: number, member: number | null): Promise<ArrayBuffer> {
  const query = new URLSearchParams({ step: String(step) });
  if (member !== null) query.set("member", String(member));
  return (await ask(`${runPath(id)}/policy?${query.toString()}`)).arrayBuffer();
}

export const videoAddress = (id: string, name: string): string =>
  `${runPath(id)}/videos/${encodeURIComponent(name)}`;

const storedToken = "vibe-rl-token";

/** Takes the token and other wishes out of the address, so that it is not copied along with it. */
export function takeAddress(): { readonly wantsLatest: boolean; readonly run: string | null } {
  const given = new URLSearchParams(location.hash.slice(1));
  const token = given.get("token");
  if (token !== null) sessionStorage.setItem(storedToken, token);
  const run = given.get("run");
  if (token !== null)
    history.replaceState(null, "", run === null ? location.pathname : `#run=${encodeURIComponent(run)}`);
  return { wantsLatest: given.has("latest"), run };
}

/** Whether this page may change things. */
export const hasToken = (): boolean => sessionStorage.getItem(storedToken) !== null;

/** Asks for a run to be stopped. */
export async function stopRun(id: string): Promise<void> {
  await ask(`${runPath(id)}/stop`, {
    method: "POST",
    headers: { "x-vibe-rl-token": sessionStorage.getItem(storedToken) ?? "" },
  });
}
