// `cache`: what native programs and those for GPUs have left on the disk.
import { clearCache, listCache } from "../device/index.js";
import { columns } from "../files/index.js";
import { readFlags, UsageError, type Arguments } from "./arguments.js";
import type { Host } from "./host.js";

/** Lists built programs, or clears them away. */
export function cache(args: Arguments, { print }: Host): number {
  readFlags(args, []);
  const [action, ...rest] = args.words;
  if ((action !== undefined && action !== "clear") || rest.length > 0) {
    throw new UsageError(
      `what is ${JSON.stringify(rest[0] ?? action)}? \`cache\` lists, \`cache clear\` clears`,
    );
  }
  if (action === "clear") {
    const { folder, entries, bytes } = clearCache();
    print(`${folder}: removed ${count(entries)}, ${size(bytes)}`);
    return 0;
  }
  const { folder, limit, entries } = listCache();
  const total = entries.reduce((sum, { bytes }) => sum + bytes, 0);
  print(`${folder}: ${count(entries.length)}, ${size(total)} of at most ${size(limit)}`);
  if (entries.length === 0) return 0;
  const rows = entries.map(({ key, program, compiler, bytes, usedAt }) => [
    ...[key.slice(0, 12), program, compiler, size(bytes), ago(Date.now() - usedAt)],
  ]);
  columns([["key", "program", "compiler", "size", "last used"], ...rows]).forEach(print);
  return 0;
}

const count = (entries: number): string => (entries === 1 ? "1 program" : `${entries} programs`);

function size(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  return bytes < 2 ** 20 ? `${(bytes / 1024).toFixed(0)} KiB` : `${(bytes / 2 ** 20).toFixed(1)} MiB`;
}

/** How long ago something was, in the largest unit that it has a whole one of. */
function ago(ms: number): string {
  const units = [
    ["day", 86_400_000],
    ["hour", 3_600_000],
    ["minute", 60_000],
  ] as const;
  for (const [name, length] of units) {
    const whole = Math.floor(ms / length);
    if (whole >= 1) return `${whole} ${name}${whole === 1 ? "" : "s"} ago`;
  }
  return "just now";
}
