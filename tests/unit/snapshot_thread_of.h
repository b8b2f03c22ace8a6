#ifndef FMC_TESTS_SNAPSHOT_THREAD_OF_H
#define FMC_TESTS_SNAPSHOT_THREAD_OF_H

#include <fmc/tracer/snapshot.h>

/* The thread of this number; NULL: there is none. */
static inline const struct snapshot_thread *snapshot_thread_of(const struct snapshot *snapshot, pid_t tid)
{
	for (size_t i = 0; i < snapshot_threads(snapshot); i++)
		if (snapshot_thread(snapshot, i)->tid == tid)
			return snapshot_thread(snapshot, i);
	return NULL;
}

#endif
