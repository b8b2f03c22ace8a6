#ifndef FMC_SUPERVISOR_AGENT_H
#define FMC_SUPERVISOR_AGENT_H

#include <fmc/breakpoints/leads.h>
#include <fmc/supervisor/execution.h>
#include <fmc/supervisor/tried.h>
#include <fmc/supervisor/unwatched.h>

#include <sys/stat.h>

/*
 * Between fmc and the agent, which runs whole executions inside of a target: one piece of memory that both have at the same address,
 * so that what points into it is right on either side. They take turns. fmc writes the plan and lets the target run; the agent
 * goes back to the beginning, runs it, and stops at agent_table.turn with the trace. Where it meets what it doesn't know it gives up:
 * `refusal` says why, and the same plan is run by stops.
 *
 *     fmc --plan--> agent: restore, [choose, perform, arrive]*, trace --turn--> fmc
 */
#define AGENT_REGION	   UINT64_C(0x210000000000)
#define AGENT_REGION_BYTES (UINT64_C(256) << 20)
/* The agent's own memory, for copies of the program's. */
#define AGENT_KEPT	 UINT64_C(0x220000000000)
#define AGENT_KEPT_BYTES (UINT64_C(4) << 30)
/* All that it has, its image as well, lies between these. */
#define AGENT_LOWEST (AGENT_REGION - (UINT64_C(1) << 44))
#define AGENT_END    (AGENT_KEPT + AGENT_KEPT_BYTES)

#define AGENT_CHECK	   UINT64_C(0x666d63206167656e) /* around what the agent writes */
#define AGENT_AREAS	   512
#define AGENT_RANGES	   16
#define AGENT_HOLES	   64
#define AGENT_READABLE	   1024
#define AGENT_FILES	   64 /* descriptors below this */
#define AGENT_TOLD	   32
#define AGENT_NAMES	   32
#define AGENT_CLOSINGS	   16
#define AGENT_LIBRARIES	   16
#define AGENT_PROCESSORS   128 /* bytes of a set of them, as in struct affinity */
#define AGENT_ENTRIES	   1024
#define AGENT_STEPS	   20000
#define AGENT_SLEEPERS	   256
#define AGENT_ACCESSES	   8192
#define AGENT_THREADS	   64
#define AGENT_OBJECTS	   4096
#define AGENT_INSTRUCTIONS 1024
#define AGENT_PAD	   32
#define AGENT_PAGES	   (1 << 18) /* of the base, and of what executions write */
#define AGENT_SPACES	   512
#define AGENT_STACK	   (UINT64_C(1) << 20)

enum agent_refusal {
	AGENT_NONE,
	AGENT_BY_ENTRY,	 /* an operation that it doesn't know: `detail` is its kind */
	AGENT_BY_CALL,	 /* a system call that it doesn't answer: its number */
	AGENT_BY_MANNER, /* an operation is performed in a way that it can't: its kind */
	AGENT_BY_ROOM,	 /* too much of something */
	AGENT_BY_STATE,	 /* what is there isn't as it should be, or only fmc can tell how it is */
	AGENT_BY_STOP,	 /* fmc has seen why, and asked for it */
	AGENT_BY_ROUND,	 /* a thread may be in a loop that waits for memory, which is tried out by stops */
};

/* In place of a system call's number: the thread stands anywhere, and the attempt is to be given up. */
#define AGENT_GIVE_UP INT32_MAX

/* A range of addresses, from low up to high. */
struct agent_range {
	uint64_t low, high;
};

struct agent_file {
	uint64_t device, inode;
};

/* A file that is changed, by a digest of its name's last part, and what there was by it at first; inode 0: nothing. */
struct agent_name {
	uint64_t digest, device, inode;
};

static inline uint64_t agent_name_digest(const char *path)
{
	uint64_t digest = 0;
	for (; *path; path++)
		digest = *path == '/' ? 0 : (digest ^ (unsigned char)*path) * UINT64_C(0x100000001b3) + 1;
	return digest;
}

/*
 * A thread has closed what another one has used before: each in its last transition before this number. If nothing orders them the search doesn't know of
 * the other order.
 */
struct agent_closing {
	struct agent_use {
		uint32_t thread, transitions;
	} use, closing;
};

/* A thread's registers where it stands. */
struct agent_context {
	uint64_t rax, rbx, rcx, rdx, rsi, rdi, rbp, rsp, r8, r9, r10, r11, r12, r13, r14, r15, rip, flags,
	    fs_base;
	uint32_t mxcsr, x87; /* control words, which a function keeps for its caller */
	uint64_t gs_base;
};

/*
 * Where an execution has ended: its threads, what it has mapped, what it has unmapped of the areas, and where it was told what is another in each, as
 * the time at which output was last written.
 */
