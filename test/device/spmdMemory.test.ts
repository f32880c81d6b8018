// The memory that devices share: what nobody refers to any more is used again, by no one before.
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, it } from "vitest";
import { shareMemory, type SharedMemory } from "../../src/device/wasm/spmd/memory.js";

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

const page = 65536;
const bases = [page, 2 * page];

/** A memory full of rubbish, which nobody refers to once this has returned. */
function useMemory(): WebAssembly.Memory {
  const { memory } = shareMemory(3 * page, bases);
  new Uint8Array(memory.buffer).fill(255);
  return memory;
}

it("is used again when it is free, grown if need be, and cleared of what devices told each other", async () => {
  const known = new Set([useMemory(), useMemory()]);
  const held: SharedMemory[] = [];
  // Memories of earlier programs would come again and again.
  const others: SharedMemory[] = [];
  for (let attempt = 0; attempt < 100 && held.length < 2; attempt++) {
    collectGarbage();
    // The engine tells what it has collected in a task of its own.
    await new Promise((resolve) => setImmediate(resolve));
    const next = shareMemory(attempt % 2 === 0 ? 2 * page : 5 * page, bases);
    (known.has(next.memory) ? held : others).push(next);
  }
  expect(new Set(held.map(({ memory }) => memory)).size).toBe(2);
  for (const { memory } of held) {
    expect(new Uint8Array(memory.buffer, 0, page).every((byte) => byte === 0)).toBe(true);
    expect(new Uint8Array(memory.buffer)[2 * page]).toBe(255);
  }
});
