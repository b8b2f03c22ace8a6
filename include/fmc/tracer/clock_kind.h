#ifndef FMC_TRACER_CLOCK_KIND_H
#define FMC_TRACER_CLOCK_KIND_H

#include <time.h>

/* The program's clocks are fmc's: what each of them shows, whoever answers. */
enum clock_kind { CLOCK_NONE, CLOCK_REAL, CLOCK_UPTIME, CLOCK_PROCESS, CLOCK_THREAD };

static inline enum clock_kind clock_kind(clockid_t clock)
{
	switch (clock) {
	case CLOCK_REALTIME:
	case CLOCK_REALTIME_COARSE:
	case CLOCK_REALTIME_ALARM:
	case CLOCK_TAI:
		return CLOCK_REAL;
	case CLOCK_MONOTONIC:
	case CLOCK_MONOTONIC_RAW:
	case CLOCK_MONOTONIC_COARSE:
	case CLOCK_BOOTTIME:
	case CLOCK_BOOTTIME_ALARM:
		return CLOCK_UPTIME;
	case CLOCK_PROCESS_CPUTIME_ID:
		return CLOCK_PROCESS;
	case CLOCK_THREAD_CPUTIME_ID:
		return CLOCK_THREAD;
	default:
		return CLOCK_NONE;
	}
}

/* A program that waits for time to pass by reading a clock gets there: so many nanoseconds pass with each reading. */
#define CLOCK_READING_NS 1000

#endif
