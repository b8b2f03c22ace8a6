#ifndef FMC_TRACER_TARGET_TARGET_H
#define FMC_TRACER_TARGET_TARGET_H

#include "tracer/tracee/tracee.h"

/* Threads run, are waited for, and are made to perform calls: what the files of this room share with each other and with those above. */

/* wait.c: wait for this one alone, however long it takes; false: there is no such thread of fmc's */
bool wait_for_thread(pid_t tid, int *status);
bool wait_for_thread_or_interrupt(pid_t tid, int *status, bool *interrupted);
/* The first stop of a copy, or of a thread in it, which has run nothing yet; false: it is dead */
bool wait_for_copy(pid_t tid);
/* Is this fmc's to wait for: its child or its tracee? */
bool wait_is_ours(pid_t pid);

/* stops.c: of a stopped thread the kernel puts the ptrace event into the bits above the signal; 0: no event. */
#define STOPS_EVENT(status) ((unsigned)(status) >> 16)
/* STATUS_TIMEOUT: dealt with, and the tracee runs again. Anything else is for the caller. */
enum status stops_classify(struct target *target, struct tracee *tracee, int status, struct stop *stop);
/* It is gone, and the target with its last one. */
void target_mark_dead(struct target *target, struct tracee *tracee);

/* newborn.c: at the events of a thread that has made another thread, or a process: the new one stands at its first stop. */
enum status newborn_thread(struct target *target, struct tracee *tracee, struct stop *stop);
enum status newborn_process(struct target *target, struct tracee *tracee, struct stop *stop,
			    bool shares_memory);

/* reap.c: is `tracee` the leader of a process that has been killed from outside? Then the other threads are waited for; their deaths aren't told. */
void reap_after_leader(struct target *target, const struct tracee *tracee);

/* descendants.c */
/* One that is there and stopped, or known already. STATUS_OK or STATUS_NO_MEMORY. */
enum {
	DESCENDANT_SHARES_MEMORY = 1, /* the target's */
	DESCENDANT_CHILD = 2,	      /* of the target itself */
};
enum status descendants_add(struct target *target, pid_t pid, unsigned flags);
/* The first stop of a thread or child of the target's own, whose birth is told next: nobody lets it go before. */
bool descendants_is_newborn(const struct target *target, pid_t pid, int status);
/* It has been killed with those that the target has: let it go where it was held, so that it dies. */
void descendants_release(const struct descendant *descendant);
/* An ended child waits for the target to ask for it. */
bool descendants_uncollected(const struct target *target);
/* Deal with a wait status of a thread that is no tracee of the target's. */
void descendants_serve(struct target *target, pid_t pid, int status);
/* It isn't one any more: it is followed. */
void descendants_forget(struct target *target, pid_t pid);

/* resume.c */
/* A descendant, or a thread that is being killed. That it is dead the next wait tells. */
void resume_by_tid(pid_t tid, int signal);

/* filters.c: give a process that others are copied from what has been asked for by those that were. */
void filters_grant(struct target *source);
/* All threads stop before they read this descriptor, but for what fmc makes them do. */
enum status filters_stop_reads(struct tracee *tracee, int descriptor);

/* reserve.c: a copy in memory has what its source has */
void reserved_inherit(struct target *copy, const struct target *source);

/* inject.c: fmc's own page, at a place where nothing but this thread runs */
enum status inject_gadget_page(struct tracee *tracee);

/*
 * A thread whose signals are all blocked runs from these registers to the int3 at `trap`, whose registers *end takes, and has
 * its own again.
 */
enum status inject_run(struct tracee *tracee, const struct user_regs_struct *from, uint64_t trap,
		       struct user_regs_struct *end);

/* inject_clones.c: several clone() in one go. Results as the kernel gives them. */
#define CLONES_MOST 6
enum status inject_clones_code(struct target *target); /* into fmc's page */
enum status inject_clones(struct tracee *tracee, uint64_t flags, const uint64_t child_words[], size_t length,
			  int32_t results[]);

#endif
