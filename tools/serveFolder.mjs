// A folder of pages as a static host serves it: compressed, and cached by browsers for some minutes.
import { existsSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import path from "node:path";
import { gzipSync } from "node:zlib";

const types = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css" };

/** Serves a folder to this machine; `served` is told the compressed bytes of every answer. */
export async function serveFolder(folder, served = () => undefined) {
  const server = createServer(({ url }, response) => {
    // The URL class takes out every "..".
    const file = path.join(folder, new URL(url, "http://localhost").pathname);
    const type = types[path.extname(file)];
    if (type === undefined || !existsSync(file)) return response.writeHead(404).end();
    const bytes = gzipSync(readFileSync(file));
    served(bytes.length);
    const headers = { "content-type": type, "content-encoding": "gzip", "cache-control": "max-age=600" };
    return response.writeHead(200, headers).end(bytes);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { url: `http://127.0.0.1:${server.address().port}`, close: () => server.close() };
}
