#ifndef FMC_REPLAY_TIMELINE_H
#define FMC_REPLAY_TIMELINE_H

#include <fmc/replay/schedule.h>
#include <fmc/supervisor/execution.h>
#include <fmc/supervisor/process.h>

#include <signal.h>

/*
 * A schedule as a line of time that can be walked both ways.
 *
 * Part 0 is the program's beginning, up to the first thread's first operation; part n, from 1 to L, is transition n of
 * the schedule (as numbered in the file), L + 1 is the end: what stopped the last execution, all threads still there. Within
 * a part one thread runs, its instructions are counted; an operation that fmc completes counts as one. Backwards is
 * execution from an earlier image of the process; the same position always shows the same registers, memory and numbers of
 * threads.
 *
 * Addresses and registers are those of the program as it would be without fmc: a thread before an operation stands at the
 * function's first instruction or at the system call's, and memory has no traps in it.
 *
 * Of a schedule of several processes nothing is copied: backwards is execution from the program's start. Addresses are those of the memory that is
 * shown: timeline_show().
 */
struct timeline;

struct position {
	size_t part;
	uint64_t steps;	  /* instructions made in that part */
	bool steps_known; /* false: somewhere after its beginning, reached without counting */
};

enum move_end {
	MOVE_DONE,	 /* where it was to go */
	MOVE_BREAKPOINT, /* `thread` stands before the instruction at `address` */
	MOVE_WATCHPOINT, /* `thread` has touched (backwards: is about to touch) `address` */
	MOVE_SIGNAL,	 /* `thread` is about to get `signal` */
	MOVE_BEGIN,	 /* at part 0, backwards there is nothing more */
	MOVE_END,	 /* at the end, forwards there is nothing more */
	MOVE_INTERRUPTED,
	MOVE_FAILED, /* the execution can't go on there: status, why. The timeline is at the beginning of some part. */
};

struct move {
	enum move_end end;
	uint32_t thread;  /* whom it is about, always one that exists */
	uint64_t address; /* MOVE_WATCHPOINT: of the watchpoint, in the memory for which it was set */
	int signal;
	enum status status;
	char why[256]; /* otherwise empty, or a remark about this place */
};

struct timeline_options {
	struct process_options process; /* capture, places, origin ... are as a replay needs them */
	bool loose;			/* follow the schedule as far as it fits, then the default policy */
	/* Asked often while something runs: true ends the movement with MOVE_INTERRUPTED. May be NULL. */
	bool (*interrupted)(void *context);
	void *context;
	size_t images;	      /* at most so many are kept; 0: a sensible number */
	uint64_t image_bytes; /* and at most so much memory of their own; 0: sensible */
};

/*
 * The whole schedule is played once and checked; then the timeline stands at the beginning (part 0). The schedule is
 * copied. On failure NULL, *status and one line in `why`: STATUS_DIVERGED if it can't be followed.
 */
struct timeline *timeline_new(const struct timeline_options *options, const struct schedule *schedule,
			      enum status *status, char why[256]);
void timeline_free(struct timeline *timeline);

/* Where it stands, how many transitions there are, and what is being followed (changes with timeline_branch()). */
struct position timeline_position(const struct timeline *timeline);
size_t timeline_length(const struct timeline *timeline);
/*
 * The last transition up to number `part` that is an operation which writes some of these bytes at once, from 1; 0: there is none.
 */
size_t timeline_written(const struct timeline *timeline, uint64_t address, size_t size, size_t part);
/* The transition in which the thread has stored what reaches memory in this one, as stores may wait; 0: in this one none does. */
size_t timeline_stored(const struct timeline *timeline, size_t part);
const struct schedule *timeline_schedule(const struct timeline *timeline);
/* What was found at the end, with stacks and names. */
const struct finding *timeline_finding(const struct timeline *timeline);
/* What is different from the schedule when it was followed loosely; empty if nothing. */
const char *timeline_difference(const struct timeline *timeline);

