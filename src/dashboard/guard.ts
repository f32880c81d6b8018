// Who may ask: pages of this very server, and nobody who only got a browser on this machine to ask.
import { crypto, type IncomingMessage } from "../node/index.js";
import { Refusal } from "./errors.js";

/** The header that carries the token. Pages of other origins cannot send it without being asked first. */
export const tokenHeader = "x-vibe-rl-token";

/** What every answer says to the browser: nothing from elsewhere, no guessing of types, no frames around it. */
export const safeHeaders: Readonly<Record<string, string>> = {
  "content-security-policy": [
    "default-src 'self'",
    "script-src 'self' 'wasm-unsafe-eval'",
    "style-src 'self'",
    "img-src 'self' blob: data:",
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; "),
  "cross-origin-embedder-policy": "require-corp",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
};

/** The names that a browser on this machine may call the server by. */
const hostsOf = (port: number): string[] =>
  ["127.0.0.1", "localhost", "[::1]"].map((name) => `${name}:${port}`);

/**
 * Refuses requests by another name (as of a site whose name was made to lead here) and those that pages of other origins
 * make. Following a link to the page itself is no such request.
 */
export function checkOrigin({ headers, method, url }: IncomingMessage, port: number): void {
  const { host = "", origin } = headers;
  const known = hostsOf(port);
  if (!known.includes(host.toLowerCase())) {
    throw new Refusal(421, `this server is not ${JSON.stringify(host)}; open http://127.0.0.1:${port}/`);
  }
  if (origin !== undefined && origin !== `http://${host.toLowerCase()}`)
    throw new Refusal(403, `requests from ${JSON.stringify(origin)} are refused`);
  const site = headers["sec-fetch-site"];
  if (site === undefined || site === "same-origin" || site === "none") return;
  const isLink = method === "GET" && headers["sec-fetch-mode"] === "navigate" && url === "/";
  if (!isLink || headers["sec-fetch-dest"] !== "document")
    throw new Refusal(403, "requests from other sites are refused");
}

/** A token that nobody can guess. */
export const newToken = (): string => crypto.randomBytes(24).toString("base64url");

/** Refuses requests without the token. */
export function checkToken({ headers }: IncomingMessage, token: string): void {
  const given = headers[tokenHeader];
  const digest = (text: string): Buffer => crypto.createHash("sha256").update(text).digest();
  if (typeof given === "string" && crypto.timingSafeEqual(digest(given), digest(token))) return;
  throw new Refusal(
    403,
    given === undefined
      ? "this changes something, which needs the token: open the address that the terminal shows"
      : "the token is not that of this server: open the address that the terminal shows",
  );
}
