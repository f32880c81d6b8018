// What goes wrong, in words that a visitor reads.

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** A place for one message. */
export function createMessage(host: HTMLElement) {
  const show = (text: string, kind: "bad" | "muted" = "muted"): void => {
    host.textContent = text;
    host.classList.toggle("bad", kind === "bad");
  };
  return {
    tell: (text: string) => show(text),
    fail: (error: unknown) => show(messageOf(error), "bad"),
    clear: () => show(""),
  };
}

export type Message = ReturnType<typeof createMessage>;
