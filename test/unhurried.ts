// How Node runs tests: most of the library's code runs a few times in each of them, and V8 would spend more time on
// optimising it than it saves. (measured: a third of the processor time of all tests)

/** The flags by which V8 is told so since Node 22, and those of browsers. */
export const unhurriedNow: readonly string[] = [
  "--invocation-count-for-maglev=12000",
  "--invocation-count-for-turbofan=90000",
  "--invocation-count-for-osr=15000",
];

/** Flags of V8 by which it waits about thirty times longer with its optimising compilers; nothing else changes. */
export const unhurried: readonly string[] =
  Number.parseInt(process.versions.node) < 22 ? ["--interrupt-budget=2000000"] : unhurriedNow;
