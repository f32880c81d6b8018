// Names are camelCase in TypeScript and snake_case on disk and on the command line. One pair of functions maps
// between them, for single names and for trees of config keys.

/** `totalTimesteps` as `total_timesteps`, `targetKL` as `target_kl`. Other names stay as they are. */
export const snakeCaseName = (name: string): string =>
  /^[a-z][A-Za-z0-9]*$/.test(name)
    ? name
        .replaceAll(/([a-z0-9])([A-Z])/g, "$1_$2")
        .replaceAll(/([A-Z])([A-Z][a-z])/g, "$1_$2")
        .toLowerCase()
    : name;

/** `total_timesteps` and `total-timesteps` as `totalTimesteps`. Other names stay as they are. */
export const camelCaseName = (name: string): string =>
  /^[a-z][a-z0-9]*([_-][a-z0-9]+)*$/.test(name)
    ? name.replaceAll(/[_-]([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())
    : name;

/** A tree of plain objects and lists with every key renamed; values stay as they are. */
function renameKeys(value: unknown, rename: (key: string) => string): unknown {
  if (Array.isArray(value)) return value.map((item) => renameKeys(item, rename));
  const prototype: unknown =
    typeof value === "object" && value !== null ? Object.getPrototypeOf(value) : undefined;
  if (prototype !== Object.prototype && prototype !== null) return value;
  const entries = Object.entries(value as object);
  return Object.fromEntries(entries.map(([key, item]) => [rename(key), renameKeys(item, rename)]));
}

/** A config with its keys as they are on disk. */
export const toSnakeCase = (config: unknown): unknown => renameKeys(config, snakeCaseName);

// Keys with dashes are names of other things, such as environment ids.
/** A config from the disk with its keys as TypeScript has them. */
export const toCamelCase = (config: unknown): unknown =>
  renameKeys(config, (key) => (key.includes("-") ? key : camelCaseName(key)));
