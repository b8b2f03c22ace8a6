#ifndef FMC_TRACER_TARGET_H
#define FMC_TRACER_TARGET_H

#include <fmc/tracer/status.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/user.h>
#include <time.h>

/*
 * A target: one supervised process and the threads in it, each a tracee.
 *
 * The mechanics only: what a mutex is, nobody knows here. Every waitpid() of the program is in tracer/target/wait.c,
 * every PTRACE_CONT and its kin in tracer/target/resume.c; but snapshots (snapshot/snapshot.h), which are no targets, have theirs in
 * tracer/snapshot/attach_thread.c, processes that fmc didn't start and runs all the same (foreign.h) in the room tracer/foreign, and those that it
 * holds (image_file.h) in tracer/held/held_stop.c.
 *
 * Life of a tracee (the function that takes it along each edge); any other edge ends fmc, see tracee_enter():
 *
 *     BORN --target_wait--> STOPPED --target_resume--> RUNNING --target_wait--> STOPPED ...
 *     RUNNING --target_wait: STOP_EXITING--> EXITING --target_resume, target_wait: STOP_EXITED--> DEAD
 *     any --SIGKILL--> DEAD, perhaps by way of EXITING
 *     any but DEAD --exec, of the thread that has the process's number then--> STOPPED
 *     STOPPED --seen at its next stop, having been let run by the kernel--> STOPPED
 *     DEAD --in a copy, where it is made again--> BORN
 */
struct target;

enum tracee_life {
	TRACEE_BORN,	/* announced by its creator's stop, its own first stop not seen yet */
	TRACEE_STOPPED, /* registers and memory may be used, may be resumed */
	TRACEE_RUNNING,
	TRACEE_EXITING, /* stopped for the last time, on its way out */
	TRACEE_DEAD,	/* reaped; only tid and index may be used */
};

/* What is to be put right when the system call that a tracee is in has been executed. */
struct after_call {
	bool due, keeps_result;
	uint64_t rdi, rsi, rdx;
	int64_t result;
	bool sets_stack;
	stack_t stack; /* its alternate one, if the call succeeds */
	uint64_t word; /* where the kernel may have written the tracee's tid; 0: nowhere */
	uint64_t
	    notified_word; /* where the kernel was told a tid by fmc instead of this number; 0: nowhere */
	int32_t notified;
	bool tells_owner;    /* its result is a process as the kernel calls it, or minus a group */
	uint64_t told_owner; /* where the kernel writes a struct f_owner_ex; 0: nowhere */
	uint64_t told_child; /* where it writes which child has ended; 0: nowhere */
};

/* A transfer that a stop has cut short, and whose rest is done in a call of its own: the program's, and what is done of it. */
struct cut_call {
	bool goes_on;
	long number;
	uint64_t arguments[6];
	uint64_t done;
	bool within; /* its rest is of the last of the messages in `done` */
};

/* What a debug register watches: `size` bytes (1, 2, 4 or 8) at an address that is a multiple of it. */
struct hardware_watch {
	uint64_t address;
	uint8_t size;
	bool write_only; /* else reads, too */
	/*
	 * Instead of accesses to memory, size 1: that an instruction is about to be made there. STOP_WATCH comes before it, with RF
	 * set among the flags, so that it isn't noticed again when the tracee goes on.
	 */
	bool execute;
};

#define HARDWARE_WATCHES 4

/* Which processors a thread may use, as it is told. */
struct affinity {
	bool set;		       /* else all that the target could use if fmc hadn't put it on one */
	bool by_other;		       /* another thread has set it */
	bool asked;		       /* it, or the number of its processor, has been asked for */
	unsigned char processors[128]; /* as bits */
};

/* Of those wanted only what there is, as many bits; false: that is none. */
static inline bool affinity_limit(struct affinity *wanted, const unsigned char *all)
{
	bool any = false;
	for (size_t i = 0; i < sizeof wanted->processors; i++)
		any |= (wanted->processors[i] &= all[i]) != 0;
	return any;
}

/* The first of as many bits that is set, else the last one. */
static inline uint32_t affinity_first(const unsigned char *processors)
{
	uint32_t first = 0;
	while (first + 1 < 8 * sizeof(((struct affinity *)0)->processors) &&
	       !(processors[first / 8] >> first % 8 & 1))
		first++;
	return first;
}

