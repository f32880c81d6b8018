// Loops and branches with other programs inside.
import type { Equation, Program } from "../core/program.js";
import type { CondParams } from "./cond.js";
import type { ScanParams } from "./scanParams.js";
import type { WhileParams } from "./while.js";

/** An equation with its bodies and branches replaced, those of other primitives as they are; itself if nothing changes. */
export function mapPrograms(equation: Equation, change: (program: Program) => Program): Equation {
  const { primitive, params } = equation;
  switch (primitive.name) {
    case "scan": {
      const { body } = params as ScanParams;
      const changed = change(body);
      return changed === body ? equation : { ...equation, params: { ...params, body: changed } };
    }
    case "while": {
      const { test, body } = params as WhileParams;
      const changed = { test: change(test), body: change(body) };
      if (changed.test === test && changed.body === body) return equation;
      return { ...equation, params: { ...params, ...changed } };
    }
    case "cond": {
      const { branches } = params as CondParams;
      const changed = branches.map(change);
      if (changed.every((branch, at) => branch === branches[at])) return equation;
      return { ...equation, params: { ...params, branches: changed } };
    }
    default:
      return equation;
  }
}
