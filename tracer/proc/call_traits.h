#ifndef FMC_TRACER_PROC_CALL_TRAITS_H
#define FMC_TRACER_PROC_CALL_TRAITS_H

#include "tracer/proc/proc.h"

/* What a stop does to a system call. */

/* Would it return with a part done: a part of the bytes written? */
bool call_is_halved(const struct task_call *call);

/* Does stopping a thread that has just begun this system call make it fail with EINTR? */
bool call_is_cut(long number);

#endif