struct tracee {
	struct target *target;
	pid_t tid;
	uint32_t index; /* in order of creation, 0 for the main thread */
	enum tracee_life life;
	struct user_regs_struct regs; /* valid while STOPPED or EXITING and regs_known: use tracee_regs() */
	bool regs_known;
	bool regs_changed; /* to be written back when resumed */
	uint64_t runs;	   /* grows with each stop, and whatever else may have changed its registers */
	bool stepping;	   /* resumed by target_step() */
	bool interrupting; /* STOP_INTERRUPT has been asked for, and nothing has been told since */
	uint8_t watches;   /* so many hardware watchpoints are set: */
	struct hardware_watch watched[HARDWARE_WATCHES];
	bool at_syscall;  /* its stop is STOP_SYSCALL */
	bool blocks_trap; /* the program has blocked SIGTRAP; for the kernel it stays open */
	int at_signal;	  /* its stop is STOP_SIGNAL, with this number; else 0 */
	struct after_call after_call;
	struct cut_call cut_call;
	uint64_t clear_tid;   /* the word that the kernel clears at its end, as far as it is known */
	stack_t signal_stack; /* its alternate one */
	uint64_t
	    robust_due; /* in a copy: its list of robust mutexes, of which the kernel hears when it runs; 0: nothing due */
	int64_t used_ns; /* virtual: processor time since it was created */
	struct affinity affinity;
	int deferred_signal; /* arrived at a bad moment, delivered when next resumed */
};

enum stop_kind {
	STOP_TRAP,  /* int3: regs.rip is after it; address is that of the int3 */
	STOP_STEP,  /* one instruction done; whether it touched what is watched, tracee_watches_hit() says */
	STOP_WATCH, /* running freely, the instruction before regs.rip has touched what is watched */
	STOP_SYSCALL, /* the filter caught system call `number`, not executed yet: see tracee_skip_syscall()
		       */
	STOP_CLONE,   /* `child` has been created in this process, BORN or STOPPED; this tracee goes on when
			 resumed */
	STOP_FORK,    /* another process was created and has been let go (no traps, untraced or passed on) */
	STOP_EXEC,    /* the process has replaced its image; all other threads are gone */
	STOP_EXITING, /* on its way out of the kernel; value is the wait status to be */
	STOP_EXITED,  /* a thread is gone; for the last one of a process: value is the wait status */
	STOP_SIGNAL,  /* signal `number` is about to be delivered; resume with it, or with 0 to drop it */
	STOP_INTERRUPT, /* after tracee_interrupt(), or a group stop */
	STOP_OUTSIDE, /* started from an image file, and about to perform system call `number`, which needs what only
			   the original has or would change what isn't its own: target_outside() says what. Not executed
			   yet, as with STOP_SYSCALL; resuming performs it all the same. */
};

struct stop {
	enum stop_kind kind;
	struct tracee *tracee;
	struct tracee *child; /* STOP_CLONE */
	uint64_t address;     /* STOP_TRAP; STOP_SIGNAL: what was accessed, for SIGSEGV and SIGBUS */
	long number;	      /* STOP_SYSCALL, STOP_SIGNAL */
	int value;	      /* STOP_EXITING, STOP_EXITED: as waitpid() gives it */
};

pid_t target_pid(const struct target *target);
uint32_t target_tracees(const struct target *target);
struct tracee *target_tracee(const struct target *target, uint32_t index);

/* Is the whole process gone? */
bool target_gone(const struct target *target);

/*
 * Wait until `tracee` (any of the target's if NULL) stops or dies, and describe it in *stop. Births, exits
 * and children that the caller need not know of are dealt with inside. Stops of other tracees that arrive
 * meanwhile are queued and returned by a later call that asks for them.
 *
 * timeout_ms < 0 waits for ever; 0 only looks at what has already arrived.
 *
 * STATUS_OK and *stop; STATUS_TIMEOUT; STATUS_NO_TRACEES when none is left; STATUS_INTERRUPTED when
 * tracer_interrupted() became true. On any other value *stop is untouched.
 */
