// A CUDA driver without a GPU, for tests. Device memory is malloc's, under other addresses. What goes into a stream is done
// when somebody asks for the stream, one thing at a time. "Linking" puts a word before the text, and a launch does what
// lines of the text say:
//   @add FROM TO COUNT    float32 at address TO += those at FROM
//   @call NUMBER          calls the function of fake_calls, which may add messages; -1 - N has it make the memory what it
//                         was at message N, or at the end
//   @message NUMBER       has a message printed, and waits until it was
//   @time ADDRESS CYCLES  adds cycles and one to the two words of 64 bits at an address
//   @status CODE          fails like this while it runs
//   @kernel NUMBER        notes the number of a kernel where the host can see it
// Linking says no to a text with @syntax.
// Settings and counters are named numbers, from the variable FAKE_CUDA ("devices=0 major=7") and by fake_set.
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef int Status;
enum { SUCCESS = 0, INVALID_VALUE = 1, OUT_OF_MEMORY = 2, NOT_READY = 600, TOO_LARGE = 720, INVALID_CLUSTER = 912 };

static struct { const char *name; int64_t value; } numbers[] = {
  // settings
  {"init", 0}, {"version", 13000}, {"devices", 1}, {"countStatus", 0}, {"major", 9}, {"minor", 0}, {"cooperative", 1},
  {"timeLimit", 0}, {"shared", 232448}, {"multiprocessors", 4}, {"totalBytes", 1 << 30}, {"linkStatus", 0},
  {"flagsStatus", 0}, {"blocksEach", 2}, {"attributeStatus", 0}, {"clusters", 0}, {"held", 0},
  // counters
  {"liveBytes", 0}, {"allocations", 0}, {"links", 0}, {"launches", 0}, {"cooperativeLaunches", 0}, {"modules", 0},
  {"toDevice", 0}, {"toHost", 0}, {"bytesToDevice", 0}, {"bytesToHost", 0}, {"waits", 0}, {"sharedAsked", 0}, {"device", -1},
  {"largeClusters", 0}, {"clusterLaunches", 0}, {"contexts", 0}, {"linksAside", 0}, {"linksOfNothing", 0}, {"registersAsked", 0},
};

static int64_t *number(const char *name) {
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
    if (strcmp(numbers[i].name, name) == 0) return &numbers[i].value;
  fprintf(stderr, "fake driver: there is no number %s\n", name);
  abort();
}
void fake_set(const char *name, int64_t value) { *number(name) = value; }
int64_t fake_get(const char *name) { return *number(name); }

typedef int (*Callback)(int program, void *memory, int32_t *messages);
static Callback callback;
void fake_calls(Callback call) { callback = call; }

// ---- memory

#define OFFSET ((uint64_t)1 << 56)
enum { MOST = 4096, MOST_MESSAGES = 64 };
typedef struct { char *start; uint64_t size; } Piece;
static Piece device_pieces[MOST], host_pieces[MOST];

static int holds(const Piece *pieces, const char *at, uint64_t size) {
  for (int i = 0; i < MOST; i++)
    if (pieces[i].start && at >= pieces[i].start && at + size <= pieces[i].start + pieces[i].size) return 1;
  return 0;
}
static char *add_piece(Piece *pieces, uint64_t size) {
  for (int i = 0; i < MOST; i++) {
    if (pieces[i].start) continue;
    pieces[i].size = size;
    return pieces[i].start = aligned_alloc(256, (size + 255) / 256 * 256);
  }
  return NULL;
}
static char *memory_at(uint64_t address) { return (char *)(uintptr_t)(address - OFFSET); }

// ---- streams

