// What is wrong with an environment, collected in words.
import { fail } from "../../array/index.js";
import { messageOf } from "../errors.js";
import type { MaybePromise } from "../types.js";

/** Thrown where nothing more can be found out. */
class Stop extends Error {}

/** Problems; one that turns up on every step is noted once. */
export class Notes {
  private readonly problems = new Map<string, string>();

  /** `kind` tells problems apart that are of the same sort, so that only the first of a sort is told. */
  note(problem: string, kind = problem): void {
    if (!this.problems.has(kind)) this.problems.set(kind, problem);
  }

  stop(problem: string): never {
    this.note(problem);
    throw new Stop();
  }

  /** Calls a part of the environment; an exception is a problem that ends the examination. */
  async attempt<T>(what: string, call: () => MaybePromise<T>): Promise<T> {
    try {
      return await call();
    } catch (error) {
      return this.stop(`${what} throws: ${messageOf(error)}`);
    }
  }

  get count(): number {
    return this.problems.size;
  }

  list(): string[] {
    return [...this.problems.values()];
  }
}

/** The problems that an examination finds. */
export async function problemsOf(examine: (notes: Notes) => Promise<void>): Promise<string[]> {
  const notes = new Notes();
  try {
    await examine(notes);
  } catch (error) {
    // What is needed for the rest failed, and was noted.
    if (!(error instanceof Stop)) throw error;
  }
  return notes.list();
}

/** Refuses what has problems, and says all of them. */
export function refuse(operation: string, name: string, problems: readonly string[]): void {
  if (problems.length === 0) return;
  const count = problems.length === 1 ? "a problem" : `${problems.length} problems`;
  fail(operation, `${name} has ${count}:\n${problems.map((text) => `- ${text}`).join("\n")}\n`);
}
