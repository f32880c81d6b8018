// How C is compiled.

/** Contracting products and sums is what WebAssembly's relaxed arithmetic does, too; nothing is reassociated. */
export const cFlags = [
  "-std=gnu11",
  "-O2",
  "-ffp-contract=fast",
  "-fno-math-errno",
  "-fno-trapping-math",
  "-fPIC",
  "-pthread",
] as const;
