// Whole numbers for people to read.

/** `1,234,567`. Node's `toLocaleString` says the same, but its first call takes as long as drawing a plot. */
export const thousands = (value: number): string => String(value).replaceAll(/\B(?=(?:\d{3})+$)/g, ",");