typedef struct { char *text; } Module;
typedef struct {
  enum { COPY, FILL, LAUNCH } kind;
  char *to; const char *from; uint64_t size; int value;
  Module *module; char *memory; int32_t *control; int32_t *host;
  int has_run, is_called, looks, messages, next; int32_t message[MOST_MESSAGES];
} Operation;
typedef struct { Operation *queue[MOST]; int first, count; } Stream;
static Status lost;
/** Programs that have begun and not ended; what waits for them while they wait for the host waits for ever. */
static int running;
static void need_idle(const char *what) {
  if (!running || lost) return;
  fprintf(stderr, "fake driver: %s while a program runs would wait for ever\n", what);
  abort();
}

static Status enqueue(Stream *stream, Operation operation) {
  if (lost) return lost;
  if (stream->count == MOST) abort();
  Operation *kept = malloc(sizeof *kept);
  *kept = operation;
  stream->queue[(stream->first + stream->count++) % MOST] = kept;
  return SUCCESS;
}

/** Runs the program of an operation, up to its first message. */
static void run(Operation *operation) {
  for (char *line = strstr(operation->module->text, "@"); line; line = strstr(line + 1, "@")) {
    unsigned long long from, to, count;
    int code;
    if (sscanf(line, "@add %llu %llu %llu", &from, &to, &count) == 3) {
      float *a = (float *)(operation->memory + from), *b = (float *)(operation->memory + to);
      for (unsigned long long i = 0; i < count; i++) b[i] += a[i];
    } else if (sscanf(line, "@call %d", &code) == 1) {
      operation->is_called = 1;
      operation->messages += callback(code, operation->memory, operation->message + operation->messages);
    } else if (sscanf(line, "@time %llu %llu", &from, &count) == 2) {
      uint64_t *words = (uint64_t *)(operation->memory + from);
      words[0] += count;
      words[1]++;
    } else if (sscanf(line, "@message %d", &code) == 1) {
      operation->message[operation->messages++] = code;
    } else if (sscanf(line, "@looks %d", &code) == 1) {
      // So many looks see that it has not ended.
      operation->looks = code;
    } else if (sscanf(line, "@kernel %d", &code) == 1) {
      operation->host[1] = code;
    } else if (sscanf(line, "@status %d", &code) == 1) {
      lost = code;
    }
  }
}

/** One thing that is to be done; NOT_READY if there may be more. */
static Status step(Stream *stream) {
  if (lost) return lost;
  if (stream->count == 0) return SUCCESS;
  Operation *operation = stream->queue[stream->first];
  if (operation->kind == COPY) memcpy(operation->to, operation->from, operation->size);
  if (operation->kind == FILL) memset(operation->to, operation->value, operation->size);
  if (operation->kind == LAUNCH) {
    if (!operation->has_run) {
      // The host has cleared the words, and blocks have left their counters as they were.
      if (operation->host[0] != 0 || operation->control[0] != 7 * operation->control[1]) lost = 719;
      operation->control[1]++;
      operation->control[0] = 7 * operation->control[1];
      run(operation);
      operation->has_run = 1;
      running++;
      if (lost) return lost;
    }
    if (operation->host[0] != 0 || operation->looks-- > 0 || *number("held")) return NOT_READY;
    if (operation->is_called && operation->messages > 0) callback(-1 - operation->next, operation->memory, NULL);
    if (operation->next < operation->messages) {
      operation->host[0] = operation->message[operation->next++] + 1;
      return NOT_READY;
    }
    running--;
  }
  free(operation);
  stream->first = (stream->first + 1) % MOST;
  stream->count--;
  return NOT_READY;
}
Status cuStreamCreate(Stream **stream, unsigned flags) { return (*stream = calloc(1, sizeof **stream)) && flags == 1 ? SUCCESS : INVALID_VALUE; }
Status cuStreamQuery(Stream *stream) { return step(stream); }
Status cuStreamSynchronize(Stream *stream) {
  ++*number("waits");
  for (int tries = 0; tries < 100000; tries++) {
    Status status = step(stream);
    if (status != NOT_READY) return status;
  }
  return 999;
}

// ---- errors

