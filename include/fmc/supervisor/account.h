#ifndef FMC_SUPERVISOR_ACCOUNT_H
#define FMC_SUPERVISOR_ACCOUNT_H

#include <fmc/supervisor/diagnosis.h>
#include <fmc/supervisor/report.h>
#include <fmc/tracer/activity.h>

/* A process that an account tells of, besides the one that it is of. */
struct account_process {
	pid_t pid;
	char name[16];
	struct snapshot *snapshot;
	struct inspection inspection;
	struct activity *settled;
	size_t settled_length;
	bool handlers, frozen, newcomers;
};

/*
 * An account of a process: how its threads stand at one moment, and what is wrong with them. It holds no more of the process
 * than its copy. Made by hand, it can be printed, too.
 */
struct account {
	struct snapshot *snapshot;
	struct inspection inspection;
	/* Those that its threads wait for, as far as they have been looked at; the situation is of all together then. */
	struct account_process *others;
	size_t others_length;
	struct inspection
	    all; /* the threads of the situation; what they own is the other inspections', but for their holders */
	struct situation situation; /* of the inspection; its arrays are the account's */
	struct diagnosis diagnosis;
	struct activity *settled; /* as soon as the process ran again; NULL: of a core file */
	size_t settled_length;
};

/*
 * Look at a live process once. It runs again before this begins to think, and nothing of it is changed (snapshot.h). So it is with others
 * that its threads wait for, if they may be looked at.
 *
 * STATUS_OK, else *account is NULL and `why` holds a line for the user: as snapshot_take().
 */
enum status account_look(pid_t pid, struct account **account, char why[256]);

/*
 * Is anybody stuck? Then look again without stopping anything. A thread that has run since isn't stuck, and the account says so no longer;
 * with what is still said there was a moment at which all whom it is about slept where they were seen. *sure: it is as it was.
 * STATUS_OK, STATUS_NO_MEMORY.
 */
enum status account_confirm(struct account *account, bool *sure);

/*
 * The same for a report: looks until one is sure, a few at most; a thread that runs is given some time to show whether it is hot.
 */
enum status account_attach(pid_t pid, struct account **account, char why[256]);

/* Look at a core file: as snapshot_of_core(). */
enum status account_core(const char *path, const char *program, struct account **account, char why[256]);

void account_free(struct account *account); /* NULL is allowed */

/*
 * Think again, with what is known of its threads from a second look (movement: one for each; interval_ns after this one).
 * STATUS_OK, STATUS_NO_MEMORY: it is as it was.
 */
enum status account_moved(struct account *account, const struct movement *movement, uint64_t interval_ns);

/*
 * Who has run between two readings (activity.h) of the process: one for each thread, to be freed; NULL without memory. A thread
 * that is missing in one has moved.
 */
struct movement *account_compare(const struct account *account, const struct activity *before,
				 size_t before_length, const struct activity *after, size_t after_length);

struct account_options {
	bool colours;
	bool all; /* each thread by itself, and all frames */
};

/*
 * In words: the causes, each with its evidence, then what every thread does, and its stack. Threads that do the same at the same
 * place are told together. Needs neither the snapshot nor the process.
 */
void account_print(const struct account *account, const struct account_options *options, FILE *stream);

/* The first half of that. */
void account_print_causes(const struct account *account, const struct account_options *options, FILE *stream);

/* How many frames of a stack are the program's: those of the C library that start a thread or main() are left out. */
size_t account_frames(const struct inspected_thread *thread);

#endif
