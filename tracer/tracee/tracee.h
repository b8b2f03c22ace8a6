#ifndef FMC_TRACER_TRACEE_TRACEE_H
#define FMC_TRACER_TRACEE_TRACEE_H

#include <fmc/tracer/answers.h>
#include <fmc/tracer/children.h>
#include <fmc/tracer/target.h>

#include <linux/filter.h>

/*
 * fmc's own page in every target: `syscall; int3`, then an int3 to return to. Its address is fixed, because
 * the system-call filter, which is older than the page, lets calls from there pass. ThreadSanitizer takes all of the address space
 * but what programs, their heaps and libraries are mapped to: the page is below programs.
 */
#define GADGET_PAGE	 UINT64_C(0x551000000000)
#define GADGET_PAGE_SIZE 4096
#define GADGET_SYSCALL	 GADGET_PAGE
#define GADGET_INT3	 (GADGET_PAGE + 2)
#define GADGET_RETURN	 (GADGET_PAGE + 16)
#define GADGET_CALL	 (GADGET_PAGE + 32) /* syscall; ret */
#define GADGET_CLONES	 (GADGET_PAGE + 64)
#define GADGET_ZERO	 (GADGET_PAGE + 1024)
#define GADGET_CLOCKS	 (GADGET_PAGE + 1280)
#define GADGET_SCRATCH	 (GADGET_PAGE + 2048)
#define NEAR_PAGE_SIZE	 TARGET_NEAR_BYTES
#define NEAR_PAGES_MAX	 64
#define RESERVED_MAX	 64
#define OUTSIDE_ROOM	 200

/* A wait status that arrived while somebody else was waited for. */
struct early_stop {
	pid_t tid;
	int status;
};

/* A process, or a thread of one, that isn't supervised, only passed through the filter that it has inherited. */
struct descendant {
	pid_t pid;
	bool shares_memory; /* vfork: runs over the target's traps */
	bool has_timers;    /* or has asked for some, which may send it signals */
	bool child;	    /* the target's own, who waits for it; then: */
	uint32_t number;
	enum { CHILD_RUNS, CHILD_HELD, CHILD_EXITS } stage; /* HELD: where it exits */
};

/* So many of its ended children are looked at when the target waits for any. */
#define ENDED_ROOM 16

struct known_numbers;

/* The same in every execution on every machine. No process is called so by the kernel, whose numbers end at 2^22. */
#define NUMBER_OF_MAIN	 5000000
#define NUMBER_OF_PARENT (NUMBER_OF_MAIN - 1)

/* A wait that is left to the kernel: target_clock_waits(). */
struct kernel_wait {
	int64_t end;   /* on the virtual clock; 0: it has no time-out, or there is none */
	uint64_t real; /* that moment on clock_now() */
	bool seen;     /* it was found asleep */
};

/* What fmc answers instead of the kernel, so that every execution sees the same. */
struct virtual_world {
	int64_t start_ns; /* CLOCK_REALTIME at the start of every execution */
	int64_t
	    elapsed_ns; /* virtual time since then; and since this moment on clock_now() real time is added; 0: it isn't */
	uint64_t followed;
	int64_t used_ns; /* processor time since then, of all threads */
	struct kernel_wait wait;
	struct clock_calls clock_calls; /* of this program of the process's */
	uint64_t random;  /* state of the generator after getrandom() */
	uint64_t answers; /* instructions that were answered: target_answers() */
	pid_t number;	  /* what the process takes itself for; 0: what it is */
	pid_t parent; /* of one that is followed: what its parent takes itself for; 0: its parent is fmc */
	bool keeps_numbers; /* its threads' are that and the next ones, in order of creation */
	bool has_timers;    /* it may have: it has asked for one */
	uint64_t raised;    /* RLIMIT_AS, if there is one: by so much above what the program has set */
	int64_t uptime_ns;  /* CLOCK_MONOTONIC at the start; 0: a day */
	uint64_t ticks;	    /* the processor's counter at the start; 0: a second of nanoseconds */
	bool affinity_races; /* target_affinity_races() */
	uint32_t children;   /* so many child processes has it made */
	uint64_t
	    ended;     /* those of them that have ended, as far as it could notice: target_children_ended() */
	bool confined; /* it was saved and isn't to touch anything that it shares with others: STOP_OUTSIDE */
	const struct known_numbers
	    *numbers; /* of threads that were there from the beginning; NULL: none but the main one.
						Borrowed from the origin */
};

