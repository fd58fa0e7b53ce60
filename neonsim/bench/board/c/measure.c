/* Measures the rows of table.c and writes the samples as JSON. What it takes for a measurement and what it does not is the
   same as in neonsim/bench/board/results.py, from which the numbers in limits.h come; `neonsim cores derive` decides again. */
#include "board.h"
#include "limits.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_ROWS 4096

struct options {
  const char *out;
  const char *clock;
  const char *only;
  int cpu, repeats, emulated;
  double sample; /* microseconds that a sample takes at least */
};

struct result {
  double samples[NEONSIM_MAX_SAMPLES];
  uint64_t turns;
  int count, left_out;
};

static struct result results[MAX_ROWS];
static double reference[NEONSIM_MAX_SAMPLES]; /* MHz before each round */
static double coarsest;
static long taken, migrated;

static int compare(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double median(const double *values, int count) {
  double sorted[NEONSIM_MAX_SAMPLES];
  memcpy(sorted, values, (size_t)count * sizeof *values);
  qsort(sorted, (size_t)count, sizeof *sorted, compare);
  return count % 2 ? sorted[count / 2] : (sorted[count / 2 - 1] + sorted[count / 2]) / 2;
}

static double smallest(const double *values, int count) {
  double found = values[0];
  for (int i = 1; i < count; i++)
    found = values[i] < found ? values[i] : found;
  return found;
}

/* Ticks a cycle, from a chain of additions (NEONSIM_ADDS cycles an iteration on every core); the smallest of three, as everything that disturbs adds time. */
static double ticks_a_cycle(double *mhz) {
  const uint64_t turns = 500;
  double best = 0, ns = 0;
  for (int k = 0; k < 3; k++) {
    double before_ns = neonsim_nanoseconds();
    uint64_t before = neonsim_ticks();
    neonsim_adds(turns);
    double ticks = (double)(neonsim_ticks() - before), took = neonsim_nanoseconds() - before_ns;
    if (!k || ticks < best)
      best = ticks;
    if (!k || took < ns)
      ns = took;
  }
  const double cycles = (double)turns * NEONSIM_ADDS;
  *mhz = ns > 0 ? 1000 * cycles / ns : 0;
  return best / cycles;
}

/* One sample in cycles of the row's unit; negative if the thread was moved meanwhile. */
static double sample(const struct neonsim_row *row, uint64_t turns, double *ticks) {
  double mhz;
  neonsim_run(row, 1); /* what it works on is made, and its code is in the cache */
  double rate = ticks_a_cycle(&mhz);
  int cpu = neonsim_cpu();
  uint64_t before = neonsim_ticks();
  neonsim_run(row, turns);
  *ticks = (double)(neonsim_ticks() - before);
  taken++;
  if (cpu != neonsim_cpu()) {
    migrated++;
    return -1;
  }
  return rate > 0 ? *ticks / rate / ((double)turns * row->per) : 0;
}

/* As many turns as a sample needs to take `microseconds`. */
static uint64_t enough(const struct neonsim_row *row, double microseconds) {
  for (uint64_t turns = 1;; turns *= 2) {
    double before = neonsim_nanoseconds();
    neonsim_run(row, turns);
    double took = neonsim_nanoseconds() - before;
    if (took >= 1000 * microseconds || turns >= (uint64_t)1 << 40)
      return turns;
  }
}

static int wanted(const struct neonsim_row *row, const struct options *options) {
  return !options->only || strstr(row->name, options->only);
}

/* Returns 1 if a kernel gave wrong bytes. */
static int measure(const struct options *options) {
  int wrong = 0;
  coarsest = -1;
  for (size_t i = 0; i < neonsim_row_count; i++) {
    const struct neonsim_row *row = &neonsim_rows[i];
    if (!wanted(row, options) || neonsim_run(row, 1)) {
      results[i].left_out = 1; /* an instruction that this core has not */
      continue;
    }
    if (row->check && row->check()) {
      fprintf(stderr, "%s: other bytes than its definition gives, so it is not measured; please report this.\n", row->name);
      results[i].left_out = wrong = 1;
      continue;
    }
    results[i].turns = enough(row, options->sample);
  }
  /* Round by round, so that what changes with time is spread over all rows alike. */
  for (int round = 0; round < options->repeats; round++) {
    ticks_a_cycle(&reference[round]);
    for (size_t i = 0; i < neonsim_row_count; i++) {
      double ticks, cycles;
      if (results[i].left_out)
        continue;
      cycles = sample(&neonsim_rows[i], results[i].turns, &ticks);
      if (coarsest < 0 || ticks < coarsest)
        coarsest = ticks;
      if (cycles > 0)
        results[i].samples[results[i].count++] = cycles;
    }
  }
  return wrong;
}

/* ---- what is not taken for a measurement, a sentence each; returns how many */

static int refuse(const struct options *options, const char *method, int emulated) {
  int refused = 0, rows = 0, noisy = 0, fewest = -1;
  double low = reference[0], high = reference[0];
  for (size_t i = 0; i < neonsim_row_count; i++) {
    const struct result *one = &results[i];
    if (one->left_out || !one->count)
      continue;
    rows++;
    fewest = fewest < 0 || one->count < fewest ? one->count : fewest;
    noisy += median(one->samples, one->count) > (1 + NEONSIM_NOISE) * smallest(one->samples, one->count);
  }
  for (int k = 1; k < options->repeats; k++) {
    low = reference[k] < low ? reference[k] : low;
    high = reference[k] > high ? reference[k] : high;
  }
  if (emulated)
    refused += fprintf(stderr, "This is an emulator, whose times are not those of a core: run it on a board.\n") > 0;
  if (rows && coarsest < NEONSIM_COARSE)
    refused += fprintf(stderr,
                       "The clock (%s) is too coarse: the shortest sample took %.0f ticks; use a longer "
                       "--sample.\n",
                       method, coarsest) > 0;
  if (fewest < NEONSIM_FEWEST)
    refused += fprintf(stderr, "Too few repetitions: a row has %d samples, %d are needed; use --repeats.\n",
                       fewest < 0 ? 0 : fewest, NEONSIM_FEWEST) > 0;
  if (low > 0 && high > (1 + NEONSIM_DRIFT) * low)
    refused += fprintf(stderr,
                       "The frequency changed (%.0f to %.0f MHz): set the governor to performance, let the "
                       "board cool down.\n",
                       low, high) > 0;
  if ((double)migrated > NEONSIM_MOVED * (double)taken)
    refused += fprintf(stderr, "The thread was moved between processors in %ld of %ld samples: use --cpu.\n", migrated, taken) > 0;
  if (noisy > NEONSIM_NOISY * rows)
    refused += fprintf(stderr, "The noise is too large: %d of %d rows; stop what else runs.\n", noisy, rows) > 0;
  return refused;
}

/* ---- the file */

static void text(FILE *file, const char *value) {
  fputc('"', file);
  for (const unsigned char *c = (const unsigned char *)value; *c; c++)
    fputc(*c < 32 || *c > 126 || *c == '"' || *c == '\\' ? '?' : *c, file);
  fputc('"', file);
}

static int write_file(const struct options *options, const char *method, const struct neonsim_machine *machine) {
  static const char *const units[] = {"cycles an iteration", "cycles a call", "cycles a load", "cycles a byte"};
  const char *separator = "";
  FILE *file = fopen(options->out, "w");
  if (!file) {
    fprintf(stderr, "%s cannot be written: %s\n", options->out, strerror(errno));
    return 1;
  }
  fprintf(file,
          "{\"format\": \"neonsim-measure\", \"version\": %d, \"kind\": \"%s\",\n \"machine\": {\"system\": ", NEONSIM_VERSION,
          machine->emulated ? "emulated" : "measured");
  text(file, machine->system);
  fputs(", \"release\": ", file);
  text(file, machine->release);
  fputs(", \"model\": ", file);
  text(file, machine->model);
  fputs(", \"compiler\": ", file);
  text(file, machine->compiler);
  fprintf(file, ", \"isa\": \"%s\", \"midr\": %lu, \"cpus\": %u, \"cpu\": %d},\n", machine->isa, (unsigned long)machine->midr,
          machine->cpus, options->cpu < 0 ? 0 : options->cpu);
  fprintf(file, " \"clock\": {\"method\": \"%s\", \"mhz\": %.3f, \"coarsest\": %.0f},\n \"reference\": [", method,
          median(reference, options->repeats), coarsest > 0 ? coarsest : 0);
  for (int k = 0; k < options->repeats; k++)
    fprintf(file, "%s%.3f", k ? ", " : "", reference[k]);
  fprintf(file, "],\n \"taken\": %ld, \"migrated\": %ld,\n \"rows\": [", taken, migrated);
  for (size_t i = 0; i < neonsim_row_count; i++) {
    const struct result *one = &results[i];
    if (one->left_out || !one->count)
      continue;
    fprintf(file, "%s\n  {\"name\": \"%s\", \"unit\": \"%s\", \"samples\": [", separator, neonsim_rows[i].name,
            units[neonsim_rows[i].unit]);
    for (int k = 0; k < one->count; k++)
      fprintf(file, "%s%.9g", k ? ", " : "", one->samples[k]);
    fputs("]}", file);
    separator = ",";
  }
  fputs("]}\n", file);
  if (fclose(file)) {
    fprintf(stderr, "%s cannot be written: %s\n", options->out, strerror(errno));
    return 1;
  }
  return 0;
}

/* ---- the command line */

static int usage(const char *name) {
  fprintf(stderr,
          "usage: %s [-o FILE.json] [--repeats N] [--sample MICROSECONDS] [--cpu N] [--clock perf|pmccntr|time]\n"
          "          [--only WORDS] [--quick] [--emulated]\n"
          "measures %lu rows; --only: those with these words in their name; --emulated: say that this is no board\n",
          name, (unsigned long)neonsim_row_count);
  return 2;
}

static int parse(int count, char **words, struct options *options) {
  for (int i = 1; i < count; i++) {
    const char *word = words[i];
    const char *next = i + 1 < count ? words[i + 1] : NULL;
    char *end = NULL;
    if (!strcmp(word, "--quick")) {
      options->sample = 20;
      options->repeats = NEONSIM_FEWEST;
      continue;
    }
    if (!strcmp(word, "--emulated")) {
      options->emulated = 1;
      continue;
    }
    if (!next)
      return 1;
    i++;
    if (!strcmp(word, "-o"))
      options->out = next;
    else if (!strcmp(word, "--clock"))
      options->clock = next;
    else if (!strcmp(word, "--only"))
      options->only = next;
    else if (!strcmp(word, "--cpu"))
      options->cpu = (int)strtol(next, &end, 10);
    else if (!strcmp(word, "--repeats"))
      options->repeats = (int)strtol(next, &end, 10);
    else if (!strcmp(word, "--sample"))
      options->sample = strtod(next, &end);
    else
      return 1;
    if (end && (*end || end == next))
      return 1;
  }
  return options->repeats < 1 || options->repeats > NEONSIM_MAX_SAMPLES || !(options->sample >= 1 && options->sample <= 1e6);
}

int main(int count, char **words) {
  struct options options = {"measured.json", NULL, NULL, -1, 11, 0, 300};
  struct neonsim_machine machine;
  const char *why = NULL;
  if (parse(count, words, &options) || neonsim_row_count > MAX_ROWS)
    return usage(words[0]);
  if (options.cpu >= 0 && neonsim_pin(options.cpu)) {
    fprintf(stderr, "This thread cannot be kept on processor %d: name another with --cpu, or leave it away.\n", options.cpu);
    return 2;
  }
  const char *method = neonsim_open_clock(options.clock, &why);
  if (!method) {
    fprintf(stderr, "No counter: %s\n", why);
    return 1;
  }
  memset(&machine, 0, sizeof machine);
  neonsim_describe(&machine);
  machine.emulated |= options.emulated;
  int wrong = measure(&options);
  if (write_file(&options, method, &machine))
    return 1;
  int rows = 0;
  for (size_t i = 0; i < neonsim_row_count; i++)
    rows += !results[i].left_out && results[i].count;
  printf("%s: %d rows, %ld samples, clock %s, %.0f MHz\n", options.out, rows, taken, method, median(reference, options.repeats));
  if (!refuse(&options, method, machine.emulated))
    return wrong;
  fputs("So this is not accepted as a measurement.\n", stderr);
  return 1;
}
