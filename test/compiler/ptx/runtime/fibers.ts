// Threads of a GPU as fibers, in C: each has a stack of its own, and one of them runs at a time until it waits.

/** Saves what a call must keep, changes stacks, and goes on there. */
const switching = `
void vibe_ptx_switch(void **from, void *to) __asm__("vibe_ptx_switch") __attribute__((visibility("hidden")));
#if defined(__x86_64__)
__asm__(".text\\nvibe_ptx_switch:\\n"
  "pushq %rbp\\npushq %rbx\\npushq %r12\\npushq %r13\\npushq %r14\\npushq %r15\\n"
  "movq %rsp, (%rdi)\\nmovq %rsi, %rsp\\n"
  "popq %r15\\npopq %r14\\npopq %r13\\npopq %r12\\npopq %rbx\\npopq %rbp\\nret\\n");
enum { SAVED_WORDS = 8, ENTRY_WORD = 6 };
#elif defined(__aarch64__)
__asm__(".text\\n.p2align 2\\nvibe_ptx_switch:\\n"
  "sub sp, sp, #160\\n"
  "stp x19, x20, [sp]\\nstp x21, x22, [sp, #16]\\nstp x23, x24, [sp, #32]\\nstp x25, x26, [sp, #48]\\n"
  "stp x27, x28, [sp, #64]\\nstp x29, x30, [sp, #80]\\n"
  "stp d8, d9, [sp, #96]\\nstp d10, d11, [sp, #112]\\nstp d12, d13, [sp, #128]\\nstp d14, d15, [sp, #144]\\n"
  "mov x9, sp\\nstr x9, [x0]\\nmov sp, x1\\n"
  "ldp x19, x20, [sp]\\nldp x21, x22, [sp, #16]\\nldp x23, x24, [sp, #32]\\nldp x25, x26, [sp, #48]\\n"
  "ldp x27, x28, [sp, #64]\\nldp x29, x30, [sp, #80]\\n"
  "ldp d8, d9, [sp, #96]\\nldp d10, d11, [sp, #112]\\nldp d12, d13, [sp, #128]\\nldp d14, d15, [sp, #144]\\n"
  "add sp, sp, #160\\nret\\n");
enum { SAVED_WORDS = 20, ENTRY_WORD = 11 };
#else
#error "the emulator of PTX has no fibers for this processor"
#endif`;

export const fibers = `#define _GNU_SOURCE
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <tgmath.h>
#define INLINE static inline __attribute__((always_inline))
${switching}
enum state { READY, AT_BARRIER, IN_WARP, DONE, FAILED };
/* The barrier of a cluster, besides those of each block. */
enum { CLUSTER = 16 };
struct barrier { uint32_t arrived, count, votes, last; int line; };
struct cell;
struct block { uint32_t index; uint8_t *shared; struct cell *cells, *byteCells; struct barrier barriers[16]; };
struct fiber {
  void *stack;
  struct block *block;
  uint8_t *local;
  uint32_t thread, mask, barrier, result;
  enum state state;
  /* Where it waits, and at what. */
  int line;
  const char *what;
  /* Whether it stopped to look again, and found what was there the last time. */
  int isSpinning, isIdle;
  const uint8_t *spinAt;
  uint64_t spinValue;
  uint32_t in[12], out[12];
  /* Up to when it has waited for each block, and for a thread of it. */
  uint32_t known[BLOCKS], leader[BLOCKS], leaderTime[BLOCKS], warpTime;
  /* How often it has met others. */
  uint32_t meetings;
};
static uint8_t control[256] __attribute__((aligned(256)));
static struct fiber *fibers;
static void *scheduler;
static struct fiber *running;
static uint64_t ticks;
static char fault[4096];

/* The text of a line of the program. */
static const char *lineText(int line, int *length) {
  const char *at = source;
  while (--line > 0 && (at = strchr(at, '\\n')) != NULL) at += 1;
  if (at == NULL) at = "";
  at += strspn(at, " \\t");
  *length = (int)strcspn(at, "\\n");
  if (*length > 200) *length = 200;
  return at;
}
static void stop(struct fiber *F) { vibe_ptx_switch(&F->stack, scheduler); }
__attribute__((noreturn)) static void leave(struct fiber *F) {
  F->state = DONE;
  stop(F);
  __builtin_unreachable();
}
/* Ends the whole program with a message. */
__attribute__((noreturn, format(printf, 3, 4))) static void fail(struct fiber *F, int line, const char *format, ...) {
  va_list rest;
  int width;
  const char *const text = lineText(line, &width);
  int length = snprintf(fault, sizeof fault, "PTX, line %d: %.*s: block %u, thread %u: ", line, width, text, F->block->index, F->thread);
  va_start(rest, format);
  vsnprintf(fault + length, sizeof fault - length, format, rest);
  va_end(rest);
  F->state = FAILED;
  stop(F);
  __builtin_unreachable();
}
/* Lets others run before a thread looks at what they may change. */
static void spin(struct fiber *F, int line) {
  F->line = line;
  F->isSpinning = 1;
  stop(F);
}
INLINE void seen(struct fiber *F, const uint8_t *at, unsigned bytes) {
  uint64_t value = 0;
  memcpy(&value, at, bytes);
  F->isIdle = F->spinAt == at && F->spinValue == value;
  F->spinAt = at;
  F->spinValue = value;
}`;
