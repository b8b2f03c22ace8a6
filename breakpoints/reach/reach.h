#ifndef FMC_BREAKPOINTS_REACH_REACH_H
#define FMC_BREAKPOINTS_REACH_REACH_H

#include <fmc/breakpoints/wait.h>
#include <fmc/tracer/snapshot.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

/* Who else can end a wait: the parts. */

/* Who has one end of a pipe, or a socket. */
struct end {
	uint64_t inode;
	pid_t pid;
	bool reads, writes;
};

/* Of all processes that may be looked at. */
struct ends {
	struct end *at; /* in ascending order of inodes */
	size_t length;
	bool
	    blind; /* there are processes that may not; or messages nobody has received yet have descriptors in them */
	bool known; /* has been looked for */
};

/* Look at all processes; does nothing if that has been done. */
void ends_find(struct ends *ends);
void ends_release(struct ends *ends);

/* The first end with this inode, its index; ends->length if there is none. */
size_t ends_first(const struct ends *ends, uint64_t inode);

/* Memory that a process shares with others: a file's, or that of a file without a name. */
struct shared_map {
	uint64_t device, inode;
	pid_t pid;
};

struct shared_maps {
	struct shared_map *at;
	size_t length, room;
	bool blind; /* as of ends */
	bool known;
};

void shared_maps_find(struct shared_maps *maps);
void shared_maps_release(struct shared_maps *maps);
/* Has the process mapped this file to share it? */
bool shared_maps_have(const struct shared_maps *maps, uint64_t device, uint64_t inode, pid_t pid);

/* All that is looked for in /proc while waits of some processes are looked at. */
struct world {
	struct ends ends;
	struct shared_maps maps;
};

/* One wait. */
struct reached {
	struct world *world;
	struct snapshot *snapshot;
	const struct inspection *inspection;
	const struct snapshot_thread *thread;
	struct wait *wait;
};

/* One more process, once; that of the wait itself sets `own` instead. False without memory. */
bool reach_add(const struct reached *reached, pid_t pid);

/*
 * Each fills in wait->reach for kinds of waits that it knows. They may leave it empty, which says that nothing is known.
 * False without memory.
 */
bool reach_pipe(const struct reached *reached);
bool reach_socket(const struct reached *reached);
bool reach_fifo(const struct reached *reached);
bool reach_opening(const struct reached *reached); /* a FIFO that is being opened */
bool reach_file_lock(const struct reached *reached);
bool reach_memory(const struct reached *reached);
bool reach_child(const struct reached *reached);
bool reach_set(const struct reached *reached); /* of semaphores of System V */

/* The folder of its descriptors, of a thread that lives, as a descriptor: a main thread that has exited has none any more. -1. */
int open_descriptors(int process);
/* "", or "task/7/": of a thread that lives, below the folder of a process. */
void living_part(int process, char part[32]);

/*
 * Does it hide something that a process couldn't be looked into, with this error? Not if it is gone, a thread of the kernel, or the first of
 * all processes, which has ends of everybody's or of nobody's.
 */
bool hides(pid_t pid, int error);

/*
 * What can't be looked into is looked at again, so often: a process may have more rights than fmc for a moment, before it executes its program.
 */
#define MOST_ROUNDS 3

/* Have two processes the same namespace of a kind ("pid")? False also where that can't be told. */
bool same_namespace(pid_t one, pid_t other, const char *kind);

/*
 * Descriptors of all processes whose link is `link`, some of them more than once. False: not all can be seen.
 * mode: of the link, whose owner's bits say how the file was opened. info: "fd/7" below `process`.
 */
typedef bool file_visitor(void *context, pid_t pid, int process, const char *name, mode_t mode);
bool files_visit(const char *link, file_visitor *visit, void *context);

/* A file lock, of a line of /proc/locks or of a descriptor's description. */
struct file_lock {
	unsigned number;
	bool waits;
	char kind[16]; /* FLOCK, POSIX, OFDLCK */
	int owner;     /* -1: an open file rather than a process */
	unsigned major, minor;
	uint64_t inode;
};
bool file_lock_parse(const char *text, struct file_lock *lock);

/* A small file of a process; its length. */
size_t text_of(pid_t pid, const char *file, char *text, size_t room);

/* A field of /proc/PID/status as a number. */
long status_number(const char *status, const char *name);

#endif
