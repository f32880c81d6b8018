// What is the same in every program's C: how it is entered, how its threads meet, and how small numbers are treated.

/** The function that a library exports. */
export const entry = (isParallel: boolean): string =>
  [
    '__attribute__((visibility("default"))) void vibe_rl_run(char *memory, void (*print)(int message), struct vibe_rl_pool *pool) {',
    `  struct run given = {memory, print, ${isParallel ? "pool" : "NULL"}};`,
    "  if (given.pool == NULL || pool->threads == 1) { given.pool = NULL; body(&given, 0); }",
    "  else pool->run(pool, body, &given);",
    "}",
  ].join("\n");

/**
 * What the walk through a program uses. Numbers too small for full precision are zero while it runs, as in most libraries:
 * many processors are slow with them.
 */
export const support = `struct run { char *memory; void (*print)(int message); struct vibe_rl_pool *pool; };
INLINE void meet(struct vibe_rl_pool *pool) { if (pool != NULL) pool->meet(pool); }
INLINE int inRange(int index, int last) { return index < 0 ? 0 : index > last ? last : index; }
/* The first of so many rows that is a part's own: rows are dealt out by the grain. */
INLINE long firstRow(long rows, long grain, long part, long parts) {
  const long first = (rows + grain - 1) / grain * part / parts * grain;
  return first < rows ? first : rows;
}
INLINE unsigned long enterFlushing(void) {
#if defined(VIBE_RL_SUBNORMALS)
  return 0;
#elif defined(__SSE2__)
  const unsigned mode = __builtin_ia32_stmxcsr();
  __builtin_ia32_ldmxcsr(mode | 0x8040);
  return mode;
#elif defined(__aarch64__)
  unsigned long mode;
  __asm__ volatile("mrs %0, fpcr" : "=r"(mode));
  __asm__ volatile("msr fpcr, %0" : : "r"(mode | 1ul << 24));
  return mode;
#else
  return 0;
#endif
}
INLINE void leaveFlushing(unsigned long mode) {
  (void)mode;
#if defined(VIBE_RL_SUBNORMALS)
#elif defined(__SSE2__)
  __builtin_ia32_ldmxcsr((unsigned)mode);
#elif defined(__aarch64__)
  __asm__ volatile("msr fpcr, %0" : : "r"(mode));
#endif
}`;
