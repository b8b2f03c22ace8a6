#ifndef FMC_SUPERVISOR_PROCESS_KERNEL_OBJECTS_H
#define FMC_SUPERVISOR_PROCESS_KERNEL_OBJECTS_H

#include "supervisor/process/process.h"

#include <limits.h>

/*
 * Objects of the kernel as those of a model: pipes, FIFOs, eventfds, pairs of sockets, by what the kernel says of the process's
 * descriptors. Nothing here changes them.
 */

/* What a descriptor leads to. */
struct kernel_end {
	enum object_class class; /* CLASS_NONE: something else */
	uint64_t id;		 /* that of the object; of a socket its own */
	/* For what it has been opened; of what is no eventfd only after a closer look, which takes longer: */
	bool reads, writes, blocking;
	bool named;	 /* others may come to it by a name */
	uint64_t number; /* of an eventfd */
};
bool kernel_look(const struct process *process, int descriptor, struct kernel_end *end);
void kernel_look_closer(const struct process *process, int descriptor, struct kernel_end *end);

/* Has the process both ends of this pipe, and nobody else a name for it? */
bool kernel_owns_pipe(const struct process *process, const struct kernel_end *end);

/* The socket at the other end of a pair; 0: it isn't known. */
uint64_t kernel_peer(struct process *process, uint64_t socket);

/* Is the descriptor one of a pair that one of the processes has made that are followed, so that others have neither end? */
bool kernel_made_pair(const struct process *process, int descriptor);

/* One of the program's descriptors as fmc's own, to be closed; -1. */
int kernel_duplicate(const struct process *process, int descriptor);

/* Does poll(2) tell of any of these events there? True as well: the descriptor can't be asked. */
bool kernel_is_ready(const struct process *process, int descriptor, short events);

/* The same of the end of an object that is read, or written. */
int kernel_duplicate_end(const struct process *process, const struct kernel_object *object, bool writes);

/* Do both descriptors of the program lead to what has been opened once, so that each moves the other's place in the file? */
bool kernel_same_place(const struct process *process, int one, int other);

/* The number of an object, if it is known; NO_OBJECT. */
uint32_t kernel_find(const struct process *process, enum object_class class, uint64_t id);

/*
 * The same, and it is added if it isn't known. `sender`: of a queue the socket that sends. NO_OBJECT: there are too many, or no memory.
 */
uint32_t kernel_intern(struct process *process, enum object_class class, uint64_t id, uint64_t sender);

/* The object is this file's: it is called by its name. */
void kernel_call_file(struct process *process, uint32_t object, int descriptor);
/* The same of a path. */
void kernel_call_name(struct process *process, uint32_t object, const char *path);

/* After this operation: what the kernel says of its object; false: the process is gone. */
bool kernel_ask(struct process *process, const struct op *op, struct observation *said);

#define KERNEL_CHANGES_UNSEEN                                                                                \
	"objects of the kernel that change by themselves, or in ways that fmc doesn't know"

/* Does the model say of the operation's objects what the kernel says of them? Else it is told, and so is the verdict. */
void kernel_verify(struct process *process, const struct op *op);

/* This object has changed by no operation: who waits for it looks again. The same of locks of files. */
void kernel_change(struct process *process, uint32_t object);
void kernel_unlocked(struct process *process);

/* The same for all of them: a process has ended, or has become another program, and has closed what it had. */
void kernel_look_again(struct process *process);

/*
 * kernel_tries.c: op_is_tried(): would the call before which the thread stands wait? If it takes a lock it has it then. removed: it has
 * waited, and what it waited for is gone.
 */
enum tried kernel_try(struct process *process, uint32_t thread);
/*
 * file_locks.c: does another process lock this file? owns: has the present one a lock of its own on it, which it loses with the first descriptor
 * of it that it closes? try: the thread stands before a call on such locks (F_SETLKW); process_thread.refused: the kernel wouldn't let it wait.
 */
