#ifndef FMC_SUPERVISOR_USES_USES_H
#define FMC_SUPERVISOR_USES_USES_H

#include "supervisor/process/process.h"

/* What threads may depend on that no operation stands for. */

/*
 * channels.c. note: the thread is about to make a system call that isn't an operation; may others wait for what it does?
 * watch: the process has a second thread, from now on that counts; this one stands before this operation.
 */
void channels_note(struct process *process, uint32_t thread, long number);
/* The same of one that is an operation on this object, where it is about another one as well. */
struct kernel_call;
struct agent_closing;
void channels_note_operation(struct process *process, uint32_t thread, long number,
			     const struct user_regs_struct *regs, const struct kernel_call *call);
void channels_watch(struct process *process, uint32_t thread, const struct op *op);
/* A new execution begins; there are no more of them. */
void channels_forget_all(struct uses *uses);
void channels_free_uses(struct uses *uses);
/* The thread is about to send a signal. */
void channels_note_signal(struct process *process, uint32_t thread, long number);

/*
 * contents.c: the thread is about to use what the descriptor leads to, in these ways (enum use, USE_POSITION); by this
 * descriptor.
 */
#define USE_POSITION 8 /* where it reads or writes depends on what was read, written or sought before */
void channels_note_descriptor(struct process *process, uint32_t thread, int descriptor, uint8_t ways);
/* The thread is about to read, write or ask by this descriptor, which hangs on what it leads to and on whether it waits (O_NONBLOCK). */
void descriptors_transfer(struct process *process, uint32_t thread, int descriptor);

/* find.c: what this descriptor of the program's leads to. */
struct stat;
bool channels_find_file(const struct process *process, int descriptor, struct stat *file);
/* What is asked of descriptors, until one says yes; `but`: all others are asked. */
typedef bool about_descriptor(const struct process *process, int descriptor, const void *context);
bool uses_any_descriptor(const struct process *process, int but, about_descriptor *ask, const void *context);
/* The same of the program's processes, one or those that are followed. */
typedef bool about_process(pid_t pid, const void *context);
bool uses_any_process(const struct process *process, about_process *ask, const void *context);
/* Does it ask for what is behind a descriptor, its first argument, as fstat() does? */
bool descriptors_asks(const struct process *process, long number, const struct user_regs_struct *regs);
/* Has the process a descriptor, besides the first three, by which a child that inherits it could do what fmc doesn't see to others: of events, of a FIFO with a name? */
bool channels_inherited(const struct process *process);
/* Is the call fstat() of a stream of libc's, which asks for its own sake? */
bool descriptors_asked_by_libc(const struct process *process, const struct user_regs_struct *regs);
/* The path that is at this address; false: it can't be read, or is too long. */
#define PATH_ROOM 256
bool files_read_path(const struct process *process, uint64_t address, char path[PATH_ROOM]);
/* The same of so many bytes. */
bool files_read_text(const struct process *process, uint64_t address, char *text, size_t room);

/*
 * gone.c: a number for the file, which no other one has had in this execution. may_go: the call that is about to be made takes away
 * a name of the file at this path, as fmc has it, or a descriptor of it. gone_settle: the calls noted so far have been made. begin: a new execution.
 */
uint64_t channels_file_id(const struct process *process, const struct stat *file);
void files_may_go(struct process *process, const char *path);
void files_may_go_by(struct process *process, int descriptor);
void files_settle(struct process *process);
void gone_begin(struct uses *uses);
void gone_release(struct uses *uses);

/*
 * uses.c. note: the thread uses such an object in these ways (enum use): what comes of it depends on others, or changes what
 * comes of theirs. The verdict tells of it once one thread's use may depend on another's; meet: does it by now? That isn't told. forget: all uses so far come before all
 * others. end: this object is gone, and the same number later means another. remark: the verdict is to tell of this kind anyway. ways: all that were noted of it.
 */
void uses_note(struct process *process, uint32_t thread, enum channel_kind kind, uint64_t id, uint8_t ways);
bool uses_meet(struct process *process, uint32_t thread, enum channel_kind kind, uint64_t id, uint8_t ways);
void uses_remark(struct process *process, enum channel_kind kind);
void uses_forget(struct uses *uses);
void uses_end(struct process *process, enum channel_kind kind, uint64_t id);
uint8_t uses_ways(const struct process *process, enum channel_kind kind, uint64_t id);
void uses_release(struct uses *uses);

/*
 * unordered.c: uses that need not be told if other operations order them. use: of what stays as it is; change: of what doesn't; renew: of what comes
 * anew, so that what was before is nothing to it. forget, begin, release: as above.
 */
void unordered_use(struct process *process, uint32_t thread, enum channel_kind kind, uint64_t id);
void unordered_change(struct process *process, uint32_t thread, enum channel_kind kind, uint64_t id);
void unordered_renew(struct process *process, uint32_t thread, enum channel_kind kind, uint64_t id);
void unordered_forget(struct uses *uses);
/* The same at once of an execution that the agent has run, with this trace. */
void unordered_judge_closings(struct process *process, const struct agent_closing *at, uint32_t length,
			      const struct trace *trace);
