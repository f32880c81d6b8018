// Races: two threads touch the same memory, one of them writes, and nothing makes one wait for the other.

/**
 * Time goes on whenever threads meet. A thread knows up to when it has waited for each block: at a barrier for its own, and
 * for others by what it reads where they have announced themselves. Each word remembers who touched it last, and each
 * byte, too, where bytes are touched.
 */
export const races = `
enum touch { READ, WRITE, ATOMIC, WATCH };
struct access { uint32_t time, fiber, line, isAtomic; };
struct cell { struct access write, read, other; uint32_t bytesTime; };
static uint32_t now;
static int findsRaces;
static struct cell *memoryCells, *memoryByteCells;

static int isOrdered(const struct fiber *F, const struct access *a) {
  const struct fiber *const X = &fibers[a->fiber];
  const uint32_t b = X->block->index;
  if (X == F || a->time < F->known[b] || (F->leader[b] == a->fiber && a->time <= F->leaderTime[b])) return 1;
  return X->block == F->block && X->thread >> 5 == F->thread >> 5 && a->time < F->warpTime;
}
__attribute__((noinline, cold)) static void race(struct fiber *F, const struct access *a, const char *past, enum touch how, const char *space, uint64_t at, int line) {
  const struct fiber *const X = &fibers[a->fiber];
  int width;
  const char *const text = lineText(a->line, &width);
  fail(F, line, "a race: it %s byte %llu of %s memory, which block %u, thread %u has %s at line %d (%.*s), and nothing made it wait for that",
    how == READ || how == WATCH ? "reads" : "writes", (unsigned long long)at, space, X->block->index, X->thread, past, a->line, width, text);
}
static void checkCell(struct fiber *F, const struct cell *c, enum touch how, const char *space, uint64_t at, int line) {
  if (c->write.time && !(c->write.isAtomic && how >= ATOMIC) && !isOrdered(F, &c->write)) race(F, &c->write, "written", how, space, at, line);
  if (how == READ || how == WATCH) return;
  if (c->read.time && !isOrdered(F, &c->read)) race(F, &c->read, "read", how, space, at, line);
  if (c->other.time && !isOrdered(F, &c->other)) race(F, &c->other, "read", how, space, at, line);
}
static void markCell(struct fiber *F, struct cell *c, enum touch how, int line) {
  const struct access a = {now, (uint32_t)(F - fibers), (uint32_t)line, how == ATOMIC};
  if (how == WATCH) return;
  if (how == READ) {
    if (c->read.fiber != a.fiber) c->other = c->read;
    c->read = a;
    return;
  }
  c->write = a;
  c->read.time = c->other.time = 0;
}
__attribute__((noinline)) static void touch(struct fiber *F, struct cell *words, struct cell *bytes, const char *space, uint64_t at, unsigned count, enum touch how, int line) {
  if (count < 4) {
    struct cell *const word = &words[at >> 2];
    checkCell(F, word, how, space, at, line);
    word->bytesTime = now;
    for (unsigned i = 0; i < count; ++i) {
      checkCell(F, &bytes[at + i], how, space, at + i, line);
      markCell(F, &bytes[at + i], how, line);
    }
    return;
  }
  for (unsigned i = 0; i < count; i += 4) {
    struct cell *const word = &words[at + i >> 2];
    checkCell(F, word, how, space, at + i, line);
    if (word->bytesTime) {
      for (unsigned j = 0; j < 4; ++j) checkCell(F, &bytes[at + i + j], how, space, at + i + j, line);
    }
    markCell(F, word, how, line);
  }
}

/* What a thread has waited for is known to others from now on. */
static void learn(struct fiber *F, const uint32_t *known, const uint32_t *leader, const uint32_t *leaderTime) {
  for (uint32_t b = 0; b < BLOCKS; ++b) {
    if (known[b] > F->known[b]) F->known[b] = known[b];
    if (leaderTime[b] > F->leaderTime[b]) { F->leaderTime[b] = leaderTime[b]; F->leader[b] = leader[b]; }
  }
}
/* Words by which threads tell each other how far they are. */
struct signal { const uint8_t *at; uint32_t known[BLOCKS], leader[BLOCKS], leaderTime[BLOCKS]; };
enum { SIGNALS = 256 };
static struct signal signals[SIGNALS];
static struct signal *signalAt(const uint8_t *at) {
  for (int i = 0; i < SIGNALS; ++i) {
    if (signals[i].at == at) return &signals[i];
    if (signals[i].at == NULL) { signals[i].at = at; return &signals[i]; }
  }
  findsRaces = 0;
  return &signals[0];
}
static int isSignal(const uint8_t *at, int isStrong) { return findsRaces && (isStrong || (at >= control && at < control + sizeof control)); }
static void announce(struct fiber *F, const uint8_t *at, int isStrong) {
  if (!isSignal(at, isStrong)) return;
  struct signal *const s = signalAt(at);
  const uint32_t b = F->block->index;
  F->leader[b] = (uint32_t)(F - fibers);
  F->leaderTime[b] = now++;
  for (uint32_t i = 0; i < BLOCKS; ++i) {
    if (F->known[i] > s->known[i]) s->known[i] = F->known[i];
    if (F->leaderTime[i] > s->leaderTime[i]) { s->leaderTime[i] = F->leaderTime[i]; s->leader[i] = F->leader[i]; }
  }
}
static void heed(struct fiber *F, const uint8_t *at, int isStrong) {
  if (!isSignal(at, isStrong)) return;
  const struct signal *const s = signalAt(at);
  learn(F, s->known, s->leader, s->leaderTime);
}
/* Threads that have met know what each of them knew. */
static void shareKnowledge(struct fiber *F, uint32_t barrier) {
  if (!findsRaces) return;
  struct fiber *const first = F - F->thread;
  now += 1;
  for (uint32_t i = 0; i < THREADS; ++i)
    if (first[i].state == AT_BARRIER && first[i].barrier == barrier) learn(F, first[i].known, first[i].leader, first[i].leaderTime);
  F->known[F->block->index] = now;
  for (uint32_t i = 0; i < THREADS; ++i)
    if (first[i].state == AT_BARRIER && first[i].barrier == barrier) learn(&first[i], F->known, F->leader, F->leaderTime);
}
static void giveNothing(struct fiber *lanes, uint32_t mask) {
  now += 1;
  for (uint32_t rest = mask; rest; rest &= rest - 1) lanes[__builtin_ctz(rest)].warpTime = now;
}`;