static const struct { int code; const char *name, *text; } errors[] = {
  {1, "CUDA_ERROR_INVALID_VALUE", "invalid argument"}, {2, "CUDA_ERROR_OUT_OF_MEMORY", "out of memory"},
  {100, "CUDA_ERROR_NO_DEVICE", "no CUDA-capable device is detected"},
  {218, "CUDA_ERROR_INVALID_PTX", "a PTX JIT compilation failed"},
  {222, "CUDA_ERROR_UNSUPPORTED_PTX_VERSION", "the provided PTX was compiled with an unsupported toolchain."},
  {500, "CUDA_ERROR_NOT_FOUND", "named symbol not found"},
  {700, "CUDA_ERROR_ILLEGAL_ADDRESS", "an illegal memory access was encountered"},
  {702, "CUDA_ERROR_LAUNCH_TIMEOUT", "the launch timed out and was terminated"},
  {719, "CUDA_ERROR_LAUNCH_FAILED", "unspecified launch failure"},
  {720, "CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE", "too many blocks in cooperative launch"},
  {912, "CUDA_ERROR_INVALID_CLUSTER_SIZE", "invalid cluster size"},
  {803, "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH", "system has unsupported display driver / cuda driver combination"},
};
static Status word_of(int code, const char **found, int is_name) {
  *found = NULL;
  for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
    if (errors[i].code == code) *found = is_name ? errors[i].name : errors[i].text;
  return *found ? SUCCESS : INVALID_VALUE;
}
Status cuGetErrorName(int code, const char **name) { return word_of(code, name, 1); }
Status cuGetErrorString(int code, const char **text) { return word_of(code, text, 0); }

// ---- devices

Status cuInit(unsigned flags) {
  const char *settings = getenv("FAKE_CUDA");
  char name[64];
  long long value;
  for (int length; settings && sscanf(settings, " %63[a-zA-Z]=%lld%n", name, &value, &length) == 2; settings += length)
    fake_set(name, value);
  return flags ? INVALID_VALUE : (Status)*number("init");
}
Status cuDriverGetVersion(int *version) { return *version = (int)*number("version"), SUCCESS; }
Status cuDeviceGetCount(int *count) { return *count = (int)*number("devices"), (Status)*number("countStatus"); }
Status cuDeviceGet(int *device, int ordinal) { return *device = ordinal + 10, SUCCESS; }
Status cuDeviceGetName(char *name, int size, int device) { return snprintf(name, (size_t)size, "Fake GPU %d", device - 10), SUCCESS; }
Status cuDeviceGetAttribute(int *value, int attribute, int device) {
  const char *name = attribute == 16 ? "multiprocessors" : attribute == 17 ? "timeLimit" : attribute == 75 ? "major"
    : attribute == 76 ? "minor" : attribute == 95 ? "cooperative" : attribute == 97 ? "shared"
    : attribute == 120 ? "clusters" : NULL;
  if (!name || device < 10) return INVALID_VALUE;
  return *value = (int)*number(name), (Status)*number("attributeStatus");
}
Status cuDevicePrimaryCtxSetFlags_v2(int device, unsigned flags) { return flags == 4 && device >= 10 ? (Status)*number("flagsStatus") : INVALID_VALUE; }
Status cuDevicePrimaryCtxRetain(uint64_t *context, int device) {
  ++*number("contexts");
  return *context = 5, *number("device") = device - 10, SUCCESS;
}
Status cuCtxSetCurrent(uint64_t context) { return context == 5 ? SUCCESS : INVALID_VALUE; }

