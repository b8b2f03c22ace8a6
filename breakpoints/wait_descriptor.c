#include "breakpoints/inspect.h"

/* What a thread waits for that is in a system call on a descriptor. */

void wait_on_descriptor(struct inspector *inspector, uint32_t thread, struct wait *wait)
{
	wait->descriptor = (int)subject_thread(inspector->subject, thread)->arguments[0];
}

void wait_on_file_lock(struct inspector *inspector, uint32_t thread, struct wait *wait)
{
	wait->kind = WAIT_FILE_LOCK;
	wait->descriptor = (int)subject_thread(inspector->subject, thread)->arguments[0];
}
