// Configs as flat lists of settings, and what differs between them.

type Plain = Readonly<Record<string, unknown>>;

/** Settings by their dotted names, as the command line takes them. */
export function flatten(config: Plain, prefix = ""): Map<string, string> {
  const settings = new Map<string, string>();
  for (const [key, value] of Object.entries(config)) {
    const name = prefix + key;
    if (typeof value === "object" && value !== null && !Array.isArray(value)) {
      for (const [inner, text] of flatten(value as Plain, `${name}.`)) settings.set(inner, text);
    } else settings.set(name, show(value));
  }
  return settings;
}

const show = (value: unknown): string =>
  typeof value === "string"
    ? value
    : Array.isArray(value) && value.every((item) => typeof item !== "object")
      ? `(${value.join(", ")})`
      : (JSON.stringify(value) ?? "–");

export interface Difference {
  readonly name: string;
  /** One for each config; "–" where it has no such setting. */
  readonly values: readonly string[];
}

/** The settings that are not the same in all configs. */
export function differences(configs: readonly Plain[]): Difference[] {
  const flat = configs.map((config) => flatten(config));
  const names = new Set(flat.flatMap((settings) => [...settings.keys()]));
  return [...names]
    .map((name) => ({ name, values: flat.map((settings) => settings.get(name) ?? "–") }))
    .filter(({ values }) => new Set(values).size > 1);
}

/** The last part of a dotted name. */
export const shortName = (name: string): string => name.slice(name.lastIndexOf(".") + 1);
