// A PJRT plugin without a device, for tests. Memory is malloc's. "Compiling" counts the results of @main, and a run copies the
// arguments to the results, one to each; where an argument may be overwritten, its memory becomes the result's. The text decides what goes wrong:
// "refused" in it cannot be compiled, "full" runs out of memory as long as there are more buffers than the number "room"; arguments do
// not fit as long as there are more than "sendRoom". What is compiled can be written down, unless "writes" is 0, and is read by who has the same "make".
// A text with "patient" is compiled when another thread has compiled something.
// Settings and counters are named numbers, by fake_set and fake_get.
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static pthread_t loader;
__attribute__((constructor)) static void note_loader(void) { loader = pthread_self(); }

static struct { const char *name; int64_t value; } numbers[] = {
  {"major", 0}, {"minor", 115}, {"devices", 1}, {"createStatus", 0}, {"holes", 0}, {"room", 1 << 30},
  {"buffers", 0}, {"events", 0}, {"sent", 0}, {"fetched", 0}, {"runs", 0}, {"options", 0}, {"failFetch", 0}, {"nodes", 1}, {"getMs", 20000},
  {"sendRoom", 1 << 30}, {"compiled", 0}, {"loaded", 0}, {"make", 1}, {"writes", 1}, {"failRun", 0}, {"isCuda", 0}, {"compileRoom", 0}, {"compileOptions", 0}, {"knows", 1}, {"bytes", 0}, {"limit", 0}, {"temporary", 0}, {"compiledAside", 0}, {"looks", 0},
};
static int64_t *number(const char *name) {
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
    if (strcmp(numbers[i].name, name) == 0) return &numbers[i].value;
  abort();
}
void fake_set(const char *name, int64_t value) { *number(name) = value; }
int64_t fake_get(const char *name) { return *number(name); }

typedef uint64_t Word;
typedef struct { char *message; int code; } Error;
typedef struct { char *bytes; size_t size; } Buffer;
typedef struct { int outputs; int isFull; int aliases[64]; } Program;

static Error *fail(int code, const char *message) {
  Error *error = malloc(sizeof *error);
  *error = (Error){strdup(message), code};
  return error;
}
static Buffer *newBuffer(size_t size) {
  Buffer *buffer = malloc(sizeof *buffer);
  *buffer = (Buffer){malloc(size + 8), size};
  ++*number("buffers");
  *number("bytes") += size;
  return buffer;
}
static Word newEvent(void) { ++*number("events"); return (Word)malloc(8); }

