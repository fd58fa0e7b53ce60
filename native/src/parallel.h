/* Work that falls into equal pieces, shared out among threads. */
#ifndef NEONSIM_PARALLEL_H
#define NEONSIM_PARALLEL_H

#include <stddef.h>

/* Do pieces first .. last - 1 of the job. */
typedef void (*neonsim_range)(const void *job, size_t first, size_t last);

/* All `count` pieces, in equal runs, by the caller and up to threads - 1 others. */
void neonsim_parallel(size_t count, size_t threads, neonsim_range run, const void *job);

#endif
