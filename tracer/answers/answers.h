#ifndef FMC_TRACER_ANSWERS_ANSWERS_H
#define FMC_TRACER_ANSWERS_ANSWERS_H

#include "tracer/tracee/tracee.h"

/* What fmc answers in place of the kernel: of time, chance, numbers, and of what is outside of a confined process. */

/* All of it, for target_new(). */
extern const struct answers answers;

/*
 * outside.c: is the confined tracee about to do something that concerns others, or to use what its process was saved without?
 * target->outside says what then.
 */
bool outside_call(struct tracee *tracee, long number);
/* The name of a memory file that stands for a missing descriptor, in 200 bytes; `text` is for people. */
void outside_name(const char *text, char name[200]);

/* emulate.c: answer the system call that the tracee is stopped before; false: not one of those */
bool emulate_syscall(struct tracee *tracee);

/*
 * random.c: fill this memory of the target; how many bytes, or negative errno. The same for a call that reads: RANDOM_NOT if it
 * isn't from a device of random bytes.
 */
#define RANDOM_NOT INT64_MIN
int64_t random_answer(struct target *target, uint64_t address, uint64_t size);
int64_t random_read(struct tracee *tracee, const struct user_regs_struct *regs);

/* file_changes.c: a process of the target's, itself or a child, is about to make a call: what it may change of files is kept before. */
void file_changes_keep(const struct target *target, pid_t pid, const struct user_regs_struct *regs);

/*
 * limits.c: at STOP_SYSCALL, about to be executed: true if it is answered here. And the process, or a child of its, is another program from now on,
 * in which fmc has mapped nothing.
 */
bool limits_before_call(struct tracee *tracee);
void limits_at_exec(struct target *target, pid_t pid);

/* number_calls.c */
void numbers_before_call(struct tracee *tracee); /* at STOP_SYSCALL, about to be executed */
void numbers_after_call(struct tracee *tracee);	 /* executed, and after_call.due */
/* A process that the target has made is stopped before a system call. */
void numbers_before_childs_call(const struct target *target, pid_t child);

/* number_words.c */
/* affinity.c: sched_getaffinity() and sched_setaffinity(), and who is born has its creator's. */
int64_t affinity_get(struct tracee *caller, const struct user_regs_struct *regs);
int64_t affinity_set(struct tracee *caller, const struct user_regs_struct *regs);
void affinity_at_birth(const struct tracee *creator, struct tracee *child);
void numbers_at_birth(struct tracee *creator, struct tracee *child);
void numbers_at_exit(struct tracee *tracee);
/* The word that the kernel clears at the thread's end; 0 if it hasn't named one. */
enum status numbers_tid_address(struct tracee *tracee, uint64_t *address);
/* A process that has been launched gets the number that it is to have, and knows its clear_tid. */
enum status numbers_settle(struct target *target);
/* A mutex's word that tells of `from` as its owner tells of `to`. */
void numbers_set_owner(struct target *target, uint64_t word, uint32_t from, uint32_t to);

/* numbers.c */
/* The thread that the program calls so; NULL: none of its threads that are alive. */
struct tracee *numbers_find(const struct target *target, pid_t number);
/* What the kernel calls the one that the program calls so; others' numbers are what they are. */
uint64_t numbers_real(const struct target *target, uint64_t number);
/* The answer to getppid(); 0: it is the kernel's. */
pid_t numbers_parent(const struct target *target);
/* The answer to getpgid() or getsid() of this number, 0 of the caller. */
int64_t numbers_group(const struct target *target, long call, uint64_t number);
/* What the program calls the one to whom the kernel gives this number. */
int32_t numbers_told(const struct target *target, int32_t real);
void numbers_of_sender(const struct tracee *tracee); /* at a signal-delivery stop */

/* number_paths.c: about to open a file of /proc by a number. True: the path is another one, in fmc's page. */
bool numbers_name_real_path(struct tracee *tracee, struct user_regs_struct *regs);

#endif