/*
 * Movements. Each fills *move. Breakpoints and watchpoints end them; a breakpoint at the place where a movement
 * begins doesn't.
 */

/* To the next breakpoint, watchpoint or signal. */
void timeline_continue(struct timeline *timeline, struct move *move);
void timeline_reverse_continue(struct timeline *timeline, struct move *move);

/*
 * Until `thread` has executed one instruction, and then as long as it stands at low <= pc < high; others run when it is
 * their turn. Backwards: to where the last instruction executed by `thread` hasn't been.
 */
void timeline_step(struct timeline *timeline, uint32_t thread, uint64_t low, uint64_t high,
		   struct move *move);
void timeline_reverse_step(struct timeline *timeline, uint32_t thread, struct move *move);

/*
 * Back to before the last instruction that has touched these bytes, whatever it wrote, past all else: MOVE_WATCHPOINT, or
 * MOVE_BEGIN if there is none. Of several processes also by one that shares this memory. STATUS_UNSUPPORTED, and *move is untouched: the processor can't watch that.
 */
enum timeline_access { TIMELINE_WRITE, TIMELINE_ACCESS };
enum status timeline_last_touch(struct timeline *timeline, uint64_t address, size_t size,
				enum timeline_access access, struct move *move);

/*
 * At which signals nobody wants to stop, by their numbers. At first those are SIGCHLD, SIGURG and SIGWINCH: the kernel sends
 * them whenever it likes, so that the places where they come aren't the same each time.
 */
#define TIMELINE_SIGNALS 65
void timeline_pass_signals(struct timeline *timeline, const bool passes[TIMELINE_SIGNALS]);

/* To the beginning of a part, 0 to L + 1; nothing on the way counts. */
void timeline_goto(struct timeline *timeline, size_t part, struct move *move);

/*
 * Places to return to. A mark is the timeline's, until timeline_unmark() or timeline_free(); NULL without memory. A place that
 * doesn't look as it did, by what timeline_visit() looks at, move->why says so.
 */
struct timeline_mark;
struct timeline_mark *timeline_mark(struct timeline *timeline);
void timeline_unmark(struct timeline *timeline, struct timeline_mark *mark);
void timeline_return(struct timeline *timeline, const struct timeline_mark *mark, struct move *move);

/*
 * It has come to where somebody looks: false if it was there before, and threads stood elsewhere, had other registers or other words on
 * their stacks, or the program's variables other values (of each module's, the first MiB). Known are
 * the last places that it has come to by counting; of others nothing is said.
 */
bool timeline_visit(struct timeline *timeline);

/*
 * At the beginning of a part: let `thread` go on instead of who is next, then the default policy to the end. The new
 * schedule takes the place of the one followed, the timeline stays where it is. STATUS_UNSUPPORTED and `why`: the thread can't
 * go on, or this isn't the beginning of a part.
 */
enum status timeline_branch(struct timeline *timeline, uint32_t thread, char why[256]);

/* Breakpoints and watchpoints hold until they are taken away; not counted. STATUS_UNSUPPORTED: out of debug registers. */
enum status timeline_break(struct timeline *timeline, uint64_t address);
void timeline_unbreak(struct timeline *timeline, uint64_t address);
enum status timeline_watch(struct timeline *timeline, uint64_t address, size_t size,
			   enum timeline_access access);
/* Does the system give debug registers at all? Without them nothing watched ever stops anything. */
bool timeline_can_watch(const struct timeline *timeline);
void timeline_unwatch(struct timeline *timeline, uint64_t address, size_t size, enum timeline_access access);

/*
 * Which arrivals at breakpoints are no stops, forwards or backwards: asked of a thread that stands there, which may be looked at
 * meanwhile. GDB's steps stop there all the same. `passes` may be NULL; `version` is another number whenever its answers are
 * others.
 */
