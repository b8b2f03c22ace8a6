#ifndef FMC_TRACER_SNAPSHOT_ATTACH_H
#define FMC_TRACER_SNAPSHOT_ATTACH_H

#include "tracer/proc/proc.h"
#include "tracer/snapshot/snapshot.h"

/*
 * Looking at a live process: what the files attach*.c share.
 *
 * A thread is stopped only where it goes on afterwards as if nothing had been: while it runs, or asleep in a system call that
 * the kernel restarts. Any other is looked at where it sleeps, and must still be sleeping there when all has been copied.
 *
 * Should fmc be killed, the kernel lets all threads go. So no stop is ever taken from the kernel by waiting for it (WNOWAIT):
 * the signal at which a thread may be standing is then delivered like the others.
 *
 * No target knows of the threads that are seized here: attach_thread.c has waits and requests of its own.
 */
enum attach_life {
	ATTACH_NEW,
	ATTACH_ASKED, /* seized and asked to stop */
	ATTACH_STANDING,
	ATTACH_ASLEEP, /* left alone; as `call` says */
	ATTACH_STUCK,  /* asked to stop but didn't: let go at the latest when the tracing thread ends */
	ATTACH_ZOMBIE, /* the main thread has ended before the others */
	ATTACH_GONE,
};

struct attached {
	struct snapshot_thread thread;
	enum attach_life life;
	int signal;	       /* at whose delivery it stands; 0: none */
	struct task_call call; /* before it was stopped */
	uint64_t turns;	       /* of an ATTACH_ASLEEP one, when it was looked at */
	unsigned refusals;     /* so often it couldn't be seized */
	/* The call in which it was seen asleep last goes on after a stop; or it is also harmed while it begins. */
	bool restarts, wary;
};

struct attach {
	struct snapshot *snapshot; /* being made */
	int folder, pidfd;	   /* of the process; pidfd -1: the kernel has none */
	pid_t pid;
	bool ended;	     /* all of it, while it was being stopped */
	bool numbers_differ; /* it is in a pid namespace of its own */
	bool parent;	     /* it is fmc's own child, whose end is its caller's to wait for */
	struct attached *at;
	size_t length, room;
	void (*standing)(void *context, struct snapshot *snapshot);
	void *context;
	enum status status; /* what the tracing thread ends with */
	char *why;	    /* as snapshot_take()'s, room for WHY_ROOM */
};

#define WHY_ROOM 256

/*
 * attach_refuse.c: may and can this process be looked at? Opens its folder and memory in the snapshot. *pid: a thread's
 * number becomes that of its process.
 */
enum status attach_permit(struct attach *attach);
/* The tracer of a thread (the number of a thread, too); 0: none. */
pid_t attach_tracer(const struct attach *attach, pid_t tid);
/* Seizing a thread failed for this reason. */
enum status attach_refused(struct attach *attach, int error);

/* attach_calls.c: would a thread that sleeps so go on sleeping after a stop, unable to notice it? */
bool attach_call_restarts(const struct attach *attach, const struct task_call *call);

/* attach_thread.c */
/* Before anything is stopped: what do those do that run now? */
void attach_watch_running(struct attach *attach);
/* Seize it and ask it to stop, or leave it asleep, or about to be. STATUS_OK, or why the process can't be looked at. */
enum status attach_ask(struct attach *attach, struct attached *attached);
/* Until each ATTACH_ASKED stands or will never. STATUS_INTERRUPTED: the user doesn't want any more. */
enum status attach_wait(struct attach *attach);
void attach_release(struct attach *attach);

/* attach_copy.c: of the process that stands. STATUS_GONE: it has another program than when it was opened, or none. */
enum status attach_copy(struct attach *attach);

/* attach.c: these results, with the reason */
enum status attach_no_memory(struct attach *attach);
enum status attach_ended(struct attach *attach);

#endif
