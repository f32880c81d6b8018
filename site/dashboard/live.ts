// The line to the server: events as they come, and whether it is up.
import type { DashboardEvent } from "../../src/dashboard/index.js";

export interface LiveListeners {
  readonly event: (event: DashboardEvent) => void;
  /** Something may have been missed: ask for everything again. */
  readonly reset: () => void;
  readonly connected: (isUp: boolean) => void;
}

/** Listens as long as the page is open; the browser comes back by itself, with the last event's number. */
export function listen({ event, reset, connected }: LiveListeners): void {
  const source = new EventSource("api/events");
  source.addEventListener("open", () => connected(true));
  source.addEventListener("error", () => connected(false));
  source.addEventListener("reset", reset);
  source.addEventListener("message", ({ data }: MessageEvent<string>) =>
    event(JSON.parse(data) as DashboardEvent),
  );
}
