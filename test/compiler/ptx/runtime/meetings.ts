// Where threads wait for each other: barriers of a block, and instructions of a warp.

export const meetings = `
static struct fiber *lanesOf(struct fiber *F) { return F - (F->thread & 31); }
static uint32_t lanesThere(struct fiber *F) {
  const uint32_t left = THREADS - (F->thread & ~31u);
  return left >= 32 ? ~0u : (1u << left) - 1;
}
static uint32_t livingLanes(struct fiber *F) {
  uint32_t mask = 0;
  for (uint32_t rest = lanesThere(F); rest; rest &= rest - 1) {
    const int lane = __builtin_ctz(rest);
    if (lanesOf(F)[lane].state != DONE) mask |= 1u << lane;
  }
  return mask;
}
/* Lanes of a warp come to a barrier by the same instruction. */
static void checkAligned(struct fiber *F, int line) {
  for (uint32_t rest = lanesThere(F); rest; rest &= rest - 1) {
    const struct fiber *const other = lanesOf(F) + __builtin_ctz(rest);
    if (other != F && other->state == AT_BARRIER && other->barrier == F->barrier && other->line != line)
      fail(F, line, "threads of a warp come to different barriers: thread %u waits at line %d", other->thread, other->line);
  }
}
/* What the lanes of a warp have done at a jump since they last met, each time they came there. */
struct jump { uint32_t meetings, known; uint64_t taken; uint8_t times[32]; };
static struct jump jumps[BLOCKS][(THREADS + 31) / 32][JUMPS];
/* A jump that all lanes of a warp take together, or none of them. */
static int alike(struct fiber *F, uint32_t id, int isTaken, int line) {
  struct jump *const j = &jumps[F->block->index][F->thread / 32][id];
  if (j->meetings != F->meetings + 1) *j = (struct jump){.meetings = F->meetings + 1};
  const uint32_t time = j->times[F->thread & 31];
  if (time == 64) return isTaken;
  j->times[F->thread & 31] = time + 1;
  if (time == j->known) {
    j->known += 1;
    j->taken |= (uint64_t)(isTaken != 0) << time;
  } else if ((j->taken >> time & 1) != (isTaken != 0)) {
    fail(F, line, "a lane of the warp %s, and another one %s", isTaken ? "jumps" : "goes on", isTaken ? "goes on" : "jumps");
  }
  return isTaken;
}
static uint32_t meetBlock(struct fiber *F, uint32_t id, uint32_t count, int isWaiting, int vote, int line) {
  if (id > 15) fail(F, line, "barriers have the numbers 0 to 15, not %u", id);
  if (count == 0 || count > THREADS || (count & 31 && count != THREADS))
    fail(F, line, "a barrier of %u threads in a block of %u: whole warps meet", count, THREADS);
  struct barrier *const b = &F->block->barriers[id];
  if (b->arrived > 0 && b->count != count)
    fail(F, line, "barrier %u is for %u threads here and for %u at line %d", id, count, b->count, b->line);
  F->barrier = id;
  F->meetings += 1;
  checkAligned(F, line);
  b->count = count;
  b->line = line;
  b->votes += vote != 0;
  b->arrived += 1;
  F->line = line;
  F->what = "a barrier";
  if (b->arrived == count) {
    struct fiber *const first = F - F->thread;
    shareKnowledge(F, id);
    for (uint32_t i = 0; i < THREADS; ++i) {
      if (first[i].state != AT_BARRIER || first[i].barrier != id) continue;
      first[i].state = READY;
      first[i].result = b->votes;
    }
    F->result = b->votes;
    b->arrived = b->votes = 0;
  } else if (isWaiting) {
    F->state = AT_BARRIER;
  }
  if (isWaiting) stop(F);
  return F->result;
}
/* Waits for all threads of all blocks, which are one cluster. */
static uint32_t inCluster;
static void meetCluster(struct fiber *F, int line) {
  F->barrier = CLUSTER;
  F->meetings += 1;
  checkAligned(F, line);
  F->line = line;
  F->what = "the cluster's barrier";
  if (++inCluster < THREADS * BLOCKS) {
    F->state = AT_BARRIER;
    stop(F);
    return;
  }
  inCluster = 0;
  now += 1;
  for (uint32_t i = 0; i < THREADS * BLOCKS; ++i) {
    struct fiber *const other = &fibers[i];
    if (other != F && (other->state != AT_BARRIER || other->barrier != CLUSTER)) continue;
    for (uint32_t b = 0; b < BLOCKS; ++b) other->known[b] = now;
    other->state = READY;
  }
  stop(F);
}
/* Waits for the lanes of a mask; the last one that comes gives all of them their results. */
static void meetWarp(struct fiber *F, uint32_t mask, void (*give)(struct fiber *lanes, uint32_t mask), const char *what, int line) {
  mask &= lanesThere(F);
  struct fiber *const lanes = lanesOf(F);
  if (!(mask >> (F->thread & 31) & 1)) fail(F, line, "%s: this lane is not in the mask 0x%x", what, mask);
  F->mask = mask;
  F->meetings += 1;
  F->line = line;
  F->what = what;
  F->state = IN_WARP;
  uint32_t here = 0;
  for (uint32_t rest = mask; rest; rest &= rest - 1) {
    const int lane = __builtin_ctz(rest);
    const struct fiber *const other = lanes + lane;
    if (other->state != IN_WARP) continue;
    if (other->mask != mask || other->line != line)
      fail(F, line, "%s with mask 0x%x meets thread %u at line %d: %s with mask 0x%x", what, mask, other->thread, other->line, other->what, other->mask);
    here |= 1u << lane;
  }
  if (here == mask) {
    give(lanes, mask);
    for (uint32_t rest = mask; rest; rest &= rest - 1) lanes[__builtin_ctz(rest)].state = READY;
  }
  stop(F);
}`;
