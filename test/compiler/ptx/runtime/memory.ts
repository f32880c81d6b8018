// Memory of emulated programs: addresses are looked at before they are used.

export const memory = `
struct region { const uint8_t *start; uint64_t bytes; };
/* What a program may touch besides its own variables: memory, control, host. */
static struct region regions[3];
static const struct region *ownRegions;
static int ownCount;
#define LOAD(type, from) ({ type value; memcpy(&value, from, sizeof value); value; })
#define STORE(type, to, given) do { const type value = (given); memcpy(to, &value, sizeof value); } while (0)

__attribute__((noinline, cold)) static void misaligned(struct fiber *F, const char *space, uint64_t a, unsigned bytes, int line) {
  fail(F, line, "address %s + 0x%llx is not a multiple of the %u bytes that are accessed", space, (unsigned long long)a, bytes);
}
INLINE uint8_t *at_shared(struct fiber *F, uint64_t a, unsigned bytes, enum touch how, int line) {
  const uint64_t at = a - SHARED_START;
  if (bytes > SHARED_BYTES || at > SHARED_BYTES - bytes)
    fail(F, line, "shared memory has %u bytes from 0x%x on; %u bytes at 0x%llx are outside", SHARED_BYTES, SHARED_START, bytes, (unsigned long long)a);
  if (a & (bytes - 1)) misaligned(F, "shared", a, bytes, line);
  if (findsRaces) touch(F, F->block->cells, F->block->byteCells, "shared", at, bytes, how, line);
  return F->block->shared + at;
}
INLINE uint8_t *at_local(struct fiber *F, uint64_t a, unsigned bytes, enum touch how, int line) {
  if (a > LOCAL_BYTES - bytes)
    fail(F, line, "local memory has %u bytes; %u bytes at 0x%llx are outside", LOCAL_BYTES, bytes, (unsigned long long)a);
  if (a & (bytes - 1)) misaligned(F, "local", a, bytes, line);
  return F->local + a;
}
__attribute__((noinline)) static uint8_t *at_other(struct fiber *F, uint64_t a, unsigned bytes, int line) {
  const uint8_t *const start = (const uint8_t *)(uintptr_t)a;
  for (int i = 0; i < 3 + ownCount; ++i) {
    const struct region r = i < 3 ? regions[i] : ownRegions[i - 3];
    const uint64_t at = (uint64_t)(start - r.start);
    if (at >= r.bytes || at + bytes > r.bytes) continue;
    if (at & (bytes - 1)) misaligned(F, i == 0 ? "memory" : "global", at, bytes, line);
    return (uint8_t *)start;
  }
  fail(F, line, "%u bytes at memory + %lld are outside of the program's memory of %llu bytes", bytes,
    (long long)(a - (uint64_t)(uintptr_t)regions[0].start), (unsigned long long)regions[0].bytes);
}
INLINE uint8_t *at_global(struct fiber *F, uint64_t a, unsigned bytes, enum touch how, int line) {
  const uint64_t at = a - (uint64_t)(uintptr_t)regions[0].start;
  if (at < regions[0].bytes && at + bytes <= regions[0].bytes && !(at & (bytes - 1))) {
    if (findsRaces) touch(F, memoryCells, memoryByteCells, "the program's", at, bytes, how, line);
    return (uint8_t *)(uintptr_t)a;
  }
  return at_other(F, a, bytes, line);
}
INLINE int is_shared(struct fiber *F, uint64_t a) { return a - (uint64_t)(uintptr_t)F->block->shared < SHARED_BYTES; }
INLINE int is_local(struct fiber *F, uint64_t a) { return a - (uint64_t)(uintptr_t)F->local < LOCAL_BYTES; }
INLINE int is_global(struct fiber *F, uint64_t a) { return !is_shared(F, a) && !is_local(F, a); }
INLINE uint64_t generic_shared(struct fiber *F, uint64_t a, int line) {
  return (uint64_t)(uintptr_t)F->block->shared + a - SHARED_START;
}
INLINE uint64_t generic_local(struct fiber *F, uint64_t a, int line) { return (uint64_t)(uintptr_t)F->local + a; }
INLINE uint64_t inside_shared(struct fiber *F, uint64_t a, int line) {
  return a - (uint64_t)(uintptr_t)F->block->shared + SHARED_START;
}
INLINE uint64_t inside_local(struct fiber *F, uint64_t a, int line) { return a - (uint64_t)(uintptr_t)F->local; }
static uint8_t *at_generic(struct fiber *F, uint64_t a, unsigned bytes, enum touch how, int line) {
  if (is_shared(F, a)) return at_shared(F, inside_shared(F, a, line), bytes, how, line);
  if (is_local(F, a)) return at_local(F, inside_local(F, a, line), bytes, how, line);
  return at_global(F, a, bytes, how, line);
}`;
