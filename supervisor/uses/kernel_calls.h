#ifndef FMC_SUPERVISOR_USES_KERNEL_CALLS_H
#define FMC_SUPERVISOR_USES_KERNEL_CALLS_H

#include "supervisor/process/kernel_objects.h"

/* Of a call that transfers from one object into another: the second one, which it would be on by a call of this kind alone. */
struct kernel_part {
	enum object_class class; /* CLASS_NONE: there is none */
	enum op_kind kind;
	int descriptor, used; /* as below, like the rest */
	bool moves, never_waits, others;
};

/* A system call on an object of the kernel that threads could share. */
struct kernel_call {
	enum object_class class;
	enum op_kind kind;
	int descriptor;	     /* by which it is known that threads share it; 0: such objects are all shared */
	int used;	     /* the descriptor in the call */
	uint64_t id, sender; /* of the object, as kernel_intern() takes them */
	uint64_t other, other_sender; /* the same of a second one; 0: there is none */
	uint64_t amount;	      /* op.arg */
	uint64_t name;		      /* where the address of somebody is that the call is given; 0: none */
	uint32_t name_size;
	char label[KERNEL_NAME],
	    other_label[KERNEL_NAME]; /* the names of files, as far as there is room for them */
	bool never_waits;
	bool moves;	       /* the place in a file at which the descriptor stands */
	bool others;	       /* may have the object, by its name or number */
	bool told;	       /* inotify(7) tells of it: that is the second object */
	bool named;	       /* a FIFO that others could come to, if they knew of it */
	bool can_be_operation; /* else what it does isn't followed, or the object is also that of others */
	struct kernel_part second; /* of class and number as `other` */
	enum op_kind own_kind; /* where there is a second one: what the call would be on the first alone */
};

/*
 * Is this call, before which the thread stands, such a one? Those whose object nobody can tell are (CLASS_NONE). One that only
 * closes a descriptor is an operation or nothing.
 */
bool kernel_call_decode(struct process *process, struct tracee *tracee, long number,
			struct kernel_call *call);

/* The same of one that doesn't transfer from one descriptor to another. */
bool kernel_call_decode_single(struct process *process, struct tracee *tracee, long number,
			       struct kernel_call *call);

/* One end of one that does: so many bytes are read from, or written into, what this descriptor leads to, if that isn't a regular file. False, of class CLASS_NONE: it's nothing of what can be such. */
bool kernel_call_decode_end(struct process *process, int descriptor, bool into, uint64_t amount,
			    struct kernel_call *call);

/* The same of a regular file; moves: at the place at which the descriptor stands. */
bool kernel_call_decode_contents(const struct process *process, int descriptor, bool into, bool moves,
				 struct kernel_call *call);

/* Is the process such that it has locks, queues and files for itself, and no copy of it has them, too? */
bool kernel_call_has_own(const struct process *process);

/* The same of one that opens a FIFO by its name; its pipe is the second object. */
bool kernel_call_decode_fifo(const struct process *process, const struct user_regs_struct *regs, long number,
			     struct kernel_call *call);

/* The same of one that asks what there is to read. */
bool kernel_call_decode_asked(struct process *process, int descriptor, struct kernel_call *call);

/* The same of one that asks a queue of POSIX, if the descriptor leads to one. */
bool kernel_call_decode_letters(const struct process *process, int descriptor, struct kernel_call *call);

/* The same of locks of files, semaphores and queues. */
bool kernel_call_decode_other(const struct process *process, const struct user_regs_struct *regs, long number,
			      struct kernel_call *call);

/* kernel_others.c: of a set of semaphores or a queue by its number: nobody else has it by a key, or nobody has it any more. */
bool kernel_is_private_set(int set);
bool kernel_is_private_queue(int queue);

/* Does the process unlock files as it becomes another program (FD_CLOEXEC)? */
bool kernel_exec_unlocks(const struct process *process);

/* kernel_files.c: the same of regular files, as far as it is their contents or their length that matter. */
bool kernel_call_decode_file(const struct process *process, const struct user_regs_struct *regs, long number,
			     struct kernel_call *call);

/* names.c: the same of names of files that threads share. kernel_call_decode() doesn't look for these. */
bool kernel_call_decode_name(const struct process *process, const struct user_regs_struct *regs, long number,
			     struct kernel_call *call);

/* asked.c: do threads wait for sets of epoll, so that what is in one is ready in an order that counts? learn: they do from now on. */
bool sets_shared(const struct process *process);
void sets_learn(struct process *process);

/*
 * events.c: what inotify(7) tells of as an object. set: a call that changes it. add: the call does as well as what it is otherwise. shared: is it known
 * that it matters to threads? learn: from now on. tell: is one of the process's descriptors told of changes of names in this folder, of a write by this
 * descriptor? decode: is this call one that reads what has been told, or closes what has been written and is told of that? note: the thread is
 * about to make a call which may be such a close.
 */
#define EVENTS_OF_FILES "events of files"
#define EVENTS_KNOWN_BY INT32_MAX
#define SETS_KNOWN_BY	(INT32_MAX - 1)
#define POLLS_KNOWN_BY	(INT32_MAX - 2)
void events_set(struct kernel_call *call);
void events_add(struct kernel_call *call);
bool events_shared(const struct process *process);
void events_learn(struct process *process);
struct stat;
bool events_tell_names(const struct process *process, const struct stat *folder);
bool events_tell_write(const struct process *process, int descriptor);
bool events_decode_read(const struct process *process, const struct user_regs_struct *regs, long number,
			struct kernel_call *call);
bool events_decode_close(const struct process *process, const struct user_regs_struct *regs, long number,
			 struct kernel_call *call);
void events_note_close(struct process *process, long number, const struct user_regs_struct *regs);

/*
 * kernel_connections.c: has this socket, whose file has this number, a name, or the other end? decode: which object the call of this kind is on;
 * `call` has the rest, the socket's number as its id. False: on none.
 */
bool kernel_call_has_name(struct process *process, int descriptor, uint64_t socket);
/* Is it one end of a stream that never waits, where calls on connections are no operations? */
bool kernel_call_is_outside(struct process *process, int descriptor);
/* The thread stands before connect(): does nobody of the program listen there? */
bool kernel_call_is_refused(const struct process *process, uint32_t thread);
bool kernel_call_decode_connection(struct process *process, enum op_kind kind, struct kernel_call *call);

#endif