enum status target_wait(struct target *target, struct tracee *tracee, int timeout_ms, struct stop *stop);

/* Give a stop back: the next target_wait() for its tracee returns it again. At most one at a time. */
void target_push_back(const struct stop *stop);

/* Let a stopped tracee run on with this signal (0: none), its changed registers written back. STATUS_GONE if
 * it died. */
enum status target_resume(struct tracee *tracee, int signal);

/*
 * The same for a single instruction; the next stop is STOP_STEP (or another kind, if something intervenes). A system call
 * that the filter catches makes STOP_SYSCALL; stepping on from there gives STOP_STEP after the call. One that fmc answers
 * itself is a step like any other.
 */
enum status target_step(struct tracee *tracee, int signal);

/*
 * Let a stopped tracee perform one instruction, and wait until it stops. Signals from elsewhere are held back meanwhile, to arrive
 * when it is next resumed. *stop is STOP_STEP, and the instruction has been performed, or whatever has come instead: what the
 * instruction itself caused, a signal that can't be held back, or its end. STATUS_GONE.
 */
enum status tracee_perform(struct tracee *tracee, struct stop *stop);

/*
 * Make a running tracee stop (STOP_INTERRUPT), wherever it is. A system call that it waits in is begun again when it is resumed, or
 * gone on with where a part is done.
 */
enum status tracee_interrupt(struct tracee *tracee);

/* Registers, fetched on first use after a stop. NULL if the tracee is gone. */
struct user_regs_struct *tracee_regs(struct tracee *tracee);

/* The same, and they are written back when it is resumed. */
struct user_regs_struct *tracee_change_regs(struct tracee *tracee);

/*
 * At STOP_OUTSIDE: what the tracee is about to do, for people: "write to socket 7 (127.0.0.1:6379)", "open /tmp/x for writing".
 * Valid until the target's next stop.
 */
const char *target_outside(const struct target *target);

/* A duplicate of one of the target's descriptors, for fmc; -1: there is none, or it can't be had. */
int target_duplicate(struct target *target, int descriptor);

/*
 * Is this descriptor of a target that was started from an image file a pipe or an event counter of which nobody else has an end, or
 * an epoll set of these, so that a wait for it ends only by what the target's own threads do? False as well: it isn't known.
 */
bool target_owns(const struct target *target, int descriptor);

/*
 * The same of any target, as far as can be seen: both ends of a pipe or a pair of sockets are there. A child process may
 * have it as well, or whoever was sent it.
 */
bool target_made(const struct target *target, int descriptor);

/* Is it a socket by which others may talk with the process, or an epoll set that has one? False as well: it isn't known. */
bool target_meets_others(const struct target *target, int descriptor);

/* At STOP_SYSCALL: don't execute the call, let it return `result` (negative errno for failure). */
void tracee_skip_syscall(struct tracee *tracee, int64_t result);

/*
 * Vector and floating-point registers of a stopped tracee: the XSAVE area in the standard format. *size is the room, then
 * the length, which is the same for all threads of a machine; EXTENDED_ROOM is enough for every processor there is. The
 * header (bytes 512 to 575) may differ for the same contents.
 */
#define EXTENDED_ROOM 16384
enum status tracee_extended(struct tracee *tracee, void *area, size_t *size);
enum status tracee_set_extended(struct tracee *tracee, const void *area, size_t size);

/*
 * Let a stopped tracee watch these and nothing else; other threads don't, nor do those that it creates, nor copies. What
 * the kernel touches on behalf of the tracee isn't noticed. STATUS_UNSUPPORTED: too many, misplaced, refused by the
 * kernel, or without effect in this virtual machine; then nothing is watched.
 */
enum status tracee_set_watches(struct tracee *tracee, const struct hardware_watch *watches, size_t length);

/* Which of them the tracee has touched, watches[i] as bit i, since it was last resumed; 0 when asked again. */
unsigned tracee_watches_hit(struct tracee *tracee);

/* Memory. STATUS_GONE, or STATUS_NOT_FOUND if not all of the range is mapped; writing ignores page
 * protection. */
enum status target_read(const struct target *target, uint64_t address, void *to, size_t size);
enum status target_write(struct target *target, uint64_t address, const void *from, size_t size);

