/* What the measuring program asks of a machine: a counter, which processor it runs on, and to run a row. */
#ifndef NEONSIM_BOARD_H
#define NEONSIM_BOARD_H

#include <stddef.h>
#include <stdint.h>

enum { NEONSIM_TURN, NEONSIM_CALL, NEONSIM_LOAD, NEONSIM_BYTE };

/* One thing to measure. */
struct neonsim_row {
  const char *name;
  int unit;                                   /* of the enum above */
  void (*run)(uint64_t turns, void *scratch); /* n turns (calls) of it; of memory rows NULL */
  size_t bytes;                               /* of memory rows: how large */
  double per;                                 /* loads (bytes) a turn of memory rows, else 1 */
  int (*check)(void);                         /* of kernels: 0 if the bytes are right; else NULL */
};

extern const struct neonsim_row neonsim_rows[];
extern const size_t neonsim_row_count;

struct neonsim_machine {
  char system[64], release[64], model[96], compiler[64];
  const char *isa;
  uint32_t midr; /* 0: not told */
  unsigned cpus;
  int emulated; /* this is no board */
};

/* Opens a clock: "perf", "pmccntr", "time", or NULL for the best there is. Returns its name, or NULL with a sentence in
   *why. */
const char *neonsim_open_clock(const char *wanted, const char **why);
uint64_t neonsim_ticks(void);     /* of that clock */
double neonsim_nanoseconds(void); /* of the system's */
int neonsim_cpu(void);            /* on which this thread runs, -1 if unknown */
int neonsim_pin(int cpu);         /* 0 if it may run there only from now on */
void neonsim_describe(struct neonsim_machine *machine);
void neonsim_adds(uint64_t turns);                              /* the chain of additions */
int neonsim_run(const struct neonsim_row *row, uint64_t turns); /* 0, or not to be had on this core */

#endif
