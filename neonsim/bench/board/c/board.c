/* A real machine: Linux on AArch64 and AArch32, macOS on AArch64. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "board.h"

#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#if defined(__linux__)
#include <linux/perf_event.h>
#include <sched.h>
#include <sys/auxv.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#elif defined(__APPLE__)
#include <sys/sysctl.h>
#endif

void neonsim_chase(uint64_t turns, void *first); /* eight loads of a chain a turn */
void neonsim_read(uint64_t turns, void *memory); /* 64 bytes a turn */
void neonsim_fill(uint64_t turns, void *memory);
void neonsim_copy(uint64_t turns, void *memory, void *source);
void neonsim_add_chain(uint64_t turns);

/* ---- instructions that a core has not */

static sigjmp_buf back;

static void illegal(int signal) {
  (void)signal;
  siglongjmp(back, 1);
}

/* 1 if it is an instruction that this core has not. */
static int trapped(void (*run)(void *), void *with) {
  struct sigaction ours, before;
  memset(&ours, 0, sizeof ours);
  ours.sa_handler = illegal;
  sigaction(SIGILL, &ours, &before);
  int trapped = sigsetjmp(back, 1);
  if (!trapped)
    run(with);
  sigaction(SIGILL, &before, NULL);
  return trapped;
}

/* ---- clocks */

enum { PERF, PMCCNTR, TIME };
static int method = TIME, perf = -1;

double neonsim_nanoseconds(void) {
  struct timespec now;
#if defined(CLOCK_MONOTONIC_RAW)
  clock_gettime(CLOCK_MONOTONIC_RAW, &now);
#else
  clock_gettime(CLOCK_MONOTONIC, &now);
#endif
  return 1e9 * (double)now.tv_sec + (double)now.tv_nsec;
}

static uint64_t cycle_counter(void) {
  uint64_t value = 0;
#if defined(__linux__) && defined(__aarch64__)
  __asm__ volatile("isb\n mrs %0, pmccntr_el0" : "=r"(value));
#elif defined(__linux__) && defined(__arm__)
  static uint32_t last; /* the counter has 32 bits, and is read often enough to see each time it begins anew */
  static uint64_t begun;
  uint32_t low;
  __asm__ volatile("isb\n mrc p15, 0, %0, c9, c13, 0" : "=r"(low));
  begun += (uint64_t)(low < last) << 32;
  last = low;
  value = begun + low;
#endif
  return value;
}

static void try_counter(void *value) { *(uint64_t *)value = cycle_counter(); }

static int open_perf(void) {
#if defined(__linux__)
  struct perf_event_attr what;
  memset(&what, 0, sizeof what);
  what.size = sizeof what;
  what.type = PERF_TYPE_HARDWARE;
  what.config = PERF_COUNT_HW_CPU_CYCLES;
  what.exclude_kernel = 1;
  what.exclude_hv = 1;
  perf = (int)syscall(SYS_perf_event_open, &what, 0, -1, -1, 0);
#endif
  return perf >= 0;
}

uint64_t neonsim_ticks(void) {
  uint64_t value = 0;
  if (method == PERF)
    return read(perf, &value, sizeof value) == (ssize_t)sizeof value ? value : 0;
  if (method == PMCCNTR)
    return cycle_counter();
#if defined(__aarch64__) && defined(__linux__)
  __asm__ volatile("isb\n mrs %0, cntvct_el0" : "=r"(value));
  return value;
#else
  return (uint64_t)neonsim_nanoseconds();
#endif
}

/* Whether a clock goes on while additions are made, and so is of use. */
static int goes(void) {
  uint64_t before = neonsim_ticks();
  neonsim_adds(100000);
  return neonsim_ticks() > before;
}

const char *neonsim_open_clock(const char *wanted, const char **why) {
  uint64_t first = 0, second = 0;
  if (wanted && strcmp(wanted, "perf") && strcmp(wanted, "pmccntr") && strcmp(wanted, "time")) {
    *why = "--clock is perf, pmccntr or time.";
    return NULL;
  }
  if (!wanted || !strcmp(wanted, "perf")) {
    method = PERF;
    if (open_perf() && goes())
      return "perf";
    *why = "perf events of cycles cannot be read; allow them (sysctl kernel.perf_event_paranoid=1), or leave --clock "
           "away.";
    if (wanted)
      return NULL;
  }
  if (!wanted || !strcmp(wanted, "pmccntr")) {
    method = PMCCNTR;
    if (!trapped(try_counter, &first) && goes() && !trapped(try_counter, &second) && second != first)
      return "pmccntr";
    *why = "programs may not read PMCCNTR here; leave --clock away.";
    if (wanted)
      return NULL;
  }
  method = TIME;
  if (goes())
    return "time";
  *why = "neither cycles nor time can be read here.";
  return NULL;
}

/* ---- where it runs */

int neonsim_cpu(void) {
#if defined(__linux__)
  return sched_getcpu();
#else
  return -1;
#endif
}

int neonsim_pin(int cpu) {
#if defined(__linux__)
  cpu_set_t set;
  if (cpu >= CPU_SETSIZE)
    return 1;
  CPU_ZERO(&set);
  CPU_SET((size_t)cpu, &set);
  return sched_setaffinity(0, sizeof set, &set) != 0;
#else
  (void)cpu;
  return 1;
#endif
}

