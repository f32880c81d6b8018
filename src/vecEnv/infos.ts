// What environments tell beside their observations, gathered over all of them: parts of rewards, figures to log.
import { describe } from "../array/index.js";
import type { HostInfo, VecExtras } from "./types.js";

/** Hears what an environment tells of one step. */
export interface InfoSink {
  readonly component: (index: number, name: string, value: number) => void;
  readonly figure: (index: number, name: string, value: number) => void;
}

/** Hands on what an environment tells; gives what is wrong with it, or `null`. */
export const tellInfo = (sink: InfoSink, index: number, { rewardComponents, log }: HostInfo): string | null =>
  tellNumbers(sink, "component", index, "rewardComponents", rewardComponents) ??
  tellNumbers(sink, "figure", index, "log", log);

function tellNumbers(
  sink: InfoSink,
  kind: keyof InfoSink,
  index: number,
  what: string,
  record: Readonly<Record<string, number>> | undefined,
): string | null {
  if (record === undefined) return null;
  if (typeof record !== "object" || record === null || Array.isArray(record)) {
    return `info.${what} must be an object with a number for each name, got ${describe(record)}`;
  }
  for (const name of Object.keys(record)) {
    const value: unknown = record[name];
    if (typeof value !== "number" || !Number.isFinite(value)) {
      return `info.${what}[${JSON.stringify(name)}] must be a finite number, got ${describe(value)}; leave it out where there is none`;
    }
    sink[kind](index, name, value);
  }
  return null;
}

/**
 * The parts of rewards by name and environment, 0 where an environment does not give one that others give, and means
 * of figures over the environments that give them. Only what was told on this step counts, so that a run that goes on
 * from a state hears the same.
 */
export class GatheredInfos implements InfoSink {
  private readonly lists = new Map<string, Float32Array>();
  private components: Record<string, Float32Array> | null = null;
  private figures: Map<string, { sum: number; count: number }> | null = null;

  constructor(private readonly numEnvs: number) {}

  /** Forgets the step before. */
  begin(): void {
    this.components = null;
    this.figures = null;
  }

  component(index: number, name: string, value: number): void {
    this.components ??= {};
    (this.components[name] ??= this.cleared(name))[index] = value;
  }

  figure(_index: number, name: string, value: number): void {
    this.figures ??= new Map();
    const figure = this.figures.get(name);
    if (figure === undefined) {
      this.figures.set(name, { sum: value, count: 1 });
    } else {
      figure.sum += value;
      figure.count += 1;
    }
  }

  /** What `extras` has of it. */
  extras(): Pick<VecExtras, "rewardComponents" | "log"> | null {
    const { components, figures } = this;
    if (components === null && figures === null) return null;
    return {
      ...(components !== null && { rewardComponents: components }),
      ...(figures !== null && { log: meansOf(figures) }),
    };
  }

  private cleared(name: string): Float32Array {
    const known = this.lists.get(name);
    if (known !== undefined) return known.fill(0);
    const list = new Float32Array(this.numEnvs);
    this.lists.set(name, list);
    return list;
  }
}

function meansOf(figures: ReadonlyMap<string, { readonly sum: number; readonly count: number }>) {
  const means: Record<string, number> = {};
  for (const [name, { sum, count }] of figures) means[name] = sum / count;
  return means;
}
