// Files as answers: those of the page, and videos, of which browsers ask for parts.
import { fs, path, type IncomingMessage, type ServerResponse } from "../node/index.js";
import { Refusal } from "./errors.js";
import { isPlainName } from "./fence.js";

const types: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".gif": "image/gif",
  ".mp4": "video/mp4",
  ".webm": "video/webm",
};

/** The built page: its files by the paths that they are asked for. */
export function pageFiles(folder: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const name of fs.readdirSync(folder, { recursive: true }) as string[]) {
    const file = path.join(folder, name);
    if (fs.statSync(file).isFile() && path.extname(name) in types)
      found.set(`/${name.split(path.sep).join("/")}`, file);
  }
  const index = found.get("/index.html");
  if (index !== undefined) found.set("/", index);
  return found;
}

/** The part of a file that a request asks for; null: all of it. */
function rangeOf({ headers }: IncomingMessage, size: number): { start: number; end: number } | null {
  const match = /^bytes=(\d*)-(\d*)$/.exec(headers.range ?? "");
  if (match === null || (match[1] === "" && match[2] === "")) return null;
  const start = match[1] === "" ? Math.max(0, size - Number(match[2])) : Number(match[1]);
  const end = match[1] === "" || match[2] === "" ? size - 1 : Math.min(Number(match[2]), size - 1);
  if (start > end) throw new Refusal(416, "there is no such part", { "content-range": `bytes */${size}` });
  return { start, end };
}

/** Answers with a file. */
export function sendFile(
  request: IncomingMessage,
  response: ServerResponse,
  file: string,
  cacheControl: string,
): void {
  if (!isPlainName(path.basename(file))) throw new Refusal(404, "there is no such file");
  const { size } = fs.statSync(file);
  const range = rangeOf(request, size);
  response.writeHead(range === null ? 200 : 206, {
    "content-type": types[path.extname(file).toLowerCase()] ?? "application/octet-stream",
    "content-length": range === null ? size : range.end - range.start + 1,
    "accept-ranges": "bytes",
    "cache-control": cacheControl,
    ...(range !== null && { "content-range": `bytes ${range.start}-${range.end}/${size}` }),
  });
  if (request.method === "HEAD") {
    response.end();
    return;
  }
  const stream = fs.createReadStream(file, range ?? {});
  stream.on("error", () => response.destroy());
  response.on("close", () => stream.destroy());
  stream.pipe(response);
}
