#ifndef FMC_TESTS_TABLE_OPS_H
#define FMC_TESTS_TABLE_OPS_H

#include <fmc/ops.h>

/*
 * A plug-in whose classes do what three of fmc's own do: a mutex, a reader-writer lock, and a mutex that is handed over
 * in the order of coming. Classes "copy_mutex", "copy_rwlock", "copy_fifo".
 */
enum { COPY_LOCK, COPY_TRYLOCK, COPY_UNLOCK };
enum { COPY_RDLOCK, COPY_WRLOCK, COPY_RDUNLOCK, COPY_WRUNLOCK };

extern const struct fmc_ops table_ops;

#endif
