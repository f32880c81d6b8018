// Running a grid: all blocks at once, in an order that is another one after every wait.

export const launch = `
static uint32_t host[16] __attribute__((aligned(256)));
static uint64_t given[3];
static uint64_t chance;
static uint32_t below(uint32_t bound) {
  chance ^= chance << 13;
  chance ^= chance >> 7;
  chance ^= chance << 17;
  return (uint32_t)((chance >> 32) * bound >> 32);
}
static void fiberStart(void) {
  struct fiber *const F = running;
  start(F, given);
  leave(F);
}
/* Says what everybody waits for; threads in the same place are told of together. */
static void tellWaiting(const char *problem, uint32_t count) {
  int length = snprintf(fault, sizeof fault, "PTX: %s:", problem);
  uint32_t done = 0;
  for (uint32_t i = 0; i < count; ++i) {
    const struct fiber *const f = &fibers[i];
    if (f->state == DONE) { done += 1; continue; }
    uint32_t alike = 0;
    int isFirst = 1;
    for (uint32_t j = 0; j < count; ++j) {
      if (fibers[j].state != f->state || fibers[j].line != f->line) continue;
      if (j < i) { isFirst = 0; break; }
      alike += 1;
    }
    if (!isFirst || length > (int)sizeof fault - 200) continue;
    int width;
    const char *const text = lineText(f->line, &width);
    const char *const what = f->state == AT_BARRIER ? "wait at barrier" : f->state == IN_WARP ? "wait for their warp in" : "spin";
    length += snprintf(fault + length, sizeof fault - length, " line %d (%.*s): %u threads %s", f->line, width, text, alike, what);
    if (f->state == AT_BARRIER) length += snprintf(fault + length, sizeof fault - length, " %u", f->barrier);
    if (f->state == IN_WARP) length += snprintf(fault + length, sizeof fault - length, " %s", f->what);
    length += snprintf(fault + length, sizeof fault - length, " (block %u, thread %u is the first);", f->block->index, f->thread);
  }
  snprintf(fault + length, sizeof fault - length, " %u threads have ended", done);
}
enum { PATIENCE = 20000 };
/* Runs fibers until all have ended or one has failed. */
static void runAll(uint32_t *order, uint32_t count, void (*print)(int message)) {
  for (uint32_t quiet = 0;;) {
    uint32_t ready = 0, done = 0;
    for (uint32_t i = 0; i < count; ++i) {
      if (fibers[i].state == READY) order[ready++] = i;
      else if (fibers[i].state == DONE) done += 1;
    }
    if (ready == 0) {
      if (done < count) tellWaiting("all threads wait for others", count);
      else if (host[0] != 0) snprintf(fault, sizeof fault, "PTX: the program has ended before message %u was printed", host[0] - 1);
      return;
    }
    int isEventful = 0;
    for (uint32_t left = ready; left > 0; --left) {
      const uint32_t at = below(left), chosen = order[at];
      order[at] = order[left - 1];
      struct fiber *const F = running = &fibers[chosen];
      F->isSpinning = 0;
      vibe_ptx_switch(&scheduler, F->stack);
      if (fault[0] != 0) return;
      if (!F->isSpinning || !F->isIdle) isEventful = 1;
      if (F->isSpinning && host[0] != 0) {
        print((int)host[0] - 1);
        host[0] = 0;
        isEventful = 1;
      }
    }
    quiet = isEventful ? 0 : quiet + 1;
    if (quiet == PATIENCE) { tellWaiting("all threads that run look for what does not change", count); return; }
  }
}
static void *mapped(size_t bytes) {
  void *const start = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (start == MAP_FAILED) { fprintf(stderr, "the emulator of PTX has no memory\\n"); abort(); }
  return start;
}
struct vibe_rl_pool;
__attribute__((visibility("default"))) const char *vibe_ptx_fault(void) { return fault; }
__attribute__((visibility("default"))) void vibe_rl_run(char *memory, void (*print)(int message), struct vibe_rl_pool *pool) {
  const uint32_t count = BLOCKS * THREADS;
  const size_t sharedBytes = (SHARED_BYTES + 255) / 256 * 256 + 256;
  const size_t stacksBytes = count * STACK_BYTES, localBytes = (size_t)count * LOCAL_BYTES;
  const char *const seed = getenv("VIBE_RL_PTX_SEED"), *const asked = getenv("VIBE_RL_PTX_RACES");
  (void)pool;
  chance = UINT64_C(0x9E3779B97F4A7C15) * (seed == NULL ? 1 : 2 * strtoull(seed, NULL, 10) + 1);
  fault[0] = 0;
  memset(host, 0, sizeof host);
  regions[0] = (struct region){(const uint8_t *)memory, MEMORY_BYTES};
  regions[1] = (struct region){control, sizeof control};
  regions[2] = (struct region){(const uint8_t *)host, sizeof(uint32_t) * 16};
  ownRegions = own;
  ownCount = OWN;
  given[0] = (uint64_t)(uintptr_t)memory;
  given[1] = (uint64_t)(uintptr_t)control;
  given[2] = (uint64_t)(uintptr_t)host;
  uint8_t *const stacks = mapped(stacksBytes), *const locals = mapped(localBytes), *const shared = mapped(BLOCKS * sharedBytes);
  struct block *const blocks = calloc(BLOCKS, sizeof *blocks);
  uint32_t *const order = malloc(count * sizeof *order);
  fibers = calloc(count, sizeof *fibers);
  memset(locals, 0xA5, localBytes);
  /* Not a number, so that nobody takes what was never written for a result. */
  memset(shared, 0xff, BLOCKS * sharedBytes);
  now = 1;
  findsRaces = BLOCKS <= 16 && MEMORY_BYTES <= (64 << 20) && (asked == NULL || strcmp(asked, "off") != 0);
  memset(signals, 0, sizeof signals);
  memset(jumps, 0, sizeof jumps);
  /* A cell for each byte, and behind these one for each word. */
  const size_t memoryWords = (MEMORY_BYTES + 3) / 4, sharedWords = sharedBytes / 4;
  const size_t cellBytes = findsRaces ? sizeof(struct cell) * 5 * (memoryWords + BLOCKS * sharedWords) : 1;
  struct cell *const cells = mapped(cellBytes);
  memoryByteCells = cells;
  memoryCells = cells + 4 * memoryWords;
  for (uint32_t i = 0; i < count; ++i) {
    struct block *const block = &blocks[i / THREADS];
    uint64_t *const stack = (uint64_t *)(stacks + (i + 1) * STACK_BYTES) - SAVED_WORDS;
    stack[ENTRY_WORD] = (uint64_t)(uintptr_t)fiberStart;
    block->index = i / THREADS;
    block->shared = shared + block->index * sharedBytes;
    block->byteCells = cells + 5 * memoryWords + 5 * sharedWords * block->index;
    block->cells = block->byteCells + 4 * sharedWords;
    for (uint32_t b = 0; b < BLOCKS; ++b) fibers[i].known[b] = 1;
    fibers[i].stack = stack;
    fibers[i].block = block;
    fibers[i].thread = i % THREADS;
    fibers[i].local = locals + (size_t)i * LOCAL_BYTES;
  }
  runAll(order, count, print);
  free(fibers);
  free(order);
  free(blocks);
  munmap(cells, cellBytes);
  munmap(shared, BLOCKS * sharedBytes);
  munmap(locals, localBytes);
  munmap(stacks, stacksBytes);
  if (fault[0] == 0) return;
  if (host[1] != 0) snprintf(fault + strlen(fault), sizeof fault - strlen(fault), ", in kernel %u", host[1] - 1);
  memset(control, 0, sizeof control);
  /* The caller looks here when printing fails, as it does for a message that there is not. */
  setenv("VIBE_RL_PTX_FAULT", fault, 1);
  print(-1);
}
`;
