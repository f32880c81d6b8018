// What a reference of a MinAtar game is: its rules as a plain program that changes one object step by step.

export interface Outcome {
  readonly reward: number;
  readonly terminated: boolean;
}

/** A game in progress. Chances are uniform in [0, 1), in the order that the environment takes them. */
export interface Reference {
  /** One step, with one of all six actions. */
  step(action: number, chances: readonly number[]): Outcome;
  /** Marks everything on the board. */
  draw(mark: (channel: number, x: number, y: number) => void): void;
}

export const [none, left, up, right, down, fire] = [0, 1, 2, 3, 4, 5];

export const between = (low: number, value: number, high: number): number =>
  Math.min(Math.max(value, low), high);

export const isInside = (x: number): boolean => x >= 0 && x <= 9;

/** A whole number below `count`, as float32 arithmetic has it. */
export const choice = (chance: number, count: number): number => Math.floor(Math.fround(chance * count));
