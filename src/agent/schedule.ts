// Settings that change in the course of a run: whether they do, and over how many updates.
import { fail, np, type Array } from "../array/index.js";
import { choice, optional, whole, type Field } from "./config.js";

/** A setting stays what it is, or falls along a line to 0. */
export type Schedule = "constant" | "linear";

/** A field for how a setting changes. */
export const schedule = (): Field<Schedule> => choice<Schedule>("constant", ["constant", "linear"]);

/** What every config with schedules has. */
export interface ScheduleHorizon {
  /** Updates over which what is scheduled changes; null, the default, stands for all updates of a run. */
  readonly scheduleUpdates: number | null;
}

/** The field for it. */
export const scheduleUpdates = (): Field<number | null> => optional(whole(1));

/** The config of a run that makes so many updates. */
export const overUpdates = <C extends ScheduleHorizon>(config: C, updates: number): C => ({
  ...config,
  scheduleUpdates: config.scheduleUpdates ?? Math.max(1, updates),
});

/** How far a run is on its way to the end of its schedules, from 0 to 1. `reason` is the setting that asks. */
export function progressAt(
  operation: string,
  reason: string,
  step: Array,
  { scheduleUpdates: updates }: ScheduleHorizon,
): Array {
  if (updates === null) {
    fail(
      operation,
      `${reason} needs to know over how many updates: set scheduleUpdates, as runners do by themselves`,
    );
  }
  return np.minimum(step.astype("float32").div(updates), 1);
}

/** What a setting is after so many updates. `name` is how the config calls its schedule. */
export function scheduled(
  operation: string,
  name: string,
  value: number | Array,
  way: Schedule,
  step: Array,
  config: ScheduleHorizon,
): number | Array {
  if (way === "constant") return value;
  return np.subtract(1, progressAt(operation, `${name} "${way}"`, step, config)).mul(value);
}
