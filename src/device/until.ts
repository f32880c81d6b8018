// Waiting for devices while the event loop turns.

/** For so long it is looked again in every turn: most programs are short. */
const oftenMs = 1;

/** Resolves when something is so: it is looked often for a moment, then once a millisecond. */
export async function until(isSo: () => boolean): Promise<void> {
  const end = performance.now() + oftenMs;
  while (!isSo())
    await new Promise<void>((resolve) => {
      if (performance.now() < end) globalThis.setImmediate(resolve);
      else setTimeout(resolve, 1);
    });
}
