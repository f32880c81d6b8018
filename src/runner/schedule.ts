// When the host has something to do: at the first unit of work at or after each multiple of an interval of steps.

/** The units of work until an event of an interval is due. */
export function untilDue(every: number, unit: number, stepsPerUnit: number): number {
  const next = (Math.floor((unit * stepsPerUnit) / every) + 1) * every;
  return Math.ceil(next / stepsPerUnit) - unit;
}

/** Whether an event of an interval was due between two units, the second included. */
export const isDue = (every: number, from: number, to: number, stepsPerUnit: number): boolean =>
  Math.floor((to * stepsPerUnit) / every) > Math.floor((from * stepsPerUnit) / every);

/** More units than this are never done in one call: they would take far longer than a call should. */
const mostUnits = 2 ** 16;

/** Nor more steps, if one unit has less: a program has room for what each of them measures. */
const mostSteps = 2 ** 18;

/** Units that one call may do at most: those between two lines of the log. */
export const longestCall = (units: number, logInterval: number, stepsPerUnit: number): number =>
  Math.min(
    ...[units, mostUnits, Math.max(1, Math.floor(mostSteps / stepsPerUnit))],
    Math.max(1, Math.ceil(logInterval / stepsPerUnit)),
  );
