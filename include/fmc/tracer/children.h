#ifndef FMC_TRACER_CHILDREN_H
#define FMC_TRACER_CHILDREN_H

#include <fmc/tracer/target.h>

/* Processes that a target makes. */

/*
 * At STOP_FORK: the new process as a target of its own, stopped, so that traps can be taken out of its
 * memory; NULL if it shares the memory of its parent (vfork) or is gone. Ends with target_let_go(), which
 * lets it run beside the supervised threads: whatever it does is its own affair, but it dies with fmc.
 */
struct target *target_forked(const struct stop *stop);
void target_let_go(struct target *forked);

/*
 * At STOP_FORK, instead: the new process as a target that is supervised like its parent, stopped before its first instruction, with what
 * has been planted there, and with a number of its own that is the same in every execution. NULL: as target_forked(), or it is gone. Ends with target_kill(), also after
 * its end: until then the others know it by its number. Whatever comes of relatives' threads is kept for them.
 */
struct target *target_follow(const struct stop *stop);
/*
 * A process that is made to share its parent's memory (vfork) is let run until it is another program, if it comes to that before it ends:
 * target_follow() gives it as it stands at that event then, and it has no other program's memory any more. NULL, and *interrupted: the wait for that was.
 */
struct target *target_follow_sharing(const struct stop *stop, bool *interrupted);
/*
 * The target stands where it has become another program: on to that one's entry point, as executions begin; nothing of what fmc had planted is there
 * any more. `why` as origin_new(): STATUS_UNSUPPORTED, it can't be supervised; STATUS_GONE, it has come to its end.
 */
enum status target_run_up(struct target *target, char why[256]);
/* What the kernel calls the process that the target calls so. */
pid_t target_real_number(const struct target *target, pid_t number);
/* The next of a target's relatives by that, which in the end is itself; NULL: it has none. */
struct target *target_relative(const struct target *target);
/* Its clocks show what those of this relative show. */
void target_take_clock(struct target *target, const struct target *from);

/* Called when a process that shares the target's memory (vfork) meets a trap: true when it may go on. */
void target_on_foreign_trap(struct target *target,
			    bool (*pass)(void *context, struct tracee *tracee, uint64_t address),
			    void *context);

/* Processes that the target has made, and that these have, which are still there, and their threads. */
size_t target_descendants(const struct target *target);

/*
 * Are there such, and do all of them sleep for ever? Each waits without a time-out for what only threads of its own could do, has no timers, and catches no
 * signals. Whoever waits for one of their ends waits for ever then.
 */
bool target_descendants_sleep(const struct target *target);
/* The same, but that somebody with whom they share memory could wake them, the target for instance. */
bool target_descendants_wait(const struct target *target);

/*
 * Would a wait of the target's for this child end now: has the child ended, or isn't there such a one? 0 and less: for any of its
 * children.
 */
bool target_child_ended(const struct target *target, pid_t which);

/*
 * The target's own child processes are numbered from 0 in the order of their creation. One that is about to exit is held there
 * while may_exit() says no; NULL: none is. Children that still share the target's memory aren't asked for.
 */
void target_on_child_exit(struct target *target, bool (*may_exit)(void *context, uint32_t child),
			  void *context);
/* Ask again for those that are held. They end while the target is waited for. */
void target_let_children_exit(struct target *target);
/* Those of the first 64 children that have ended, as far as the target could have noticed: bit N is number N. */
uint64_t target_children_ended(const struct target *target);
/* Is one of these still there, or any that has been let exit and hasn't ended? */
bool target_children_due(const struct target *target, uint64_t which);

#endif
