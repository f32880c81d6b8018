// What the functions of somebody's agent return, checked while they are traced: what was given, what was expected.
import { Array, describe, fail } from "../array/index.js";
import type { RunnableAgent } from "./learners.js";

/** An agent that says what its functions return wrongly. */
export const checkedAgent = <A extends object>(
  operation: string,
  agent: RunnableAgent<A>,
): RunnableAgent<A> => ({
  init: (...args) => checkedState(operation, "init", agent.init(...args)),
  act: (...args) => checkedAction(operation, "act", agent.act(...args)),
  update: (...args) => checkedUpdate(operation, "update", agent.update(...args)),
  ...(agent.actBatch === undefined
    ? {}
    : {
        actBatch: (...args: Parameters<RunnableAgent<A>["act"]>) =>
          checkedAction(operation, "actBatch", agent.actBatch?.(...args)),
      }),
  ...(agent.observe === undefined
    ? {}
    : {
        observe: (...args: Parameters<NonNullable<RunnableAgent<A>["observe"]>>) =>
          checkedState(operation, "observe", agent.observe?.(...args)),
      }),
  ...(agent.updateWithErrors === undefined
    ? {}
    : {
        updateWithErrors: (...args: Parameters<RunnableAgent<A>["update"]>) => {
          const result = agent.updateWithErrors?.(...args);
          checkedUpdate(operation, "updateWithErrors", result);
          return result as readonly [A, object, Array];
        },
      }),
  ...(agent.paramsOf === undefined ? {} : { paramsOf: (state: A) => agent.paramsOf?.(state) ?? state }),
});

function checkedState<A>(operation: string, method: string, state: A | undefined): A {
  if (typeof state === "object" && state !== null) return state;
  return fail(operation, `agent.${method} must return a state, a tree of arrays, got ${describe(state)}`);
}

function checkedAction<A>(operation: string, method: string, result: unknown): readonly [Array, A] {
  const isSound = globalThis.Array.isArray(result) && result.length === 2 && result[0] instanceof Array;
  if (!isSound) fail(operation, `agent.${method} must return [action, state], got ${describe(result)}`);
  return [(result as [Array])[0], checkedState(operation, method, (result as [Array, A])[1])];
}

function checkedUpdate<A>(operation: string, method: string, result: unknown): readonly [A, object] {
  if (!globalThis.Array.isArray(result) || result.length < 2) {
    fail(operation, `agent.${method} must return [state, metrics], got ${describe(result)}`);
  }
  const [state, metrics] = result as [A, unknown];
  if (typeof metrics !== "object" || metrics === null || metrics instanceof Array) {
    fail(operation, `agent.${method} must return metrics by name, got ${describe(metrics)}`);
  }
  for (const [name, value] of Object.entries(metrics)) {
    if (value instanceof Array && value.ndim === 0) continue;
    fail(operation, `agent.${method}: the metric ${name} must be a scalar array, got ${describe(value)}`);
  }
  return [checkedState(operation, method, state), metrics];
}
