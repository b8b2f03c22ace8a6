#ifndef FMC_TESTS_PREPARE_NOTHING_H
#define FMC_TESTS_PREPARE_NOTHING_H

#include <fmc/tracer/origin.h>

/* For origin_new(): the process is left as it is. */
static inline enum status prepare_nothing(void *context, struct target *target, struct tracee *tracee)
{
	(void)context;
	(void)target;
	(void)tracee;
	return STATUS_OK;
}

#endif