/* ---- what it is */

static void read_line(const char *path, char *line, size_t size) {
  FILE *file = fopen(path, "r");
  line[0] = '\0';
  if (!file)
    return;
  size_t count = fread(line, 1, size - 1, file);
  line[count] = '\0';
  line[strcspn(line, "\n")] = '\0';
  fclose(file);
}

#if defined(__linux__) && defined(__aarch64__)
static void read_midr(void *value) {
  uint64_t midr;
  __asm__ volatile("mrs %0, midr_el1" : "=r"(midr));
  *(uint32_t *)value = (uint32_t)midr;
}
#endif

static uint32_t midr_of(int cpu) {
  char path[96], line[32];
  uint32_t midr = 0;
  snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/regs/identification/midr_el1", cpu < 0 ? 0 : cpu);
  read_line(path, line, sizeof line);
  if (line[0])
    midr = (uint32_t)strtoul(line, NULL, 16);
#if defined(__linux__) && defined(__aarch64__)
  if (!midr && trapped(read_midr, &midr))
    midr = 0;
#endif
  return midr;
}

void neonsim_describe(struct neonsim_machine *machine) {
  struct utsname name;
  if (!uname(&name)) {
    snprintf(machine->system, sizeof machine->system, "%.63s", name.sysname);
    snprintf(machine->release, sizeof machine->release, "%.63s", name.release);
  }
  snprintf(machine->compiler, sizeof machine->compiler, "%.63s", __VERSION__);
#if defined(__aarch64__)
  machine->isa = "aarch64";
#else
  machine->isa = "aarch32";
#endif
  machine->cpus = (unsigned)sysconf(_SC_NPROCESSORS_ONLN);
#if defined(__APPLE__)
  size_t size = sizeof machine->model;
  sysctlbyname("machdep.cpu.brand_string", machine->model, &size, NULL, 0);
#else
  char line[64];
  FILE *file;
  read_line("/proc/device-tree/model", machine->model, sizeof machine->model);
  machine->midr = midr_of(neonsim_cpu());
  /* QEMU in user mode shows the processor of its host, or one of software (implementer 0). */
  file = fopen("/proc/cpuinfo", "r");
  while (file && fgets(line, sizeof line, file))
    machine->emulated |= !strncmp(line, "vendor_id", 9);
  if (file)
    fclose(file);
  machine->emulated |= machine->midr && machine->midr >> 24 == 0;
#endif
}

/* ---- rows */

void neonsim_adds(uint64_t turns) { neonsim_add_chain(turns); }

static unsigned char *arena;
static size_t arena_bytes, chased, reached;
static uint64_t scratch[64] __attribute__((aligned(64)));

struct one {
  const struct neonsim_row *row;
  uint64_t turns;
};

/* Lines of the first `bytes` in a ring, in an order without a pattern (every line once). */
static void link_lines(size_t bytes) {
  const size_t lines = bytes / 64;
  uint32_t *order = malloc(lines * sizeof *order);
  uint64_t random = 0x9e3779b97f4a7c15u;
  if (!order)
    abort();
  for (size_t i = 0; i < lines; i++)
    order[i] = (uint32_t)i;
  for (size_t i = lines - 1; i > 0; i--) {
    random = random * 6364136223846793005u + 1442695040888963407u;
    size_t j = (size_t)((random >> 33) % (i + 1));
    uint32_t other = order[i];
    order[i] = order[j];
    order[j] = other;
  }
  for (size_t i = 0; i < lines; i++)
    *(void **)(void *)(arena + 64 * (size_t)order[i]) = arena + 64 * (size_t)order[(i + 1) % lines];
  free(order);
  neonsim_chase(lines / 8 + 1, arena);
  chased = bytes;
}

static void once(void *with) {
  const struct one *one = with;
  const struct neonsim_row *row = one->row;
  if (row->run) {
    row->run(one->turns, scratch);
    return;
  }
  if (row->bytes > arena_bytes) {
    free(arena);
    arena = NULL;
    if (posix_memalign((void **)&arena, 4096, row->bytes))
      abort();
    memset(arena, 1, row->bytes);
    arena_bytes = row->bytes;
    chased = 0;
  }
  if (row->unit == NEONSIM_LOAD) {
    if (chased != row->bytes)
      link_lines(row->bytes);
    neonsim_chase(one->turns, arena);
    return;
  }
  chased = 0;
  /* Streams go on where the last one ended: what was just used is in a cache. */
  const size_t most = (!strcmp(row->name, "copy") ? row->bytes / 2 : row->bytes) / 64;
  for (uint64_t left = one->turns; left;) {
    reached = reached < most ? reached : 0;
    const uint64_t now = left < most - reached ? left : most - reached;
    unsigned char *from = arena + 64 * reached;
    if (!strcmp(row->name, "read"))
      neonsim_read(now, from);
    else if (!strcmp(row->name, "fill"))
      neonsim_fill(now, from);
    else
      neonsim_copy(now, from, from + row->bytes / 2);
    reached += (size_t)now;
    left -= now;
  }
}

int neonsim_run(const struct neonsim_row *row, uint64_t turns) {
  struct one one = {row, turns};
  return trapped(once, &one);
}