Status cuMemGetInfo_v2(uint64_t *free_bytes, uint64_t *total) {
  *total = (uint64_t)*number("totalBytes");
  *free_bytes = *total - (uint64_t)*number("liveBytes");
  return SUCCESS;
}
Status cuMemAlloc_v2(uint64_t *address, uint64_t size) {
  need_idle("cuMemAlloc");
  if (lost) return lost;
  if ((uint64_t)(*number("totalBytes") - *number("liveBytes")) < size) return OUT_OF_MEMORY;
  char *start = add_piece(device_pieces, size);
  memset(start, 0xff, size);
  *number("liveBytes") += (int64_t)size;
  ++*number("allocations");
  return *address = (uint64_t)(uintptr_t)start + OFFSET, SUCCESS;
}
Status cuMemFree_v2(uint64_t address) {
  need_idle("cuMemFree");
  for (int i = 0; i < MOST; i++) {
    if (!device_pieces[i].start || device_pieces[i].start != memory_at(address)) continue;
    *number("liveBytes") -= (int64_t)device_pieces[i].size;
    free(device_pieces[i].start);
    device_pieces[i].start = NULL;
    return SUCCESS;
  }
  return INVALID_VALUE;
}
Status cuMemHostAlloc(char **start, uint64_t size, unsigned flags) {
  need_idle("cuMemHostAlloc");
  return (*start = add_piece(host_pieces, size)) && flags == 3 ? SUCCESS : INVALID_VALUE;
}
Status cuMemHostGetDevicePointer_v2(uint64_t *address, char *start, unsigned flags) {
  return *address = (uint64_t)(uintptr_t)start + OFFSET, !flags && holds(host_pieces, start, 1) ? SUCCESS : INVALID_VALUE;
}
Status cuMemsetD8Async(uint64_t to, unsigned char value, uint64_t size, Stream *stream) {
  if (!holds(device_pieces, memory_at(to), size)) return INVALID_VALUE;
  return enqueue(stream, (Operation){.kind = FILL, .to = memory_at(to), .size = size, .value = value});
}
Status cuMemcpyHtoDAsync_v2(uint64_t to, const char *from, uint64_t size, Stream *stream) {
  if (!holds(device_pieces, memory_at(to), size) || !holds(host_pieces, from, size)) return INVALID_VALUE;
  ++*number("toDevice");
  *number("bytesToDevice") += (int64_t)size;
  return enqueue(stream, (Operation){.kind = COPY, .to = memory_at(to), .from = from, .size = size});
}
Status cuMemcpyDtoHAsync_v2(char *to, uint64_t from, uint64_t size, Stream *stream) {
  if (!holds(device_pieces, memory_at(from), size) || !holds(host_pieces, to, size)) return INVALID_VALUE;
  ++*number("toHost");
  *number("bytesToHost") += (int64_t)size;
  return enqueue(stream, (Operation){.kind = COPY, .to = to, .from = memory_at(from), .size = size});
}

// ---- programs

typedef struct { char *log; uint64_t log_size; char *text; } Linker;
static pthread_t loader;
__attribute__((constructor)) static void note_loader(void) { loader = pthread_self(); }
static const char magic[] = "CUBIN ";

