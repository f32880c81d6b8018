// Where long programs are cut into functions, each of which the driver's compiler takes by itself, and several at once.
import { worksIn, type Action } from "./actions.js";

/** Lines of a kernel, about. */
const linesOfKernel = 100;
/** What is shorter than this share of a function's lines is none. */
const shortShare = 1 / 8;
/** Programs of more functions than this are cut. */
const leastFunctions = 2;
/** So are the bodies of loops and branches of more: of those with loops in them, and of others, which take less time. */
const [mostOfOuter, mostOfInner] = [1.5, 3];
/** Functions in those others are so many times as long: a call takes 0.3 us. (measured: SAC, with 6 of them a step) */
const innerTimes = 2;

const isOuter = (body: readonly Action[]): boolean =>
  body.some(({ kind }) => kind === "loop" || kind === "while");

/** What an action is around: what it does in turns, or one of several things. */
function bodiesOf(action: Action): readonly (readonly Action[])[] {
  switch (action.kind) {
    case "loop":
      return action.warp === null ? [action.body] : [];
    case "while":
      return [action.body];
    case "branch":
      return action.cases;
    case "tooMuch":
    case "work":
    case "wait":
    case "align":
    case "turn":
    case "print":
      return [];
  }
}

export class Cutting {
  /** The functions. */
  readonly functions: string[] = [];

  private constructor(private readonly lines: number) {}

  /** That of a program into functions of so many lines at most, about; null where it is not worth it. */
  static of(actions: readonly Action[], lines: number): Cutting | null {
    const cutting = new Cutting(lines);
    return cutting.fill(actions) > leastFunctions ? cutting : null;
  }

  /** How many functions some actions would fill. */
  private fill(actions: readonly Action[]): number {
    return (linesOfKernel * worksIn(actions).length) / this.lines;
  }

  /** Whether an action is a loop, or a branch, of which some body is cut. */
  isInside(action: Action): boolean {
    return bodiesOf(action).some((body) => this.fill(body) > (isOuter(body) ? mostOfOuter : mostOfInner));
  }

  /** Whether what a function of some body has, in lines, leaves no room for more actions. */
  isFull(lines: number, more: readonly Action[], body: readonly Action[]): boolean {
    return lines / this.lines + this.fill(more) > (isOuter(body) ? 1 : innerTimes);
  }

  /** Whether so many lines are not worth a function. */
  isShort(lines: number): boolean {
    return lines < shortShare * this.lines;
  }

  /** Keeps a function, which is made with its name. */
  add(write: (name: string) => string): void {
    this.functions.push(write(`part${this.functions.length}`));
  }
}
