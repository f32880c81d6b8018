// Several files in one, as tar has them: a header of 512 bytes before each, and zeros up to the next multiple.

const block = 512;

/** Files by their paths, as one. */
export function tarOf(files: Readonly<Record<string, Uint8Array>>): Uint8Array {
  const parts = Object.entries(files).flatMap(([name, bytes]) => [
    headerOf(name, bytes.length),
    padded(bytes),
  ]);
  // Two empty blocks are the end.
  const all = [...parts, new Uint8Array(2 * block)];
  const tar = new Uint8Array(all.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of all) {
    tar.set(part, at);
    at += part.length;
  }
  return tar;
}

function padded(bytes: Uint8Array): Uint8Array {
  const whole = new Uint8Array(Math.ceil(bytes.length / block) * block);
  whole.set(bytes);
  return whole;
}

/** A number as the format has it: octal digits. */
const octal = (value: number, digits: number): string => value.toString(8).padStart(digits, "0");

function headerOf(name: string, size: number): Uint8Array {
  const header = new Uint8Array(block);
  const write = (at: number, text: string): void => header.set(new TextEncoder().encode(text), at);
  if (new TextEncoder().encode(name).length > 100) throw new Error(`${name} is too long a name for a tar`);
  write(0, name);
  // Who may read and write it, its owner, its size, and when it was written.
  write(100, `${octal(0o644, 7)}\0${octal(0, 7)}\0${octal(0, 7)}\0${octal(size, 11)}\0`);
  write(136, `${octal(Math.floor(Date.now() / 1000), 11)}\0`);
  // The checksum is taken with spaces in its place; behind it, the kind: a file.
  write(148, "        0");
  write(257, "ustar\x0000");
  write(
    148,
    `${octal(
      header.reduce((sum, byte) => sum + byte, 0),
      6,
    )}\0 `,
  );
  return header;
}

/** The files in a tar, by their paths. */
export function filesInTar(tar: Uint8Array): Record<string, Uint8Array> {
  const files: Record<string, Uint8Array> = {};
  const text = (at: number, length: number): string =>
    new TextDecoder().decode(tar.subarray(at, at + length)).replace(/\0.*$/s, "");
  for (let at = 0; at + block <= tar.length && tar[at] !== 0;) {
    const size = Number.parseInt(text(at + 124, 12), 8);
    const end = at + block + size;
    if (!Number.isSafeInteger(size) || end > tar.length) throw new Error("it is no tar, or cut short");
    const isFile = ["", "0"].includes(text(at + 156, 1));
    if (isFile) files[text(at, 100)] = tar.slice(at + block, end);
    at += block + Math.ceil(size / block) * block;
  }
  return files;
}
