#ifndef FMC_TRACER_IMAGE_FILE_H
#define FMC_TRACER_IMAGE_FILE_H

#include <fmc/tracer/origin.h>

/*
 * An image file: a process that isn't fmc's, as it stood at one moment of its run, with all of its threads. Processes that
 * stand so are started from it as fmc's own, any number of times, also when the original has gone (program.image in
 * <fmc/tracer/origin.h>). It is an ELF core file with notes of fmc's own, so debuggers and snapshot_of_core() read it, too.
 *
 * A fork injected into the original would do for a moment: but its copies would be children of the original, which would
 * find their ends reported when fmc dies, and nothing could be started later.
 */

/* A process of others that stands still: each thread is stopped. It is as it was when it is let go, also if fmc is killed. */
struct held;

/*
 * Stop all threads of a process. No signal is sent or lost, and a system call that a thread sleeps in goes on as if nothing had
 * been; one that the kernel would end with EINTR is begun anew, so that a time-out of it may be exceeded.
 *
 * Otherwise *held is NULL, the process runs, and `why` holds one line for the user: STATUS_NOT_FOUND (no such process),
 * STATUS_DENIED (not permitted, traced by another), STATUS_UNSUPPORTED (32-bit, a zombie, a kernel thread, a thread can't be
 * stopped), STATUS_NO_MEMORY.
 */
enum status held_take(pid_t pid, struct held **held, char why[256]);
void held_release(struct held *held); /* lets it run on as it was; NULL is allowed */

/* Has it ended meanwhile, killed by somebody? */
bool held_gone(const struct held *held);

struct image_saved {
	uint64_t bytes; /* of the file */
	uint32_t threads;
};

/*
 * Save a held process to a new file, which is removed again if it fails. The threads are made to perform system calls that only
 * tell something; nothing of the process but dead bytes below its stack pointers is ever written to. Pipes, event
 * counters and epoll sets that nobody else has are saved with what is in them, and what is started from the file has ones of its
 * own.
 *
 * STATUS_UNSUPPORTED with one line for the user: the process has something that can't be had again: memory of devices,
 * io_uring, a filter of system calls of its own, signals on their way, a main thread that has ended. STATUS_SYSTEM: the file
 * can't be written, errno and `why` say why. STATUS_GONE: it has been killed.
 */
enum status held_save(struct held *held, const char *path, struct image_saved *saved, char why[256]);

/* What an image file tells. Everything that is returned is the file's. */
struct image_file;

/* STATUS_NOT_FOUND, STATUS_DENIED, STATUS_MALFORMED (no image of fmc's, damaged) with *file NULL and `why`. */
enum status image_file_open(const char *path, struct image_file **file, char why[256]);
void image_file_close(struct image_file *file); /* NULL is allowed */

const char *image_file_program(const struct image_file *file);	    /* path of the program */
char *const *image_file_arguments(const struct image_file *file);   /* NULL at the end */
char *const *image_file_environment(const struct image_file *file); /* NULL at the end */
const char *image_file_directory(const struct image_file *file);    /* its working directory */

/* The main thread first, then by number: the tracees of a target that is started have the same indices. */
uint32_t image_file_threads(const struct image_file *file);
pid_t image_file_number(const struct image_file *file, uint32_t thread); /* what the program knows it by */
const char *image_file_name(const struct image_file *file, uint32_t thread); /* the kernel's name of it */

/*
 * The registers of a thread as it begins: one that slept in a system call stands before its `syscall` instruction, with the
 * call's number and arguments in the registers. (The core file's own notes say how it stood in the call.)
 */
const struct user_regs_struct *image_file_regs(const struct image_file *file, uint32_t thread);
/* The call that the thread is about to perform so; -1: it runs its own code. */
long image_file_syscall(const struct image_file *file, uint32_t thread);

/*
 * What the original had and what is started from the file lacks, one line each: "socket 7 (127.0.0.1:6379)", "memory shared
 * with others (/dev/shm/x)". A use of a descriptor among them makes STOP_OUTSIDE.
 */
size_t image_file_absences(const struct image_file *file);
const char *image_file_absence(const struct image_file *file, size_t i);

#endif
