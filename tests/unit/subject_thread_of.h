#ifndef FMC_TESTS_SUBJECT_THREAD_OF_H
#define FMC_TESTS_SUBJECT_THREAD_OF_H

#include <fmc/tracer/subject.h>

/* The thread of this number; NULL: there is none. */
static inline const struct subject_thread *subject_thread_of(const struct subject *subject, pid_t tid)
{
	for (size_t i = 0; i < subject_threads(subject); i++)
		if (subject_thread(subject, i)->tid == tid)
			return subject_thread(subject, i);
	return NULL;
}

#endif
