// What environments tell beside their observations, gathered over all of them: parts of rewards, figures to log.
import { describe } from "../array/index.js";
import type { HostInfo, VecExtras } from "./types.js";

/** Hears what an environment tells of one step. */
export interface InfoSink {
  readonly component: (index: number, name: string, value: number) => void;
  readonly figure: (index: number, name: string, value: number) => void;
}

/** Hands on what an environment tells; gives what is wrong with it, or `null`. */
export function tellInfo(sink: InfoSink, index: number, info: HostInfo): string | null {
  const { rewardComponents, log } = info;
  return (
    tellNumbers("rewardComponents", rewardComponents, (name, value) => sink.component(index, name, value)) ??
    tellNumbers("log", log, (name, value) => sink.figure(index, name, value))
  );
}

function tellNumbers(
  what: string,
  record: Readonly<Record<string, number>> | undefined,
  tell: (name: string, value: number) => void,
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
    tell(name, value);
  }
  return null;
}

/** The parts of rewards by name and environment, and means of figures over the environments that give them. */
export class GatheredInfos implements InfoSink {
  /** Names that were told once stay, so that the lists are the same on every step. */
  private readonly components: Record<string, Float32Array> = {};
  private hasComponents = false;
  private figures: Map<string, { sum: number; count: number }> | null = null;

  constructor(private readonly numEnvs: number) {}

  /** Forgets the step before. */
  begin(): void {
    if (this.hasComponents) for (const name of Object.keys(this.components)) this.components[name].fill(0);
    this.figures = null;
  }

  component(index: number, name: string, value: number): void {
    this.hasComponents = true;
    (this.components[name] ??= new Float32Array(this.numEnvs))[index] = value;
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
    if (!this.hasComponents && this.figures === null) return null;
    const means = [...(this.figures ?? [])].map(([name, { sum, count }]) => [name, sum / count] as const);
    return {
      ...(this.hasComponents && { rewardComponents: this.components }),
      ...(means.length > 0 && { log: Object.fromEntries(means) }),
    };
  }
}
