#ifndef FMC_REPLAY_EXPORT_H
#define FMC_REPLAY_EXPORT_H

#include <fmc/replay/player.h>
#include <fmc/supervisor/process.h>

/*
 * A schedule for those who have no fmc: it is played once, and what every transition did is noted in addresses and
 * system calls, which are the same in each run without address randomisation. From that a script for GDB is written.
 */

/* Where a thread stands before an operation. */
struct stand {
	bool known;
	struct call call;   /* as process_call() */
	struct entry entry; /* if call.entry */
	long number;	    /* of a system call, else -1 */
	int descriptor;	    /* that the call reads or writes, else -1 */
	uint64_t address;   /* where the program counter is */
	bool fixed;	    /* the call is made by the program's own file, whose addresses don't change */
	bool
	    fence; /* it is no operation's place, but an instruction that waits for an empty buffer of stores */
};

struct export_step {
	struct stand stand; /* before it */
	struct performed performed;
	bool exits;   /* it was the thread's last */
	bool flushes; /* it let a store reach memory that had waited */
};

struct code_range {
	uint64_t low, high;
};

struct export
{
	const struct schedule *schedule;
	struct export_step *steps; /* one for each transition */
	size_t length;
	struct stand *ends; /* how the threads stand at the end, by number */
	uint32_t threads;
	uint64_t *objects; /* addresses, by number; 0 where it needn't be the same without fmc */
	uint32_t objects_length;
	struct code_range *libc; /* code and data of libc's own */
	size_t libc_length;
	uint64_t lock, unlock; /* functions of libc's that wait and return with a mutex; 0: it has none */
	uint64_t start;	       /* where the program begins, all libraries being there */
	uint64_t start_code;   /* 8 bytes of its first instructions that no other program has */
	uint64_t birth;	       /* where threads begin; 0: none did */
	uint64_t spin;	       /* END_SPIN: an instruction of the loop */
};

/*
 * Play the schedule and note what it does. The result is to be released in any case. As player_run(); also
 * STATUS_UNSUPPORTED with one line in `why` that names the transition: a debugger can't do that.
 */
enum status export_record(struct export *export, struct process *process, struct execution *execution,
			  const struct schedule *schedule, char why[256]);
void export_release(struct export *export);

/* The script: fmc-export(1). STATUS_SYSTEM if the stream is in error. `name` is the schedule's file. */
enum status export_write_gdb(const struct export *export, const char *name, FILE *stream);

#endif
