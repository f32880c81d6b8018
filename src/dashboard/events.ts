// Word to open pages as server-sent events. The last ones are kept, so that a page that was cut off misses nothing.
import { crypto, type ServerResponse } from "../node/index.js";
import type { DashboardEvent } from "./types.js";

interface Sent {
  readonly id: number;
  readonly text: string;
}

/** How much is kept for pages that come back: beyond it they ask for everything again. */
const mostKept = 4 << 20;

/** Lines that keep a connection open through whatever stands between. */
const beatMs = 15_000;

export class EventHub {
  /** Tells this server from an earlier one on the same port. */
  private readonly session = crypto.randomBytes(6).toString("hex");
  private readonly pages = new Set<ServerResponse>();
  private readonly kept: Sent[] = [];
  private keptSize = 0;
  private count = 0;
  private readonly beat = setInterval(() => this.writeAll(":\n\n"), beatMs).unref();

  get pageCount(): number {
    return this.pages.size;
  }

  /** Tells all pages. */
  publish(event: DashboardEvent): void {
    const id = ++this.count;
    const text = `id: ${this.session}-${id}\ndata: ${JSON.stringify(event)}\n\n`;
    this.kept.push({ id, text });
    this.keptSize += text.length;
    while (this.keptSize > mostKept && this.kept.length > 1)
      this.keptSize -= this.kept.shift()?.text.length ?? 0;
    this.writeAll(text);
  }

  private writeAll(text: string): void {
    for (const page of this.pages) {
      // A page that does not keep up is let go; it comes back and asks for what it has missed.
      if (page.writableLength > mostKept) page.destroy();
      else page.write(text);
    }
  }

  /** Begins to tell a page, from behind the event that it had last. */
  open(response: ServerResponse, lastId: string | undefined): void {
    response.flushHeaders();
    response.write("retry: 1000\n\n");
    const missed = this.since(lastId);
    if (missed === null) response.write(`id: ${this.session}-${this.count}\nevent: reset\ndata: {}\n\n`);
    else for (const { text } of missed) response.write(text);
    this.pages.add(response);
    response.on("close", () => this.pages.delete(response));
  }

  /** What came behind an event; null where that is no longer known, or the page is new. */
  private since(lastId: string | undefined): readonly Sent[] | null {
    const match = /^([0-9a-f]+)-(\d+)$/.exec(lastId ?? "");
    if (match === null || match[1] !== this.session) return null;
    const last = Number(match[2]);
    const first = this.kept.at(0)?.id ?? this.count + 1;
    return last + 1 < first || last > this.count ? null : this.kept.filter(({ id }) => id > last);
  }

  close(): void {
    clearInterval(this.beat);
    for (const page of this.pages) page.end();
    this.pages.clear();
  }
}