/* Numbers of the threads of a saved process, which needn't follow each other. Those that it makes get the ones after. */
struct known_numbers {
	uint32_t length;
	pid_t highest;
	pid_t of[]; /* by index; the first is virtual_world.number */
};

/*
 * What answers in place of the kernel, and keeps numbers the same: what target/wait.c and target/resume.c tell of a target's threads, so that
 * the room above needn't be known here. `tracee` is stopped.
 */
struct answers {
	bool (*answer)(
	    struct tracee *tracee); /* the call that it is stopped before; false: not one of those */
	bool (*outside)(struct tracee *tracee,
			long number); /* is this call of a confined process's to be STOP_OUTSIDE? */
	void (*before_call)(struct tracee *tracee); /* at STOP_SYSCALL, about to be executed */
	void (*after_call)(struct tracee *tracee);  /* executed, and behind_call.due */
	void (*at_birth)(struct tracee *creator, struct tracee *child);
	void (*at_exit)(struct tracee *tracee);
	void (*at_signal)(const struct tracee *tracee); /* at a signal-delivery stop */
	void (*before_childs_call)(const struct target *target,
				   pid_t child); /* a process that the target has made */
	void (*at_exec)(struct target *target,
			pid_t pid); /* the same, or the target itself: another program by now */
};

struct target {
	pid_t pid;
	const struct answers *answers;
	int memory;		       /* /proc/PID/mem */
	int pidfd;		       /* -1: it hasn't been asked for a descriptor yet */
	uint64_t passing; /* answers that a later one may differ from though nothing has been done: clocks, and who the parent is */
	struct kept_files *kept_files; /* that its calls change; NULL: they may */
	struct tracee **tracees;
	uint32_t tracees_length, tracees_room;
	struct early_stop *early;
	size_t early_length, early_room;
	struct stop pushed_back;
	bool has_pushed_back;
	struct descendant *descendants;
	size_t descendants_length, descendants_room;
	pid_t ended[ENDED_ROOM]; /* its children that have ended, the last ones */
	size_t ended_count;
	bool (*pass_trap)(void *context, struct tracee *tracee, uint64_t address);
	void *pass_trap_context;
	bool (*may_exit)(void *context, uint32_t child); /* NULL: any may */
	void *may_exit_context;
	uint64_t seccomp_stops; /* system calls at which a thread was stopped */
	uint64_t mapping_calls; /* see target_watch_mappings() */
	uint64_t filters,
	    asked;	  /* target/filters.c, a bit each: those that it has, and of these the ones that are heard */
	uint64_t *wanted; /* those that are asked for where it was copied from; NULL: nobody is told */
	uint64_t near_pages[NEAR_PAGES_MAX];
	size_t near_pages_length;
	struct reserved reserved[RESERVED_MAX];
	size_t reserved_length;
	struct virtual_world world;
	const struct tracee *replacing; /* in execve: the kernel kills all other threads and waits for them */
	char outside[OUTSIDE_ROOM];	/* what the last STOP_OUTSIDE was for; empty: there was none */
	struct made *made;		/* see made.c */
	size_t made_length;
	struct target *relative; /* see relatives.c; NULL: it has none */
	uint32_t family;	 /* so many processes have been followed there */
	bool gone;
	bool ticking;
};

/* made.c: room for one more object that the target makes, by semget() for instance; false: no memory. One that it has made. */
bool made_make_room(struct target *target);
void made_add(struct target *target, long call, int id);
/* Remove them; the process must be gone. */
void made_remove(struct target *target);

