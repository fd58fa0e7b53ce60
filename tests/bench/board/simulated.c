/* A machine that is not there: what the measuring program asks for, answered from the environment.
   NOISE, DRIFT, MOVES (shares), TICKS (a cycle), COUNTER=0: no counter. Linked in place of board.c and table.c. */
#include "board.h"
#include "limits.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double cycles;
static uint64_t random_state = 88172645463325252u;
static int processor;

static double share(const char *name, double without) {
  const char *text = getenv(name);
  return text ? atof(text) : without;
}

static double uniform(void) {
  random_state ^= random_state << 13;
  random_state ^= random_state >> 7;
  random_state ^= random_state << 17;
  return (double)(random_state >> 11) / 9007199254740992.0;
}

static void three(uint64_t turns, void *scratch) {
  (void)scratch;
  cycles += 96.0 * (double)turns * (1 + share("NOISE", 0) * uniform());
  if (uniform() < share("MOVES", 0))
    processor = !processor;
}

static void four(uint64_t turns, void *scratch) {
  (void)scratch;
  cycles += 128.0 * (double)turns * (1 + share("NOISE", 0) * uniform());
}

static int wrong(void) { return getenv("WRONG") != NULL; }

const struct neonsim_row neonsim_rows[] = {
    {"latency add.8h", NEONSIM_TURN, three, 0, 1, NULL},
    {"latency smlal.4s", NEONSIM_TURN, four, 0, 1, NULL},
    {"a kernel 64", NEONSIM_CALL, four, 0, 1, wrong},
};
const size_t neonsim_row_count = 3;

const char *neonsim_open_clock(const char *wanted, const char **why) {
  (void)wanted;
  *why = "this machine has none.";
  return share("COUNTER", 1) != 0 ? "simulated" : NULL;
}

uint64_t neonsim_ticks(void) { return (uint64_t)(cycles * share("TICKS", 1)); }

double neonsim_nanoseconds(void) {
  /* 1 GHz at first; the clock falls as time goes on. */
  return cycles * (1 + share("DRIFT", 0) * cycles / 1e8);
}

int neonsim_cpu(void) { return processor; }

int neonsim_pin(int cpu) { return cpu > 3; }

void neonsim_describe(struct neonsim_machine *machine) {
  strcpy(machine->system, "nowhere \033[2J \"quoted\"");
  machine->isa = "aarch64";
  machine->midr = 0x410fd034;
  machine->cpus = 4;
  machine->emulated = getenv("EMULATED") != NULL;
}

void neonsim_adds(uint64_t turns) { cycles += (double)turns * NEONSIM_ADDS; }

int neonsim_run(const struct neonsim_row *row, uint64_t turns) {
  row->run(turns, NULL);
  return 0;
}
