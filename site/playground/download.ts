// Files for the visitor.

/** Lets the browser save something as a file. */
export function saveFile(
  name: string,
  content: string | Uint8Array | Blob,
  type = "application/octet-stream",
): void {
  const blob = content instanceof Blob ? content : new Blob([content as BlobPart], { type });
  const address = URL.createObjectURL(blob);
  const link = document.createElement("a");
  [link.href, link.download] = [address, name];
  link.click();
  // The download has begun when the next task runs; the address is needed no longer then.
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

/** A name for files: letters, digits, dots and dashes. */
export const fileName = (...parts: readonly (string | number)[]): string =>
  parts.map((part) => String(part).replaceAll(/[^\w.-]+/g, "-")).join("_");
