#ifndef FMC_TRACER_PROC_OTHER_PROCESSES_H
#define FMC_TRACER_PROC_OTHER_PROCESSES_H

#include <stdbool.h>
#include <sys/types.h>

/* A descriptor of another process; link as /proc/PID/fd has it. False: enough has been seen. */
typedef bool other_processes_visitor(void *context, pid_t pid, int number, const char *link);

/*
 * What all processes but this one have open, as far as it has no name but an inode or a kind ("pipe:[7]", "anon_inode:[eventfd]").
 * A thread with a table of its own counts as another process. False: there are processes of which that can't be seen, or messages
 * with descriptors that nobody has received yet, so what hasn't been visited may be anybody's. Processes that began before this one
 * don't count as such: they have inherited nothing from it. The caller's own comes first.
 */
bool other_processes_visit(pid_t pid, other_processes_visitor *visit, void *context);

#endif
