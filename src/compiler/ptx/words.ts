// Numbers of things in words, for people.

export const countOf = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`;

/** How so many things are shared out among threads. */
export const perThread = (count: number, threads: number): string =>
  count < threads ? `by ${countOf(count, "thread")}` : `${Math.ceil(count / threads)} per thread`;
