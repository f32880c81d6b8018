// Where in the user's code something happened: the innermost frame of the stack that is not the library's.

/** The stack as it is now, deep enough to reach the user's code. Cheap until someone reads its text. */
export function captureStack(): Error {
  const holder: { stackTraceLimit?: number } = Error;
  const limit = holder.stackTraceLimit;
  if (limit === undefined) return new Error();
  holder.stackTraceLimit = 100;
  const origin = new Error();
  holder.stackTraceLimit = limit;
  return origin;
}

interface Frame {
  /** The function's name, with what the engine adds to it. */
  readonly name: string;
  /** Its file as a path or an address, with line and column. */
  readonly place: string;
}

/** The frames of a stack of V8, Firefox or Safari, innermost first. */
function framesOf(origin: Error): Frame[] {
  // "at name (place)" or "at place" in V8, "name@place" elsewhere; paths may hold spaces and parentheses.
  const pattern =
    /^(?:\s*at (?:(?<v8>.*) \()?|(?<name>.*)@)(?<place>(?:file:|(?:blob:)?https?:|[A-Za-z]:[\\/]|\/).*:\d+:\d+)\)?$/;
  return (origin.stack ?? "").split("\n").flatMap((line) => {
    const { v8, name, place } = pattern.exec(line)?.groups ?? {};
    return place === undefined ? [] : [{ name: v8 ?? name ?? "", place: withoutScheme(place) }];
  });
}

function withoutScheme(place: string): string {
  const path = place.startsWith("file://") ? decodeURI(place.slice("file://".length)) : place;
  return path.replaceAll("\\", "/").replace(/^\/(?=[A-Za-z]:\/)/, "");
}

// This file in the clone is src/array/core/userCode.ts, in the package dist/array/core/userCode.js. With source
// maps the frames of the one read as the other. In a bundle it is part of a file that holds the user's code too,
// unless source maps tell them apart again.
const thisFile = withoutScheme((import.meta as { readonly url?: string }).url ?? "");
const libraryFolders = /^(?<root>.*\/)(?:src|dist)\/array\/core\/userCode\.[jt]s$/.exec(thisFile)?.groups;

/** Whether a frame is the library's, by its file. */
const isLibraryFile = ({ place }: Frame): boolean =>
  /\/node_modules\/vibe-rl\/(?:src|dist)\//.test(place) ||
  (libraryFolders !== undefined &&
    ["src/", "dist/"].some((folder) => place.startsWith(`${libraryFolders.root}${folder}`)));

// In a bundle, frames are told apart by the names of the functions where users enter the library and where it
// calls them back; V8 shows names that were set while running, whatever a minifier made of the code.
const entryNames = new Set<string>();
const callbackName = "vibe-rl calls back";

/** Marks a function as one that users call, under a name that stacks show. */
export function markEntry<F extends object>(f: F, name: string): F {
  entryNames.add(name);
  return Object.defineProperty(f, "name", { value: name });
}

/** Calls a function that calls the user's: what happens in there is the user's code again. */
export const callBack: <T>(work: () => T) => T = Object.defineProperty(
  <T>(work: () => T): T => work(),
  "name",
  { value: callbackName },
);

/** `Array.add [as add]` is what V8 makes of a method's name. */
const isEntry = ({ name }: Frame): boolean => {
  const plain = name.replace(/ \[as .*\]$/, "");
  return entryNames.has(plain) || entryNames.has(plain.slice(plain.indexOf(".") + 1));
};

/** `file:line:column` of the innermost frame of a captured stack that is outside the library. */
export function userLocation(origin: Error = captureStack()): string | null {
  const frames = framesOf(origin);
  if (frames.some(isLibraryFile)) return show(frames.find((frame) => !isLibraryFile(frame)));
  const end = frames.findIndex(({ name }) => name === callbackName);
  const innermost = end < 0 ? frames : frames.slice(0, end);
  let entry = innermost.length - 1;
  while (entry >= 0 && !isEntry(innermost[entry])) entry--;
  const rest = innermost.slice(entry + 1);
  if (entry >= 0) return show(rest[0]);
  // Engines that do not show those names: files of the user's own are still told apart.
  return show(rest.find(({ place }) => !place.startsWith(thisFile) && !place.includes("/node_modules/")));
}

/** A frame's place, relative to the working directory where there is one. */
function show(frame: Frame | undefined): string | null {
  if (frame === undefined) return null;
  const host: { process?: { cwd?: () => string } } = globalThis;
  const directory = host.process?.cwd?.().replaceAll("\\", "/");
  return directory !== undefined && frame.place.startsWith(`${directory}/`)
    ? frame.place.slice(directory.length + 1)
    : frame.place;
}
