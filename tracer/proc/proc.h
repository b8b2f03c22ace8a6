#ifndef FMC_TRACER_PROC_PROC_H
#define FMC_TRACER_PROC_PROC_H

#include <fmc/tracer/snapshot.h>
#include <fmc/tracer/status.h>
#include <stdio.h>

/*
 * What proc(5) tells of a process and its threads. `process` is a descriptor of the folder /proc/PID, through which nothing
 * but this very process is ever seen, also when its number is used again.
 */

/* The beginning of a file as text; its length, or -1 and errno. */
ssize_t proc_text(int process, const char *file, char *text, size_t room);

/* All of a file, to be freed; NULL: it can't be read, or no memory. */
char *proc_all(int process, const char *file, size_t *length);

/* The value after a name ("TracerPid") in the text of a `status` file; NULL: it isn't there. */
const char *proc_field(const char *status, const char *name);

/* What a thread is doing in the kernel. */
struct task_call {
	bool running; /* on a processor, or about to be; the rest is unknown then */
	long number;  /* of the system call, or NO_SYSCALL */
	uint64_t arguments[6];
	uint64_t sp, pc;
};

/* False: it is gone, or that isn't permitted. */
bool task_call(int process, pid_t tid, struct task_call *call);

/* As in proc(5); 0: it is gone. */
char task_state(int process, pid_t tid);

/* Name, state, age, and processor time so far. False: it is gone. */
bool task_describe(int process, pid_t tid, struct snapshot_thread *thread);

/* When it was made, in clock ticks since the system was started; 0: it is gone. */
uint64_t task_started(int process, pid_t tid);

/* How often it has been given a processor; 0 if the kernel doesn't count. */
uint64_t task_turns(int process, pid_t tid);

/* Its number in the process's own pid namespace; `tid` if that can't be told. */
pid_t task_number(int process, pid_t tid);

#endif
