// The renderer of C.
/** What the C compiler's machine can do. */
export interface CTarget {
  /** Elements of 32 bits in one vector. */
  readonly lanes: 4 | 8 | 16;
  /** Vectors that fit into registers. */
  readonly registers: 16 | 32;
}

/**
 * A program as C: translation units, to be built and linked into one shared library, which exports
 * `void vibe_rl_run(char *memory, void (*print)(int message), const struct vibe_rl_pool *pool)`.
 */
export interface CProgram {
  readonly sources: readonly string[];
}
