// A policy behind HTTP, for programs in other languages: GET / tells what it is, POST /act takes observations as JSON.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { spaceToData, type Action, type PlainObs, type Policy } from "vibe-rl/policy";

/** What a request may be at most, in bytes. */
const mostBytes = 1_000_000;

/** A request that cannot be answered, with its status. */
class Refusal extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

async function bodyOf(request: IncomingMessage): Promise<Readonly<Record<string, unknown>>> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of request as AsyncIterable<Buffer>) {
    size += part.length;
    if (size > mostBytes) throw new Refusal(413, `a request may have ${mostBytes} bytes`);
    parts.push(part);
  }
  try {
    return JSON.parse(Buffer.concat(parts).toString()) as Readonly<Record<string, unknown>>;
  } catch {
    throw new Refusal(400, "the body must be JSON: { obs: […] } or { batch: [[…], …] }");
  }
}

const plain = (action: Action): number | number[] => (typeof action === "number" ? action : [...action]);

async function answer(policy: Policy, request: IncomingMessage): Promise<object> {
  const { metadata, space, observationSpace } = policy;
  if (request.method === "GET" && request.url === "/") {
    return { metadata, space: spaceToData(space), observationSpace: spaceToData(observationSpace) };
  }
  if (request.url !== "/act") throw new Refusal(404, "there are GET / and POST /act");
  if (request.method !== "POST") throw new Refusal(405, "/act takes POST");
  const { obs, batch } = (await bodyOf(request)) ?? {};
  try {
    if (batch !== undefined) return { actions: policy.actBatch(batch as PlainObs[]).map(plain) };
    return { action: plain(policy.act(obs as PlainObs)) };
  } catch (error) {
    // What is wrong with an observation is said in words.
    throw new Refusal(400, error instanceof Error ? error.message : String(error));
  }
}

function send(response: ServerResponse, status: number, content: object): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(content));
}

/** A server for one policy; the caller listens, and closes it. */
export const policyServer = (policy: Policy): Server =>
  createServer((request, response) => {
    answer(policy, request).then(
      (content) => send(response, 200, content),
      (error: unknown) => {
        const status = error instanceof Refusal ? error.status : 500;
        send(response, status, { error: error instanceof Error ? error.message : String(error) });
      },
    );
  });
