// How much work one call of the compiled program is given: Ctrl-C and the progress line wait for its end.

/** How long a call should take at most, in seconds. */
const longestCall = 0.25;

/** How much more than the last call the next one may do at most. */
const growth = 4;

/** Finds out how many units of work fit into one call. */
export class Pace {
  private units = 1;

  /** Units that the next call may do. */
  get patience(): number {
    return this.units;
  }

  /** Learns from a call. */
  tell(units: number, seconds: number): void {
    const fitting = (units * longestCall) / Math.max(1e-6, seconds);
    this.units = Math.max(1, Math.floor(Math.min(fitting, growth * Math.max(units, this.units))));
  }

  /** Starts again with little, because the work changes. */
  restart(): void {
    this.units = 1;
  }
}