void unordered_begin(struct uses *uses);
void unordered_release(struct uses *uses);

/*
 * reopened.c: the thread is about to use this number of a descriptor; to close it, or to make it lead to something else; to make this call, by which it may get
 * others.
 */
void descriptors_used(struct process *process, uint32_t thread, int descriptor);
void descriptors_changed(struct process *process, uint32_t thread, int descriptor);
void descriptors_opened(struct process *process, uint32_t thread, long number,
			const struct user_regs_struct *regs);

/*
 * kernel_uses.c: the same of objects whose calls can be operations. note: the thread makes this call, which is one (`operation`), or isn't
 * yet. note_descriptor: it does something else with what is behind the descriptor. end: the object is gone.
 */
void kernel_use_note(struct process *process, uint32_t thread, const struct kernel_call *call,
		     bool operation);
void kernel_use_note_descriptor(struct process *process, uint32_t thread, int descriptor);
/* A thread sleeps in the call: another one has to use the object. False: that can't be known. */
bool kernel_use_learn(struct process *process, const struct kernel_call *call);
/* Are calls on the descriptor operations by now? */
bool kernel_call_shared(const struct process *process, const struct kernel_call *call);
/* Was it seen before that nobody else has the call's object? */
bool kernel_use_owns(struct process *process, const struct kernel_call *call);
/* The file is about to be mapped. */
void kernel_use_mapped(struct process *process, uint64_t id);
/* The descriptor of a file is closed. */
void kernel_use_closed(struct uses *uses, int descriptor);
void kernel_use_end(struct process *process, enum object_class class, uint64_t id);

/*
 * descriptors.c: the same of descriptors themselves; false: the call isn't about them. closed: the thread is about to close this one.
 */
bool descriptors_note(struct process *process, uint32_t thread, long number,
		      const struct user_regs_struct *regs);
void descriptors_closed(struct process *process, uint32_t thread, int descriptor);

/*
 * names.c: the thread is about to make a system call; does it look for, make, or remove the name of a file? operation: it stands before one, and
 * makes it when its turn has come: perform, then. otherwise: the operation is none on names, though the call looks for one.
 */
void names_note(struct process *process, uint32_t thread, long number, const struct user_regs_struct *regs,
		bool operation);
void names_note_otherwise(struct process *process, uint32_t thread, long number,
			  const struct user_regs_struct *regs);
void names_perform(struct process *process, uint32_t thread, const struct op *op);

/* Does it look for a name, or fail by one that is there, or by one that isn't? */
bool names_ask(const struct process *process, long number, const struct user_regs_struct *regs);

/* settings.c: the same; does it change or ask for what belongs to the whole process, or to a file? */
void settings_note(struct process *process, uint32_t thread, long number,
		   const struct user_regs_struct *regs);

/*
 * unwatched.c: let the thread that stands before it perform an atomic instruction that is no operation, and see to it that
 * the verdict tells of it. *performed as entries_step() says.
 */
enum status process_pass_unwatched(struct process *process, uint32_t thread, const struct call *call,
				   bool *performed);
/* Say of such an instruction that it has been performed. */
void unwatched_tell(struct process *process, const struct call *call);

/*
 * answered.c: let the thread that stands before it have the answer to an instruction whose results differ from run to run.
 * What is asked for too often is told.
 */
enum status process_pass_answered(struct process *process, uint32_t thread, const struct call *call,
				  bool *performed);
/* An execution begins: if libraries have asked so often before it that nothing is answered any more, that is told. */
void process_tell_unanswered(struct process *process);

/*
 * mappings.c: the tracee is about to change what is mapped where: code that nobody can look through, memory that has another address
 * or belongs to others, too? begin: an execution begins; is there such code already?
 */
void mappings_note(struct process *process, struct tracee *tracee, long number);
/* Has one of the processes some of this file mapped, to which the link of /proc leads? */
bool mappings_have(const struct process *process, const char *link, const struct stat *file);
void mappings_begin(struct process *process);
/* Has one of the processes memory that others could map by its name, or its key, and write? */
bool mappings_have_names(const struct process *process);
/* Is this such memory? */
bool mappings_have_name_at(const struct process *process, uint64_t address);

/* files.c: the tracee is about to open a file. A new execution begins. */
void files_opened(struct process *process, struct tracee *tracee);
/* It is about to ask where a link leads: those to its own number and to its pipes and sockets lead elsewhere each time. */
void files_link_read(struct process *process, struct tracee *tracee, long number);
/* It is told of a file by its name: when it was changed, which number it has. */
void files_looked_at(struct process *process, struct tracee *tracee, long number);
void files_begin(struct process *process);

/*
 * file_turns.c: before a system call: if it locks a file, and the execution is to be like others, it's waited for those that run beside
 * it, fmc's own executions and other processes, until they don't lock any file, or this one; not for ever. Until file_turns_end(), at the
 * end of the execution, none of fmc's others begins to.
 */
void file_turns_wait(struct process *process, struct tracee *tracee, const struct user_regs_struct *regs,
		     long number);
/* Before an execution starts: executions that change files are one at a time, too, each until its file_turns_end(). */
void file_turns_begin(struct process *process);
void file_turns_end(struct process *process);

#endif
