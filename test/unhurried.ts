// How Node runs tests: most of the library's code runs a few times in each of them, and V8 would spend more time on
// optimising it than it saves. (measured: a third of the processor time of all tests)

/** Flags of V8 by which it waits about thirty times longer with its optimising compilers; nothing else changes. */
export const unhurried: readonly string[] = ["--interrupt-budget=2000000"];
