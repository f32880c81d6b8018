// The dashboard's server: one page over a directory of runs, for browsers on this machine only.
import { explainFailure, failureCode } from "../files/index.js";
import { fs, http, path, url, type Server } from "../node/index.js";
import { DashboardError, Refusal } from "./errors.js";
import { fenceAround } from "./fence.js";
import { pageFiles } from "./files.js";
import { checkOrigin, newToken, safeHeaders } from "./guard.js";
import { PolicyFiles } from "./policyFile.js";
import { answer, type Served } from "./routes.js";
import { RunStore } from "./store.js";

export interface DashboardOptions {
  /** The directory of all runs; made if it is not there. Default "runs". */
  readonly baseDir?: string;
  /** The port; default: 6006, or the next one that is free. 0: any. */
  readonly port?: number;
  /** Where the built page is; default: beside this file. */
  readonly pageDir?: string;
  readonly version?: string;
}

export interface Dashboard {
  readonly port: number;
  /** The page's address. */
  readonly url: string;
  /** The address with the token that allows to stop runs. */
  readonly openUrl: string;
  readonly token: string;
  /** Waits until all that lies in the directory now is read. */
  settled(): Promise<void>;
  close(): Promise<void>;
}

/** TensorBoard's port, which people know. */
const usualPort = 6006;
const mostTried = 20;
const loopback = "127.0.0.1";

/** Starts the dashboard of a directory of runs. */
export async function startDashboard({
  baseDir = "runs",
  port,
  pageDir = url.fileURLToPath(new URL("page", import.meta.url)),
  version = "",
}: DashboardOptions = {}): Promise<Dashboard> {
  const base = path.resolve(baseDir);
  const page = openPage(pageDir);
  try {
    fs.mkdirSync(base, { recursive: true });
  } catch (error) {
    throw new DashboardError(`cannot make the directory of runs ${base}: ${explainFailure(error)}`, {
      cause: error,
    });
  }
  const fence = fenceAround(base);
  const store = new RunStore(fence);
  const policies = new PolicyFiles(fence);
  const served: Served = { store, fence, page, policies, token: newToken(), version, baseDir };
  const server = serverOf(served);
  try {
    await listen(server, port);
  } catch (error) {
    store.close();
    throw error;
  }
  const address = server.address();
  const actual = typeof address === "object" && address !== null ? address.port : 0;
  const url = `http://${loopback}:${actual}/`;
  return {
    port: actual,
    url,
    openUrl: `${url}#token=${served.token}`,
    token: served.token,
    settled: () => store.settled(),
    close: async () => {
      store.close();
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
}

function openPage(folder: string): ReadonlyMap<string, string> {
  const page = fs.existsSync(folder) ? pageFiles(folder) : new Map<string, string>();
  if (page.has("/")) return page;
  throw new DashboardError(`the dashboard's page is not in ${folder}; build it with npm run build`);
}

function serverOf(served: Served): Server {
  const server = http.createServer((request, response) => {
    for (const [name, value] of Object.entries(safeHeaders)) response.setHeader(name, value);
    // Nothing that can be asked for takes a body.
    request.resume();
    const port = request.socket.localPort ?? 0;
    Promise.resolve()
      .then(() => checkOrigin(request, port))
      .then(() => answer(served, request, response))
      .catch((error: unknown) => {
        if (response.headersSent) {
          response.destroy();
          return;
        }
        const [status, message] =
          error instanceof Refusal
            ? [error.status, error.message]
            : [500, error instanceof Error ? error.message : String(error)];
        const headers = error instanceof Refusal ? error.headers : {};
        response.writeHead(status, { ...headers, "content-type": "text/plain; charset=utf-8" });
        response.end(request.method === "HEAD" ? undefined : `${message}\n`);
      });
  });
  server.headersTimeout = 10_000;
  return server;
}

/** Listens on a port that was asked for, or on the next free one. */
async function listen(server: Server, port: number | undefined): Promise<void> {
  const first = port ?? usualPort;
  const ports = port === undefined ? Array.from({ length: mostTried }, (_, at) => first + at) : [first];
  for (const one of ports) {
    if (await tryPort(server, one)) return;
  }
  throw new DashboardError(
    port === undefined
      ? `the ports ${first} to ${first + mostTried - 1} are all in use; choose another with --port, or 0 for any`
      : `port ${port} is in use; choose another, or leave --port out for the next free one`,
  );
}

/** Whether a port could be had. */
const tryPort = (server: Server, port: number): Promise<boolean> =>
  new Promise((resolve, reject) => {
    const fail = (error: Error): void => {
      if (failureCode(error) === "EADDRINUSE") resolve(false);
      else
        reject(
          new DashboardError(`cannot listen on port ${port}: ${explainFailure(error)}`, { cause: error }),
        );
    };
    server.once("error", fail);
    server.listen(port, loopback, () => {
      server.off("error", fail);
      resolve(true);
    });
  });
