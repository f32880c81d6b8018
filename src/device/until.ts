// Waiting for devices while the event loop turns.

/** For so long it is looked again in every turn: a timer may be a millisecond late, which is much for short programs. */
const oftenMs = 5;

/** Resolves when something is so: it is looked often for a moment, then once a millisecond. */
export async function until(isSo: () => boolean): Promise<void> {
  const end = performance.now() + oftenMs;
  while (!isSo())
    await new Promise<void>((resolve) => {
      if (performance.now() < end) globalThis.setImmediate(resolve);
      else setTimeout(resolve, 1);
    });
}
