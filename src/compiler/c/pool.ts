// The threads that native programs share, as C: one set of workers, who look for work for a while and then sleep.

/** What programs see of it. */
export const poolInterface = `struct vibe_rl_pool {
  int threads;
  /* Runs a function on all threads at once, each with its number; the first is the one that calls. */
  void (*run)(struct vibe_rl_pool *pool, void (*body)(void *context, int part), void *context);
  /* Waits for all threads. */
  void (*meet)(struct vibe_rl_pool *pool);
};`;

/**
 * A library that exports `struct vibe_rl_pool *vibe_rl_pool(int threads)`: always the same workers for the same number.
 * Who waits looks so often for the others before it sleeps that waking is rarely needed inside a program, and that
 * threads that have nothing to do leave the processor to others.
 */
export const poolSource = `#define _GNU_SOURCE
#include <pthread.h>
#include <stdlib.h>
${poolInterface}
#if defined(__x86_64__) || defined(__i386__)
#define PAUSE() __builtin_ia32_pause()
#elif defined(__aarch64__)
#define PAUSE() __asm__ volatile("yield")
#else
#define PAUSE()
#endif
enum { looks = 1500 };
struct meeting {
  int arrived __attribute__((aligned(128)));
  unsigned number __attribute__((aligned(128)));
  int sleepers __attribute__((aligned(128)));
  pthread_mutex_t mutex;
  pthread_cond_t changed;
};
struct workers {
  struct vibe_rl_pool pool;
  struct meeting meeting;
  void (*body)(void *context, int part);
  void *context;
  struct workers *next;
};
static void meet(struct vibe_rl_pool *pool) {
  struct meeting *const m = &((struct workers *)pool)->meeting;
  const unsigned number = __atomic_load_n(&m->number, __ATOMIC_ACQUIRE);
  if (__atomic_add_fetch(&m->arrived, 1, __ATOMIC_ACQ_REL) == pool->threads) {
    __atomic_store_n(&m->arrived, 0, __ATOMIC_RELAXED);
    __atomic_store_n(&m->number, number + 1, __ATOMIC_SEQ_CST);
    if (__atomic_load_n(&m->sleepers, __ATOMIC_SEQ_CST) > 0) {
      pthread_mutex_lock(&m->mutex);
      pthread_cond_broadcast(&m->changed);
      pthread_mutex_unlock(&m->mutex);
    }
    return;
  }
  for (int look = 0; look < looks; ++look) {
    if (__atomic_load_n(&m->number, __ATOMIC_ACQUIRE) != number) return;
    PAUSE();
  }
  pthread_mutex_lock(&m->mutex);
  __atomic_add_fetch(&m->sleepers, 1, __ATOMIC_SEQ_CST);
  while (__atomic_load_n(&m->number, __ATOMIC_SEQ_CST) == number) pthread_cond_wait(&m->changed, &m->mutex);
  __atomic_sub_fetch(&m->sleepers, 1, __ATOMIC_SEQ_CST);
  pthread_mutex_unlock(&m->mutex);
}
static void run(struct vibe_rl_pool *pool, void (*body)(void *context, int part), void *context) {
  struct workers *const workers = (struct workers *)pool;
  workers->body = body;
  workers->context = context;
  meet(pool);
  body(context, 0);
  meet(pool);
}
struct worker { struct workers *workers; int part; };
static void *work(void *argument) {
  struct worker *const worker = argument;
  struct workers *const workers = worker->workers;
  for (;;) {
    meet(&workers->pool);
    workers->body(workers->context, worker->part);
    meet(&workers->pool);
  }
  return NULL;
}
static struct workers *all;
__attribute__((visibility("default"))) struct vibe_rl_pool *vibe_rl_pool(int threads) {
  for (struct workers *known = all; known != NULL; known = known->next)
    if (known->pool.threads == threads) return &known->pool;
  struct workers *const workers = aligned_alloc(128, (sizeof(struct workers) + 127) / 128 * 128);
  if (workers == NULL) return NULL;
  *workers = (struct workers){.pool = {threads, run, meet}, .next = all};
  pthread_mutex_init(&workers->meeting.mutex, NULL);
  pthread_cond_init(&workers->meeting.changed, NULL);
  for (int part = 1; part < threads; ++part) {
    struct worker *const worker = malloc(sizeof(struct worker));
    pthread_t thread;
    if (worker == NULL) return NULL;
    *worker = (struct worker){workers, part};
    if (pthread_create(&thread, NULL, work, worker) != 0) return NULL;
    pthread_detach(thread);
  }
  all = workers;
  return &workers->pool;
}
`;