/* target.c */
struct target *target_new(pid_t pid, const struct answers *answers);
struct tracee *target_add(struct target *target, pid_t tid, enum tracee_life life);
struct tracee *target_by_tid(const struct target *target, pid_t tid);
/* The only way to change a tracee's life: FMC_ASSERTs that the edge is one of those drawn in <fmc/tracer/target.h>. */
void tracee_enter(struct tracee *tracee, enum tracee_life life);
/* The same for the thread that an exec has left. */
void tracee_replaced(struct tracee *tracee);
void target_free(struct target *target);	       /* the process must be gone */
enum status target_open_memory(struct target *target); /* memory.c */

/* early.c; what is taken is the oldest of that thread: false, there is none */
bool target_keep_early(struct target *target, pid_t tid, int status);
bool target_take_early(struct target *target, pid_t tid, int *status);
/* Drop what was kept of a thread that is dead: its number may be another one's soon. */
void target_forget_early(struct target *target, pid_t tid);

/* relatives.c: the child is one from now on; the target is about to be freed, and no one's any more. */
void relatives_join(struct target *target, struct target *child);
void relatives_leave(struct target *target);

/* registers.c: the x86-64 part */
void registers_forget(struct tracee *tracee);
enum status registers_write_back(struct tracee *tracee);
long registers_syscall_number(struct tracee *tracee);

/* watch.c: a stop of a tracee that runs freely with watchpoints set: is it because of one of them? */
bool watch_made_stop(const struct tracee *tracee);

/*
 * filter.c: in the child, before exec; -1 and errno. confined: all calls stop that may do something outside of the process.
 */
int filter_install(bool confined);
/* Filters that a process may get besides that one. Each tells its number with its stops; of several the newest does. */
enum {
	FILTER_TRANSFERS = 1, /* by descriptors above 2 */
	FILTER_STANDARD,      /* by those up to 2 */
	FILTER_MAPS,	      /* what changes mappings */
	FILTER_ALL,	      /* every call */
	FILTER_READS,	      /* reads of descriptor 0; then of 1, and so on */
	FILTER_LAST = 63,     /* reads of all that have no filter of their own */
	FILTER_CODE_MAX = 336
};
#define FILTER_BIT(filter) (UINT64_C(1) << (filter))
/* One of them as instructions; how many. */
size_t filter_code(unsigned filter, struct sock_filter code[FILTER_CODE_MAX]);

/* heard.c: a copy has the filters of its source. */
void filters_inherit(struct target *copy, const struct target *source);
/* The filter of reads of this descriptor. */
unsigned filters_reads_of(int descriptor);
/* Before the call with this number it has stopped for what nobody has asked for, or for what is only counted. */
bool filters_unheard(struct tracee *tracee, long number);
/* What has been asked for. */
bool filters_stop_any_reads(const struct target *target);
bool filters_stop_all(const struct target *target);
bool filters_count_mappings(const struct target *target);

/* signal_mask.c */
/* The program's mask, where the kernel's is this. */
uint64_t signal_mask_of(const struct tracee *tracee, uint64_t kernels);
/* A stopped tracee gets the program's mask. */
enum status signal_mask_give(struct tracee *tracee, uint64_t mask);
void signal_mask_inherit(const struct tracee *creator, struct tracee *child);
void signal_mask_forked(const struct tracee *parent, pid_t child);
/* The tracee stands before rt_sigprocmask(): false if that is left to the kernel. */
bool signal_mask_answer(struct tracee *tracee, const struct user_regs_struct *regs, int64_t *result);

/* cut_call.c */
/* The tracee has been stopped within a system call by what it is not to notice: the call is to go on when it is resumed. */
void cut_call_mend(struct tracee *tracee);
/* A handler of its own is about to run: the call is over, with what has been done. */
void cut_call_leave(struct tracee *tracee);
/* Has it stopped at the beginning or the end of such a call for the rest? Then that is all of this stop. */
bool cut_call_stopped(struct tracee *tracee);

/* tick.c: a signal every few milliseconds that makes a blocking wait return with EINTR, while any target is run */
void tick_start(struct target *target);
void tick_stop(struct target *target);
/* In a child of fmc's: SIGALRM is blocked as it was when fmc was started. */
void tick_leave_mask(void);

#endif