/* The same as the tracee would do it, to which page protection applies: STATUS_NOT_FOUND where it would get a SIGSEGV. */
enum status tracee_load(const struct tracee *tracee, uint64_t address, void *to, size_t size);
enum status tracee_store(const struct tracee *tracee, uint64_t address, const void *from, size_t size);

/*
 * Several ranges by one system call, one after the other into `to`; iov_base is an address in the target. Otherwise as target_read():
 * then some of it may have been read.
 */
struct iovec;
enum status target_read_ranges(const struct target *target, const struct iovec *ranges, size_t count,
			       void *to);

/*
 * Let a stopped tracee perform one system call, from fmc's own page in the target, and come back to where it
 * was, also to STOP_SYSCALL or STOP_SIGNAL. *result as the kernel gives it (negative errno). Not possible at STOP_CLONE,
 * STOP_FORK, STOP_EXITING.
 */
enum status tracee_syscall(struct tracee *tracee, long number, const uint64_t arguments[6], int64_t *result);

/*
 * Hold back all signals of a stopped tracee while it runs something for fmc; *before takes its own mask, to be given
 * back by tracee_unblock_signals().
 */
enum status tracee_block_signals(struct tracee *tracee, uint64_t *before);
enum status tracee_unblock_signals(struct tracee *tracee, uint64_t before);

/* Address of an int3 in fmc's page: a return address that gives control back. STOP_TRAP with this address
 * follows. */
uint64_t target_gadget_trap(const struct target *target);

/*
 * A page of fmc's own in the target, readable and executable (written from outside), within 1 GiB of `near`,
 * 64 KiB big; one is made when there is none yet. 0 if there is no room. Needs a stopped tracee.
 */
#define TARGET_NEAR_BYTES UINT64_C(0x10000)
uint64_t target_near_page(struct target *target, uint64_t near);

/* Is the address in memory that fmc has mapped there? */
bool target_is_own(const struct target *target, uint64_t address);

/*
 * Large rooms of fmc's own in the target, which cost nothing until something is written there, from `low` to `high`: for code that is executed,
 * else for data that it may write and that no digest counts. Copies have them too. False: not all of it is free, or there are too
 * many. Needs a stopped tracee.
 */
struct reserved {
	uint64_t low, high;
	bool code;
	bool shared; /* with fmc: inside_reserve() */
};
bool target_reserve(struct target *target, const struct reserved *room);
/* Number `i` of them; NULL: there are fewer. */
const struct reserved *target_reserved(const struct target *target, size_t i);

/*
 * New pages in the memory of a stopped tracee, NEAR_CODE_SIZE bytes, for code that may write to them: there, false if it isn't
 * free; or within 1 GiB of `near`, 0 if there is no room.
 */
#define NEAR_CODE_SIZE 8192
bool tracee_code_at(struct tracee *tracee, uint64_t address);
uint64_t tracee_near_code(struct tracee *tracee, uint64_t near);

/* True when the thread has left the kernel's task list as far as joiners can see (a zombie leader, or gone).
 */
bool tracee_is_zombie(const struct tracee *tracee);

/* Kill the process and reap every thread of it, then free everything. NULL is allowed. */
void target_kill(struct target *target);

/*
 * Where the program's variables are: the writable segments of the program and of libraries that aren't the system's, in ascending order.
 * Returns how many, at most `room`; 0 also where that can't be read.
 */
struct target_range {
	uint64_t low, high;
};
size_t target_variables(const struct target *target, struct target_range ranges[], size_t room);

/* How often threads were stopped at system calls so far, also at those that fmc answered. */
uint64_t target_calls(const struct target *target);

/* CPU time that the tracee has used, in nanoseconds; 0 if it can't be read. */
uint64_t tracee_cpu_time(const struct tracee *tracee);

/* CPU time that all threads of the process have used, also those that have exited, in nanoseconds; 0 if it is gone. */
uint64_t target_cpu_time(const struct target *target);

/*
 * From now on it runs on another processor than the caller, where there is one: it can be stopped after some microseconds there, for which on
 * the same one the caller may have to wait for milliseconds. Not apart: on the caller's, where turns are quick, as at first. What it
 * starts or makes a copy of runs where it does.
 */