struct agent_left {
	uint32_t threads_length, mapped_length, holes_length, told_length;
	struct {
		struct agent_context context;
		uint64_t pthread;
		bool exited;
		bool calls; /* it stands before a function */
	} threads[AGENT_THREADS];
	struct agent_range mapped[AGENT_SPACES];
	struct agent_range holes[AGENT_HOLES];
	struct agent_range told[AGENT_TOLD];
};

struct agent_region {
	/* fmc's, before the first turn. */
	uint64_t check_low;
	uint32_t areas_length, ranges_length, entries_length;
	struct agent_range areas[AGENT_AREAS]; /* writable memory, in ascending order; */
	bool nameless[AGENT_AREAS];	       /* it is no file's, stack or heap */
	uint64_t guarded[AGENT_AREAS]; /* from there up to it there is such memory that nobody may touch */
	struct agent_range readable[AGENT_READABLE]; /* memory of its own that it may only read */
	uint32_t readable_length;
	struct agent_range ranges[AGENT_RANGES]; /* libc's own */
	struct entry_lead entries[AGENT_ENTRIES];
	uint64_t lock, unlock; /* the real pthread_mutex_lock() and pthread_mutex_unlock() */
	uint64_t system_call;  /* `syscall; ret` whose calls no filter stops */
	uint32_t pages_most;   /* of the base: where there is more the agent refuses */
	int pagemap;	       /* descriptor in the target of its own /proc/self/pagemap */
	int32_t number;	       /* of the process; threads have those after it */
	uint64_t ended;	       /* child processes, as target_children_ended() */
	uint64_t brk;
	uint64_t random; /* as target_random_state() */
	/* What the clocks show at first. */
	int64_t realtime, monotonic, processor_time;
	uint64_t zero_time; /* address of a struct timespec of 0 */
	bool captured
	    [3]; /* descriptors to which the program's output goes: that of the execution is of no use to anybody */
	uint64_t printed; /* bytes of output before the beginning */
	/* Of the files that it has open at the beginning, and can only read: where it reads next. -1: it isn't such a one. */
	int64_t places[AGENT_FILES];
	/* Of those that it has open to write, which are files in memory that are nobody else's: what they were, and how they were opened; 0: it isn't such a one. */
	struct {
		struct stat file;
		uint64_t flags;
	} written[AGENT_FILES];
	struct agent_name names
	    [AGENT_NAMES]; /* of files that it has changed before the beginning, and that are as before again */
	uint32_t names_length;
	uint64_t signal_mask;
	uint8_t processors[AGENT_PROCESSORS]; /* that there are */
	struct affinity affinity;	      /* the main thread's at first */
	bool fs_by_call;	    /* the kernel doesn't let programs set the base of fs by themselves */
	struct agent_context first; /* the main thread, */
	struct call call;	    /* before this */
	struct good_ends good_ends;
	bool ends_at_circles;
	/* fmc's, at each turn. */
	bool tells; /* the agent is to say what it comes to: `left` */
	bool opens; /* the program may open files: all executions find the same ones */
	struct plan plan;
	struct step steps[AGENT_STEPS];
	struct sleeper sleepers[AGENT_SLEEPERS];
	struct access accesses[AGENT_ACCESSES];
	struct profile profile; /* of the plan's policy, if that has one */
	struct profile_thread profile_threads[AGENT_THREADS];
	uint32_t groups[AGENT_STEPS];
	struct tried_rounds tried;
	/* Files whose code may be mapped: there is nothing in it that would have to be seen. */
	struct agent_file libraries[AGENT_LIBRARIES];
	uint32_t libraries_length;
	/* fmc's, as it learns of them within turns: instructions that are operations, by number. */
	struct instruction_lead instructions[AGENT_INSTRUCTIONS];
	uint32_t instructions_length;
	/* Both's: which thread runs, and what counters it and others have come to. */
	uint32_t running;
	struct unwatched counters;
	/* The agent's. */
	enum agent_refusal refusal;
	uint64_t detail;
	struct agent_closing closings[AGENT_CLOSINGS];
	uint32_t closings_length;
	uint32_t fresh; /* pages that were taken back because they weren't there at first */
	struct trace trace;
	struct agent_left left;
	uint64_t check_high;
};

/* The image's entry point isn't code but this. */
struct agent_table {
	uint64_t
	    enter; /* where the target's thread begins, on `stack`: it has the first turn when it stops */
	uint64_t stack;
	uint64_t turn; /* address of the trap instruction at which it stops */
	uint64_t door; /* doors lead here, with the entry's number in r11d */
	uint64_t
	    call; /* a thread that stands before a system call goes on here: its number in r11, where it stands in rcx */
	/*
	 * And one before an instruction of agent_region.instructions goes on at AGENT_PAD bytes after this for each number, or after its copy at
	 * those after that.
	 */
	uint64_t before, after;
};

#endif
