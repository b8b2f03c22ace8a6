#ifndef FMC_TRACER_ORIGIN_H
#define FMC_TRACER_ORIGIN_H

#include <fmc/tracer/target.h>

#include <sys/stat.h>

/* A program to be run, as the user names it. Everything is borrowed and must stay valid. */
struct program {
	const char *path;	/* of the file, already found in PATH */
	char *const *arguments; /* argv, NULL at its end */
	char *const *environment;
	const char *directory;	  /* working directory; NULL: the present one */
	int input, output, error; /* descriptors for 0, 1 and 2; -1: inherit */
	int64_t start_time; /* what the real-time clock shows at the start, in seconds since 1970; 0: now */
	/*
	 * The program finds the same numbers of itself and its threads (tracee_number()) in every execution of every origin: those that
	 * no process has, in order of creation.
	 */
	bool keeps_numbers;
	/*
	 * A saved image (<fmc/tracer/image_file.h>) that executions start from; NULL: the program's beginning. Path, arguments,
	 * environment, directory, input and start_time don't matter then. What the image's descriptors 1 and 2 led to is output
	 * and error.
	 */
	const char *image;
	/* Files that an execution changes are kept there as they were, for kept_files_restore(); NULL: they stay as it leaves them. */
	struct kept_files *kept_files;
};

/*
 * What executions start from: the state at the ELF entry point, before the program's first instruction; or that of a saved
 * image, with all of its threads.
 */
struct origin;

enum origin_kind {
	ORIGIN_AUTO, /* copies where possible */
	ORIGIN_EXEC, /* a fresh exec each time: always right, slow */
	ORIGIN_COPY, /* a fork injected at the origin */
};

/*
 * Called with a target stopped at its entry point, before it runs: plant traps here. With copies it is called
 * once for the process that all copies are made of, else for each execution. Of a saved image there is the memory and the
 * main thread then; the others come with each execution, anywhere in their code.
 */
typedef enum status origin_prepare(void *context, struct target *target, struct tracee *main);

/*
 * Check the program and make an origin of it. On failure *origin is NULL and `why` holds one line for the
 * user: STATUS_NOT_FOUND, STATUS_DENIED (no execute permission, ptrace refused), STATUS_UNSUPPORTED (32-bit,
 * no ELF file). With program.image: STATUS_MALFORMED (not an image, damaged), STATUS_DIVERGED (a file that the saved process
 * had mapped has changed since); always copies, with numbers kept.
 */
enum status origin_new(const struct program *program, enum origin_kind kind, origin_prepare *prepare,
		       void *context, struct origin **origin, char why[256]);
void origin_free(struct origin *origin);

/*
 * Start an execution: a target whose only thread is stopped at the entry point, or where origin_advance() took
 * it; from an image all threads are stopped, the main thread first, then by number. Ends with target_kill().
 */
enum status origin_start(struct origin *origin, struct target **target);

/*
 * Let executions start where `target` is stopped now, in the middle of its run: it becomes the origin's, and copies are
 * made of it from then on. For programs that do much before anything is to be decided.
 *
 * STATUS_UNSUPPORTED, the target is as it was and still the caller's, where executions aren't copies or copies
 * would share more than memory: files open for writing other than program.output, pipes, sockets, memory; or
 * lack something: pending signals, children.
 */
enum status origin_advance(struct origin *origin, struct target *target);

/*
 * Let a target that this origin started go on by itself from where it is stopped now, and change no file that others have: each that it has open for writing
 * but for those that it has begun with becomes one in memory, with the same bytes and flags, and it goes on in the same place there. *apart tells what they
 * were. STATUS_UNSUPPORTED, and it is of no use any more: it has children, timers, pending signals, memory that others share, or more files, or larger
 * ones, than are known how to be kept.
 */
#define OWN_FILES 16
struct own_files {
	struct own_file {
		int descriptor;
		unsigned flags; /* as open() takes them */
		int64_t place;
		struct stat file;
	} at[OWN_FILES];
	size_t length;
};
enum status origin_set_apart(const struct origin *origin, struct target *target, struct own_files *apart);

struct image;

/*
 * Take an image of a target that this origin started, with program.keeps_numbers; the origin outlives it. All threads of the
 * target are stopped or dead; it stays as it was, at its present stops. A thread that stands at STOP_SYSCALL or STOP_SIGNAL does
 * so in the copies. STATUS_UNSUPPORTED, and *image is NULL: copies would share more than memory or lack something, as with
 * origin_advance(), the main thread has exited, some thread runs, is on its way out or stands at STOP_CLONE. STATUS_GONE: the
 * target is.
 */
enum status origin_take_image(const struct origin *origin, struct target *target, struct image **image);

/* Has that been done, and holds still? A source that was killed from outside is made anew at the entry point. */
bool origin_advanced(const struct origin *origin);

/*
 * The number of the process that executions are copied from, another one for each; 0: there is none, or copies of it needn't be alike from their
 * first instruction on.
 */
uint64_t origin_source(const struct origin *origin);

/* The kind in use; never ORIGIN_AUTO once something has been started. */
enum origin_kind origin_kind(const struct origin *origin);

#endif
