// The types of functions with derivative rules: which of their arguments have derivatives.

/** The arguments at the positions N. */
export type At<A extends readonly unknown[], N, Seen extends readonly unknown[] = []> = A extends readonly [
  infer First,
  ...infer Rest,
]
  ? Seen["length"] extends N
    ? [First, ...At<Rest, N, [...Seen, unknown]>]
    : At<Rest, N, [...Seen, unknown]>
  : [];

/** The arguments at all other positions; all of them where none is named. */
export type NotAt<A extends readonly unknown[], N, Seen extends readonly unknown[] = []> = [N] extends [never]
  ? A
  : A extends readonly [infer First, ...infer Rest]
    ? Seen["length"] extends N
      ? NotAt<Rest, N, [...Seen, unknown]>
      : [First, ...NotAt<Rest, N, [...Seen, unknown]>]
    : [];

/** A position, or a list of them, as a union of numbers. */
export type OneOf<N> = N extends readonly (infer M)[] ? M : N;
