// What an algorithm is told about actions: a plain number or an action space.
import { fail } from "../array/index.js";
import type { Box, Space } from "../env/index.js";

/** Actions that are one of `size` choices. */
export interface DiscreteActions {
  readonly kind: "discrete";
  readonly size: number;
}

/** Actions that are vectors of `size` numbers. */
export interface ContinuousActions {
  readonly kind: "continuous";
  readonly size: number;
  /** The space they come from, if it was given. */
  readonly space: Box | null;
}

export type Actions = DiscreteActions | ContinuousActions;

/** What a number (of choices) or a space says about actions. */
export function actionsOf(operation: string, actions: number | Space): Actions {
  if (typeof actions === "number") return { kind: "discrete", size: checkSize(operation, actions) };
  if (actions?.kind === "Discrete") return { kind: "discrete", size: actions.n };
  if (actions?.kind === "Box") return continuous(operation, actions);
  fail(operation, `the action space must be Discrete or Box, got ${String(actions)}`);
}

/** The number of choices; a space of another kind is refused. */
export function discreteActions(operation: string, actions: number | Space): number {
  const { kind, size } = actionsOf(operation, actions);
  if (kind === "discrete") return size;
  fail(
    operation,
    `needs a Discrete action space, got ${String(actions)}; PPO and SAC take continuous actions`,
  );
}

/** The number of components and the space; a plain number is the number of components. */
export function continuousActions(operation: string, actions: number | Space): ContinuousActions {
  if (typeof actions === "number") {
    return { kind: "continuous", size: checkSize(operation, actions), space: null };
  }
  const found = actionsOf(operation, actions);
  if (found.kind === "continuous") return found;
  fail(operation, `needs a Box action space, got ${String(actions)}; PPO and DQN take discrete actions`);
}

function continuous(operation: string, space: Box): ContinuousActions {
  const { shape, dtype } = space;
  if (shape.length !== 1 || dtype !== "float32") {
    fail(operation, `continuous actions must be float32 vectors, a Box of shape [n], got ${String(space)}`);
  }
  return { kind: "continuous", size: shape[0], space };
}

function checkSize(operation: string, size: number): number {
  if (!Number.isInteger(size) || size < 1) {
    fail(operation, `the number of actions must be a whole number of at least 1, got ${size}`);
  }
  return size;
}