static void *errorDestroy(Word *a) { Error *e = (Error *)a[2]; free(e->message); free(e); return NULL; }
static void *errorMessage(Word *a) { Error *e = (Error *)a[2]; a[3] = (Word)e->message; a[4] = strlen(e->message); return NULL; }
static void *errorCode(Word *a) { *(int *)&a[3] = ((Error *)a[2])->code; return NULL; }
static void *nothing(Word *a) { (void)a; return NULL; }
static void *eventDestroy(Word *a) { --*number("events"); free((void *)a[2]); return NULL; }
/** So many looks from now on see that nothing has happened yet. */
static void *eventIsReady(Word *a) { return a[3] = *number("looks") <= 0, --*number("looks"), NULL; }
static void *eventAwait(Word *a) { (void)a; return *number("failFetch") ? fail(13, "the device was lost") : NULL; }
/** What processes tell each other: every one puts its name, and a thread of its own waits for that of each. */
typedef void *(*Callback)(Word *);
typedef struct { Callback get; Word key[8], arguments[12]; void *error; } Wait;
static Word callbackError;
static void *makeError(int code, const char *message, size_t size) {
  char *copy = strndup(message, size);
  void *error = fail(code, copy);
  free(copy);
  return error;
}
static void *waitFor(void *given) {
  Wait *wait = given;
  Word *a = wait->arguments;
  a[2] = (Word)wait->key, a[3] = strlen((char *)wait->key), *(int *)&a[4] = *number("getMs"), a[5] = (Word)&callbackError;
  wait->error = wait->get(a);
  return NULL;
}
static void *meet(Callback get, Callback tryGet, Callback put, int node, int nodes) {
  callbackError = (Word)makeError;
  char key[32], value[32];
  Word missing[12] = {0, 0, (Word) "nothing", 7, (Word)&callbackError};
  if (tryGet(missing) == NULL) return fail(13, "there was something");
  sprintf(key, "node %d", node), sprintf(value, "process %d", node);
  Word a[8] = {0, 0, (Word)key, strlen(key), (Word)value, strlen(value), (Word)&callbackError};
  put(a);
  Wait waits[8] = {0};
  pthread_t threads[8];
  for (int i = 0; i < nodes; i++) {
    waits[i].get = get;
    sprintf((char *)waits[i].key, "node %d", i);
    pthread_create(&threads[i], NULL, waitFor, &waits[i]);
  }
  void *error = NULL;
  for (int i = 0; i < nodes; i++) {
    pthread_join(threads[i], NULL);
    Word *got = waits[i].arguments;
    sprintf(value, "process %d", i);
    if (waits[i].error) error = waits[i].error;
    else if (got[8] != strlen(value) || memcmp((char *)got[7], value, got[8])) error = fail(13, "another value");
    else ((void (*)(Word))got[9])(got[7]);
  }
  return error;
}
static void *clientCreate(Word *a) {
  *number("options") = a[3];
  if (*number("createStatus")) return fail(*number("createStatus"), "no device was found");
  int node = 0, nodes = 1;
  for (Word i = 0; i < a[3]; i++) {
    Word *option = (Word *)(a[2] + 56 * i);
    if (strncmp((char *)option[2], "node_id", option[3]) == 0) node = option[5];
    if (strncmp((char *)option[2], "num_nodes", option[3]) == 0) nodes = option[5];
  }
  *number("nodes") = nodes;
  a[8] = 1;
  return nodes == 1 ? NULL : meet((Callback)a[4], (Callback)a[9], (Callback)a[6], node, nodes);
}
static void *allDevices(Word *a) { a[4] = *number("devices") * *number("nodes"); return NULL; }
static void *platformName(Word *a) { a[3] = (Word)(*number("isCuda") ? "cuda" : "fake"); a[4] = 4; return NULL; }
static void *devices(Word *a) {
  static Word list[8] = {101, 102, 103, 104, 105, 106, 107, 108};
  a[3] = (Word)list;
  a[4] = *number("devices");
  return NULL;
}
static void *description(Word *a) { a[3] = a[2]; return NULL; }
static void *deviceId(Word *a) { *(int *)&a[3] = a[2] - 101; return NULL; }
static void *deviceKind(Word *a) { a[3] = (Word) "Fake 9000"; a[4] = 9; return NULL; }
/** A program as bytes: who made it, and what it is. */
typedef struct { int64_t make; Program program; } Written;
static void freeWritten(void *written) { free(written); }
static void *serialize(Word *a) {
  if (!*number("writes")) return fail(12, "this plugin writes nothing down");
  Written *written = malloc(sizeof *written);
  *written = (Written){*number("make"), *(Program *)a[2]};
  a[3] = a[5] = (Word)written, a[4] = sizeof *written, a[6] = (Word)freeWritten;
  return NULL;
}
static void *deserialize(Word *a) {
  Written *written = (Written *)a[3];
  if (a[4] != sizeof *written || written->make != *number("make")) return fail(3, "this is of another make");
  Program *program = malloc(sizeof *program);
  *program = written->program;
  ++*number("loaded");
  a[5] = (Word)program;
  return NULL;
}
static void *compile(Word *a) {
  Word *given = (Word *)a[3];
  if (*number("compileRoom") && *number("buffers") > *number("compileRoom")) return fail(8, "Out of memory while trying kernels out");
  char *text = strndup((char *)given[2], given[3]);
  if (a[5] < 6 || memcmp((char *)given[4], "mlir", 4) != 0) return fail(3, "no options, or no format");
  if (strstr(text, "refused")) return fail(3, "error: this text is refused");
  if (a[5] > 40 && !*number("knows")) return fail(3, "No such compile option: 'xla_gpu_experimental_enable_fusion_autotuner'");
  *number("compileOptions") = a[5];
  ++*number("compiled");
  if (!pthread_equal(pthread_self(), loader)) ++*number("compiledAside");
  for (int ms = 0; strstr(text, "patient") && !*(volatile int64_t *)number("compiledAside") && ms < 30000; ms++) usleep(1000);
  Program *program = calloc(1, sizeof *program);
  char *head = strstr(text, "@main"), *end = strchr(head, '\n'), *arrow = strstr(head, ") -> ");
  for (char *at = arrow; (at = strstr(at, "tensor<")) && at < end; at++) program->outputs++;
  int argument = 0;
  for (char *at = head; (at = strstr(at, "%arg")) && at < arrow; at++, argument++) {
    char *next = strstr(at + 1, "%arg"), *alias = strstr(at, "tf.aliasing_output = ");
    int is = alias && alias < arrow && (!next || alias < next);
    program->aliases[argument] = is ? atoi(alias + 21) : -1;
  }
  program->isFull = strstr(text, "full") != NULL;
  free(text);
  a[6] = (Word)program;
  return NULL;
}
static void *getExecutable(Word *a) { a[3] = a[2]; return NULL; }
static void *compiledMemory(Word *a) { a[7] = *number("temporary"); return NULL; }
static void *memoryStats(Word *a) {
  if (!*number("limit")) return fail(12, "this plugin does not count");
  a[3] = *number("bytes"), a[10] = *number("limit"), a[11] = 1;
  return NULL;
}
static void *numOutputs(Word *a) { a[3] = ((Program *)a[2])->outputs; return NULL; }
static void *send(Word *a) {
  if (*number("buffers") > *number("sendRoom"))
    return fail(8, "RESOURCE_EXHAUSTED: Out of memory while trying to allocate an argument");
  size_t bytes = 1;
  int type = *(int *)&a[4];
  for (Word i = 0; i < a[6]; i++) bytes *= ((int64_t *)a[5])[i];
  bytes *= type == 1 || type == 6 ? 1 : 4;
  Buffer *buffer = newBuffer(bytes);
  memcpy(buffer->bytes, (void *)a[3], bytes);
  ++*number("sent");
  a[13] = newEvent();
  a[14] = (Word)buffer;
  return NULL;
}
static int isSpared(Word *options, int at) {
  int64_t *list = (int64_t *)options[7];
  for (Word i = 0; i < options[8]; i++)
    if (list[i] == at) return 1;
  return 0;
}
static void *execute(Word *a) {
  Program *program = (Program *)a[2];
  if (*number("failRun")) return fail(13, "the device was lost");
  if (program->isFull && *number("buffers") > *number("room"))
    return fail(8, "RESOURCE_EXHAUSTED: Out of memory while trying to allocate 1 bytes");
  ++*number("runs");
  for (Word device = 0; device < a[5]; device++) {
    Buffer **given = ((Buffer ***)a[4])[device];
    Word *results = ((Word **)a[7])[device];
    for (int i = 0; i < program->outputs; i++) {
      Buffer *from = given[i % a[6]];
      if (from->bytes == NULL) return fail(3, "Buffer has been deleted or donated");
      Buffer *to = newBuffer(from->size);
      memcpy(to->bytes, from->bytes, from->size);
      results[i] = (Word)to;
    }
    for (Word i = 0; i < a[6]; i++) {
      if (program->aliases[i] < 0 || isSpared((Word *)a[3], i)) continue;
      free(given[i]->bytes);
      given[i]->bytes = NULL;
    }
  }
  return NULL;
}
static void *bufferDestroy(Word *a) {
  Buffer *buffer = (Buffer *)a[2];
  *number("bytes") -= buffer->size;
  free(buffer->bytes);
  free(buffer);
  --*number("buffers");
  return NULL;
}
static void *fetch(Word *a) {
  Buffer *buffer = (Buffer *)a[2];
  if (buffer->bytes == NULL) return fail(3, "Buffer has been deleted or donated");
  if (a[5] < buffer->size) return fail(3, "`dst_size` is too small");
  memcpy((void *)a[4], buffer->bytes, buffer->size);
  ++*number("fetched");
  a[6] = newEvent();
  return NULL;
}
static void *bufferReadyEvent(Word *a) {
  if (((Buffer *)a[2])->bytes == NULL) return fail(3, "Buffer has been deleted or donated");
  return a[3] = newEvent(), NULL;
}

/** The table: its size, extensions, the version (a structure of its own), functions in the order of the C interface. */
static Word table[5 + 97];
void *GetPjrtApi(void) {
  void *(*functions[97])(Word *) = {
    [0] = errorDestroy, [1] = errorMessage, [2] = errorCode, [3] = nothing, [5] = eventDestroy, [6] = eventIsReady, [8] = eventAwait,
    [10] = clientCreate, [11] = nothing, [12] = platformName, [14] = platformName, [15] = allDevices, [16] = devices, [20] = compile,
    [22] = send, [23] = deviceId, [26] = deviceKind, [29] = description, [40] = nothing, [44] = numOutputs,
    [49] = serialize, [56] = deserialize, [50] = nothing, [51] = getExecutable, [55] = execute, [58] = bufferDestroy, [70] = fetch, [72] = bufferReadyEvent, [34] = memoryStats, [96] = compiledMemory,
  };
  if (*number("holes")) functions[70] = NULL;
  table[0] = sizeof table;
  ((int *)table)[8] = *number("major");
  ((int *)table)[9] = *number("minor");
  memcpy(table + 5, functions, sizeof functions);
  return table;
}
