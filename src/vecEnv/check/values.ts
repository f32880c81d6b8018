// Values that environments give, against their spaces and against each other.
import { random, sizeOf, vmap, type Array } from "../../array/index.js";
import type { Space } from "../../env/index.js";
import type { HostArray } from "../types.js";

export interface Bounds {
  readonly low: ArrayLike<number>;
  readonly high: ArrayLike<number>;
}

/** The bounds of each element of a space; `null` if they are checked elsewhere. */
export function boundsOf(space: Space): Bounds | null {
  if (space.kind === "Box") return { low: space.low.data(), high: space.high.data() };
  if (space.kind !== "Image") return null;
  const size = sizeOf(space.shape);
  return { low: new Float32Array(size).fill(space.low), high: new Float32Array(size).fill(space.high) };
}

/** Where an observation leaves its space; `null` if it does not. */
export function outside(obs: HostArray, { low, high }: Bounds): string | null {
  const at = obs.findIndex((value, index) => value < low[index] || value > high[index]);
  return at < 0 ? null : `element ${at} is ${obs[at]}, and ${low[at]} to ${high[at]} is allowed`;
}

/** Random actions, one behind the other. */
export function sampleActions(space: Space, seed: number, count: number): HostArray {
  const sample = vmap((key: Array) => space.sample(key));
  return sample(random.split(random.key(seed), count)).data() as HostArray;
}

/** Where two results differ, in words; `null` if they are the same, bit for bit. */
export function difference(first: unknown, second: unknown, path = ""): string | null {
  if (Object.is(first, second)) return null;
  const isObject = (value: unknown): value is object => typeof value === "object" && value !== null;
  if (!isObject(first) || !isObject(second)) {
    return `${path === "" ? "it" : path} was ${String(first)} and then ${String(second)}`;
  }
  const names = new Set([...Object.keys(first), ...Object.keys(second)]);
  for (const name of names) {
    const place = /^\d+$/.test(name) ? `${path}[${name}]` : path === "" ? name : `${path}.${name}`;
    const [a, b] = [first, second].map((value) => (value as Record<string, unknown>)[name]);
    const found = difference(a, b, place);
    if (found !== null) return found;
  }
  return null;
}

/** What JSON would not carry of a state, by its path; `null` if there is nothing such. */
export function notPlain(value: unknown, path = "the state"): string | null {
  if (value === null || typeof value === "string" || typeof value === "boolean") return null;
  if (typeof value === "number") return Number.isFinite(value) ? null : `${path} is ${value}`;
  if (typeof value !== "object")
    return `${path} is ${value === undefined ? "undefined" : `a ${typeof value}`}`;
  const { constructor } = value as { readonly constructor?: { readonly name: string } };
  if (!globalThis.Array.isArray(value) && constructor !== undefined && constructor.name !== "Object") {
    return `${path} is a ${constructor.name}`;
  }
  for (const [name, each] of Object.entries(value)) {
    const found = notPlain(each, globalThis.Array.isArray(value) ? `${path}[${name}]` : `${path}.${name}`);
    if (found !== null) return found;
  }
  return null;
}