struct stat;
bool kernel_others_lock(const struct process *process, const struct stat *file);
bool kernel_owns_lock(const struct process *process, const struct stat *file);
enum tried kernel_try_lock(struct process *process, uint32_t thread, const struct stat *file);
/* Does it wait for what another process may send or begin? */
bool kernel_may_hear(const struct process *process, uint32_t thread, const struct op *op);
bool kernel_removed(const struct process *process, uint32_t thread);
/* Is there any of these events (poll(2)) at this descriptor, or within the moment that a connection may take? True as well: it can't be asked. */
bool kernel_is_open(const struct process *process, int descriptor, short events);
/* Is the descriptor one end of a connection, and has nothing of this (poll(2); 0: to read) come there by now? */
bool kernel_waits_for_peer(const struct process *process, int descriptor, short events);
/* A process has ended, or has become another program: who sleeps at a connection of which that has closed the other end is to look again. */
void kernel_disconnected(struct process *process);

/*
 * fifos.c: calls that open FIFOs by their names. find: is this one, before which a thread stands, such a call? made: the program has made what is there.
 */
struct fifo_call {
	char path[PATH_MAX + 48]; /* as fmc can open it */
	int flags;
	uint64_t id; /* as that of its pipe */
};
bool kernel_find_fifo(const struct process *process, const struct user_regs_struct *regs,
		      struct fifo_call *call);
bool kernel_made_fifo_at(const struct process *process, const struct fifo_call *call);
bool kernel_made_fifo(const struct process *process, int descriptor);

/*
 * try: as kernel_try(). open: the thread's call is made, and others that wait for this hear of it; false: it is to be made as any other one. met: has
 * somebody come for whom the thread waits? waits: would its call wait now, or does it? settle: those who don't wait any more, as a signal's handler or
 * somebody's exit has ended that, don't count as ends either, but for this thread, whose turn it is. release: nobody does.
 */
enum tried kernel_try_fifo(struct process *process, uint32_t thread, const struct user_regs_struct *regs);
bool kernel_open_fifo(struct process *process, uint32_t thread, int64_t *result);
bool kernel_fifo_met(const struct process *process, uint32_t thread);
bool kernel_fifo_waits(const struct process *process, uint32_t thread);
void kernel_settle_fifos(struct process *process, uint32_t thread);
void kernel_release_fifos(struct process *process);

/* These objects are a FIFO with a name and its pipe. */
void kernel_call_fifo(struct process *process, uint32_t fifo, uint32_t pipe, bool others);

/* Can somebody write into the pipe that is read by this descriptor of fmc's? */
enum writers {
	WRITERS_NONE,
	WRITERS_SOME,
	WRITERS_UNKNOWN /* there is something to be read, which those may have left who are gone */
};
enum writers kernel_look_for_writers(int reader);

/* Has one of the processes this end of the pipe with this number? */
bool kernel_has_end(const struct process *process, uint64_t pipe, bool writes);

/* A write of so many bytes has been found to wait. */
void kernel_waits(struct process *process, uint32_t object, uint64_t bytes);

/* The process is another one, with the same descriptors: its objects have other numbers in the kernel. */
void kernel_restore(struct process *process);

/*
 * A digest of what all of them hold, and of who waits for which lock; it stays there. False: it can't be told.
 *
 * kernel_holds.c, kernel_names.c: of one object. False: that can't be told, and counts by how often it has been changed. known: the name with this
 * number is in this folder. Messages of a POSIX queue are taken for it and put back, but only where it has no name any more and all who have it are
 * stopped.
 */
bool kernel_digest(const struct process *process, uint64_t *digest);
uint64_t kernel_mix(uint64_t digest, const void *bytes, size_t length);
bool kernel_semaphores_digest(uint64_t id, uint64_t *digest);
bool kernel_queue_digest(const struct process *process, uint64_t id, uint64_t *digest);
bool kernel_connections_digest(const struct process *process, uint64_t *digest);
bool kernel_name_digest(const struct process *process, uint64_t id, uint64_t *digest);
bool kernel_name_known(const struct process *process, uint64_t id);
void kernel_name_place(struct process *process, uint64_t id, const char *folder, const char *name);
void kernel_names_release(struct process *process);

/* Of each descriptor of all processes that are followed it is asked, until the answer is no; `copy` is fmc's own, -1: it can't be had. */
typedef bool kernel_about(struct target *target, int descriptor, int copy, void *context);
bool kernel_all_descriptors(const struct process *process, kernel_about *ask, void *context);

/* "pipe 3, 4", by its descriptors. */
void kernel_name(const struct process *process, uint32_t object, char *text, size_t room);

#endif