void tracee_run_apart(const struct tracee *tracee, bool apart);

/*
 * What the program knows the thread by: its tid. The main thread of a copy made in the middle of a run keeps that of the
 * process copied, which the program may have written down; with program.keeps_numbers all threads have numbers that are
 * the same in every execution.
 */
pid_t tracee_number(const struct tracee *tracee);

/* What is told of the signal at whose stop the tracee is; with setting it, of the one that it is resumed with. */
enum status tracee_signal_info(const struct tracee *tracee, siginfo_t *info);
enum status tracee_set_signal_info(const struct tracee *tracee, const siginfo_t *info);

/* Send a signal to the process; to this tracee of it if it isn't NULL. */
void target_send(const struct target *target, const struct tracee *tracee, int signal);
/* The same with what is to be told of it; its si_code is one that a process may give (rt_sigqueueinfo(2)). */
void target_queue(const struct target *target, const struct tracee *tracee, siginfo_t *info);

/*
 * From now on calls that transfer by a descriptor above 2, or set or ask something of it, stop all threads of the process, as STOP_SYSCALL; the tracee is stopped.
 * `standard`: of those up to 2 as well.
 * STATUS_UNSUPPORTED: the program has a filter of system calls of its own, which could forbid it.
 */
enum status target_watch_transfers(struct tracee *tracee, bool standard);

/*
 * From now on calls that change what the process has mapped are counted: a stop for each, of which nobody hears. The tracee is stopped.
 * target_mapping_calls: how many have begun; false: they aren't counted, or one may be under way. What stacks grow by is no call, but pages come
 * with it.
 */
enum status target_watch_mappings(struct tracee *tracee);
bool target_mapping_calls(const struct target *target, uint64_t *calls);

/* How many answers it has had that may be others the next time, whatever its threads do: what clocks show, and who its parent is. */
uint64_t target_passing_answers(const struct target *target);

/* Before it, or a child of its, changes a file, that is kept there (kept_files.h), borrowed; NULL: nowhere. */
struct kept_files;
void target_keep_files(struct target *target, struct kept_files *files);

/*
 * From now on every system call of the process stops it, as STOP_SYSCALL, and none is answered by the tracer; but not those from fmc's own
 * page. As long as it lives. STATUS_UNSUPPORTED: the kernel refuses the filter.
 */
enum status target_stop_all_calls(struct tracee *tracee);

/* Sets of signals from a tracee's status in proc(5), bit 0 is signal 1; pending: those for the process, too. */
struct signal_sets {
	uint64_t pending, blocked, ignored, caught;
	uint64_t of_process; /* of the pending ones, those that any thread of the process may take */
};

/* All are empty if it is gone. tracee_blocked: those that it has blocked, as it is told: the kernel may have fewer. */
struct signal_sets tracee_signals(const struct tracee *tracee);
uint64_t tracee_blocked(const struct tracee *tracee);

/*
 * Is any pending, blocked or not, for a stopped tracee; for the process of this stopped one? Twenty times as fast to ask as the sets, but one that was
 * sent with tgkill(2) beyond RLIMIT_SIGPENDING isn't seen. True if it can't be asked.
 */
bool tracee_has_signals(const struct tracee *tracee);
bool target_has_signals(const struct tracee *tracee);

/*
 * The system call in which a running tracee sleeps interruptibly now, and its first argument if it is asked for (not NULL); -1 if
 * it runs or waits for a disk.
 */
long tracee_blocked_in(const struct tracee *tracee, uint64_t *first);

/* SIGINT and SIGTERM set a flag that makes target_wait() return; installed once by the command. */
void tracer_catch_interrupts(void);

/*
 * Instead, what is sent to fmc (SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2) is for the program, but what its own
 * timers send. from_terminal: keys, too; else the program shares fmc's process group and has got those by itself.
 */
void tracer_pass_signals(bool from_terminal);
/* Have any come since it was asked last? Those that the program hasn't got yet; bit 0 is signal 1. */
bool tracer_take_signals(uint64_t *signals);
bool tracer_was_sent(int signal); /* such a signal has come, from whomever */
bool tracer_interrupted(void);
void tracer_clear_interrupt(void);

#endif