Status cuLinkCreate_v2(unsigned count, const int *options, void **values, Linker **linker) {
  // How many threads are to compile functions is known from CUDA 13.0 on.
  if (count != (options[count - 1] == 34 ? 4 : 2) || options[0] != 5 || options[1] != 6) return INVALID_VALUE;
  if (count == 4 && (options[2] != 0 || values[3] || *number("version") < 13000)) return INVALID_VALUE;
  *number("registersAsked") = count == 4 ? (int64_t)(uintptr_t)values[2] : 0;
  *linker = calloc(1, sizeof **linker);
  (*linker)->log = values[0];
  (*linker)->log_size = (uint64_t)(uintptr_t)values[1];
  return SUCCESS;
}
Status cuLinkAddData_v2(Linker *linker, int type, const char *data, uint64_t size, const char *name, unsigned count, void *options, void *values) {
  if (type != 1 || data[size - 1] != 0 || !name || count || options || values) return INVALID_VALUE;
  int isNothing = strstr(data, ".entry nothing(") != NULL;
  ++*number(isNothing ? "linksOfNothing" : "links");
  if (!isNothing && !pthread_equal(pthread_self(), loader)) ++*number("linksAside");
  if (strstr(data, "@syntax")) {
    snprintf(linker->log, linker->log_size, "ptxas %s, line 7; fatal: Parsing error near '@syntax'\n", name);
    return 218;
  }
  if (*number("linkStatus")) return (Status)*number("linkStatus");
  linker->text = malloc(sizeof magic + size);
  sprintf(linker->text, "%s%s", magic, data);
  return SUCCESS;
}
Status cuLinkComplete(Linker *linker, char **code, uint64_t *size) { return *code = linker->text, *size = strlen(linker->text) + 1, SUCCESS; }
Status cuLinkDestroy(Linker *linker) {
  // Who still looks there sees it, and who took the log away feels it.
  memset(linker->log + linker->log_size - 8, 0, 8);
  if (linker->text) memset(linker->text, '?', strlen(linker->text));
  return free(linker->text), free(linker), SUCCESS;
}
Status cuModuleLoadData(Module **module, const char *code) {
  need_idle("cuModuleLoadData");
  if (lost) return lost;
  if (strncmp(code, magic, strlen(magic)) != 0) return 200;
  *module = malloc(sizeof **module);
  (*module)->text = strdup(code);
  return ++*number("modules"), SUCCESS;
}
Status cuModuleUnload(Module *module) { return free(module->text), free(module), --*number("modules"), SUCCESS; }
Status cuModuleGetFunction(Module **function, Module *module, const char *name) {
  return *function = module, strcmp(name, "vibe_rl_run") == 0 && !strstr(module->text, "@nameless") ? SUCCESS : 500;
}
Status cuFuncSetAttribute(Module *function, int attribute, int value) {
  if (attribute == 14 && function) return *number("largeClusters") = value, SUCCESS;
  if (attribute != 8 || !function || value > *number("shared")) return INVALID_VALUE;
  return *number("sharedAsked") = value, SUCCESS;
}
Status cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, Module *function, int threads, uint64_t shared) {
  return *blocks = (int)*number("blocksEach"), function && threads && shared < 1 << 20 ? SUCCESS : INVALID_VALUE;
}
static Status launch(Module *function, unsigned shared, Stream *stream, uint64_t **parameters) {
  uint64_t memory = *parameters[0], control = *parameters[1], host = *parameters[2];
  if (memory % 256 || !holds(device_pieces, memory_at(memory), 1) || !holds(device_pieces, memory_at(control), 256)
      || !holds(host_pieces, memory_at(host), 64) || (shared > 48 * 1024 && shared > *number("sharedAsked")))
    return INVALID_VALUE;
  return enqueue(stream, (Operation){.kind = LAUNCH, .module = function, .memory = memory_at(memory),
    .control = (int32_t *)memory_at(control), .host = (int32_t *)memory_at(host)});
}
Status cuLaunchKernel(Module *function, unsigned x, unsigned y, unsigned z, unsigned threads, unsigned ty, unsigned tz,
    unsigned shared, Stream *stream, uint64_t **parameters, void *extra) {
  if (y != 1 || z != 1 || !threads || ty != 1 || tz != 1 || extra) return INVALID_VALUE;
  // Blocks that are started together are a cluster.
  if (x > 1 && !*number("clusters")) return INVALID_VALUE;
  if (x > 8 && !*number("largeClusters")) return INVALID_CLUSTER;
  if (x > *number("multiprocessors")) return INVALID_CLUSTER;
  ++*number(x > 1 ? "clusterLaunches" : "launches");
  return launch(function, shared, stream, parameters);
}
Status cuLaunchCooperativeKernel(Module *function, unsigned x, unsigned y, unsigned z, unsigned threads, unsigned ty,
    unsigned tz, unsigned shared, Stream *stream, uint64_t **parameters) {
  if (y != 1 || z != 1 || !threads || ty != 1 || tz != 1) return INVALID_VALUE;
  if (x > *number("multiprocessors") * *number("blocksEach")) return TOO_LARGE;
  ++*number("cooperativeLaunches");
  return launch(function, shared, stream, parameters);
}