struct timeline_filter {
	bool (*passes)(void *context, uint32_t thread, uint64_t address);
	void *context;
	uint64_t version;
};
void timeline_set_filter(struct timeline *timeline, const struct timeline_filter *filter);

/*
 * Several processes: each program that one of them becomes has a memory of its own (process.h), which has the same number each time. After a movement the one
 * is shown in which timeline_current() runs.
 */

/* Where this thread runs now; NO_MEMORY if its process isn't there. */
uint32_t timeline_memory_of(const struct timeline *timeline, uint32_t thread);
/* So many there have been so far, on any way. */
uint32_t timeline_memories(const struct timeline *timeline);
/* The memory that this one began as a copy of; NO_MEMORY: none. */
uint32_t timeline_memory_copied(const struct timeline *timeline, uint32_t memory);
/* The first part at whose beginning it was there; 0: at none. */
size_t timeline_memory_part(const struct timeline *timeline, uint32_t memory);
/*
 * What follows is about this one, also what timeline_process() answers without being asked of a thread. False if it isn't there: then only
 * breakpoints and watchpoints can be set in it and taken away.
 */
bool timeline_show(struct timeline *timeline, uint32_t memory);
uint32_t timeline_shown(const struct timeline *timeline);

/* Looking: threads are numbered as in the schedule, from 0 (T1). */
uint32_t timeline_threads(const struct timeline *timeline);	       /* that have been created so far */
bool timeline_alive(const struct timeline *timeline, uint32_t thread); /* has registers */
uint32_t
timeline_current(const struct timeline *timeline); /* who runs now or next; at the end, whom it is about */
const char *timeline_name(struct timeline *timeline, uint32_t thread); /* "eat"; never NULL */
const struct model *timeline_model(const struct timeline *timeline);   /* valid until the next movement */
struct process *timeline_process(const struct timeline *timeline);
const struct execution *timeline_execution(const struct timeline *timeline);

struct user_regs_struct;
enum status timeline_registers(struct timeline *timeline, uint32_t thread,
			       struct user_regs_struct *registers);
/* What comes with the signal that `thread` is about to get or was ended by; false: it isn't about a signal. */
bool timeline_signal_info(const struct timeline *timeline, uint32_t thread, siginfo_t *info);
/* The XSAVE area in the standard format; *size is its room, then its length. */
enum status timeline_extended(struct timeline *timeline, uint32_t thread, void *area, size_t *size);
/* As much as can be read from `address` on, in bytes. */
size_t timeline_read(struct timeline *timeline, uint64_t address, void *to, size_t size);

/*
 * Changing: the first change makes a copy of the process, which is what is looked at from then on; any movement drops
 * it. STATUS_UNSUPPORTED: this process can't be copied.
 */
enum status timeline_write(struct timeline *timeline, uint64_t address, const void *from, size_t size);
enum status timeline_set_registers(struct timeline *timeline, uint32_t thread,
				   const struct user_regs_struct *registers);
enum status timeline_set_extended(struct timeline *timeline, uint32_t thread, const void *area, size_t size);
bool timeline_changed(const struct timeline *timeline); /* there is such a copy */
/* Does `thread` stand elsewhere in the copy than in the original? Then to resume means to run the copy. */
bool timeline_diverted(struct timeline *timeline, uint32_t thread);
/* Let one thread of the copy run by itself, the others stay stopped: to a breakpoint, a signal, its end (MOVE_END). */
void timeline_run_copy(struct timeline *timeline, uint32_t thread, bool step, struct move *move);
void timeline_drop_changes(struct timeline *timeline);

/* What movements have cost so far: how often the program was stopped, and how many copies of it were made. */
struct timeline_effort {
	uint64_t stops, copies;
};
struct timeline_effort timeline_effort(const struct timeline *timeline);

/* What the program has written since the last call, each byte once however often it is passed; to be freed; NULL if nothing. */
char *timeline_output(struct timeline *timeline, size_t *length);

#endif
