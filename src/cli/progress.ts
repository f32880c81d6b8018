// The line that tells how a run is going: redrawn on a terminal, now and then a plain line elsewhere.
import type { Progress } from "../runner/index.js";
import { thousands } from "./thousands.js";

export interface Terminal {
  readonly isInteractive: boolean;
  readonly columns: number;
  readonly write: (text: string) => void;
}

const compact = (value: number): string =>
  value >= 1e6
    ? `${(value / 1e6).toFixed(1)}M`
    : value >= 1e4
      ? `${(value / 1e3).toFixed(0)}k`
      : value.toFixed(0);

/** `1:05` or `2:00:07`. */
export function clock(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  const [hours, minutes, rest] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  const two = (value: number) => String(value).padStart(2, "0");
  return hours > 0 ? `${hours}:${two(minutes)}:${two(rest)}` : `${minutes}:${two(rest)}`;
}

const number = (value: number | null): string =>
  value === null ? "–" : Math.abs(value) >= 100 ? value.toFixed(0) : value.toFixed(2);

/** What there is to say about a run. */
export function progressFacts({
  step,
  total,
  stepsPerSecond,
  secondsLeft,
  episodeReturn,
  evalReturn,
}: Progress): string {
  const percent = Math.floor((step / total) * 100);
  return (
    `${String(percent).padStart(3)}% ${thousands(step)}/${thousands(total)} ` +
    `${compact(stepsPerSecond)} steps/s ${clock(secondsLeft)} left  return ${number(episodeReturn)}  ` +
    `eval ${number(evalReturn)}`
  );
}

/** The same behind a bar, in one line of a terminal: a longer one could not be redrawn. */
export function progressLine(progress: Progress, columns: number): string {
  const facts = progressFacts(progress);
  const width = Math.min(24, columns - facts.length - 2);
  if (width < 6) return facts.slice(0, Math.max(0, columns - 1));
  const filled = Math.floor((progress.step / progress.total) * width);
  return `${"█".repeat(filled)}${"░".repeat(width - filled)} ${facts}`;
}

/** Shows progress on a terminal. */
export function progressView(terminal: Terminal): {
  readonly show: (progress: Progress) => void;
  readonly end: () => void;
} {
  let last = -Infinity;
  let isOpen = false;
  return {
    show: (progress) => {
      const now = performance.now();
      const isEnd = progress.step >= progress.total;
      const pause = terminal.isInteractive ? 80 : 5_000;
      if (now - last < pause && !isEnd) return;
      last = now;
      if (terminal.isInteractive) {
        terminal.write(`\r\u001b[2K${progressLine(progress, terminal.columns)}`);
        isOpen = true;
      } else terminal.write(`${progressFacts(progress)}\n`);
    },
    end: () => {
      if (isOpen) terminal.write("\n");
      isOpen = false;
    },
  };
}
