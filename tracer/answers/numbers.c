#include "tracer/answers/answers.h"

#include <errno.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <unistd.h>

/*
 * What the program knows its threads by. Where that isn't the kernel's number (a process copied in the middle of its
 * run, or numbers that are to be the same in every execution), fmc stands between the two: words that the kernel
 * fills, results and arguments of system calls, owners of robust mutexes at a thread's end.
 */

/* No thread has this one: the kernel gives none above 2^22. */
#define NOBODY 0x3fffffff

pid_t tracee_number(const struct tracee *tracee)
{
	const struct virtual_world *world = &tracee->target->world;
	if (!world->number)
		return tracee->tid;
	if (tracee->index == 0)
		return world->number;
	if (!world->keeps_numbers)
		return tracee->tid;
	const struct known_numbers *known = world->numbers;
	if (!known)
		return world->number + (pid_t)tracee->index;
	return tracee->index < known->length ? known->of[tracee->index]
					     : known->highest + (pid_t)(tracee->index - known->length) + 1;
}

/* The index of the thread that the program calls so; one that there isn't: none. */
static uint64_t index_of(const struct target *target, uint32_t number)
{
	const struct virtual_world *world = &target->world;
	const struct known_numbers *known = world->numbers;
	if (!known)
		return (uint64_t)number - (uint64_t)world->number;
	for (uint32_t i = 0; i < known->length; i++)
		if ((uint32_t)known->of[i] == number)
			return i;
	return (uint64_t)number - (uint64_t)known->highest - 1 + known->length;
}

struct tracee *numbers_find(const struct target *target, pid_t number)
{
	for (uint32_t i = 0; i < target->tracees_length; i++)
		if (target->tracees[i]->life != TRACEE_DEAD && tracee_number(target->tracees[i]) == number)
			return target->tracees[i];
	return NULL;
}

/* A process that has ended is waited for by its number. */
static bool is_process(const struct target *target, uint64_t number)
{
	return target->world.number && (uint64_t)target->world.number == number;
}

/* The same of one of its relatives; 0: it is none of theirs. */
static uint64_t real_of_relative(const struct target *target, uint64_t number)
{
	const struct target *other = target_relative(target);
	for (; other && other != target; other = target_relative(other)) {
		if (is_process(other, number))
			return (uint64_t)other->pid;
		const struct tracee *tracee = numbers_find(other, (pid_t)number);
		if (tracee)
			return (uint64_t)tracee->tid;
	}
	return 0;
}

/* The kernel's number of the thread that the program calls so; others' are what they are. */
uint64_t numbers_real(const struct target *target, uint64_t number)
{
	const struct virtual_world *world = &target->world;
	if (!world->number)
		return number;
	if (number == NUMBER_OF_PARENT && world->number == NUMBER_OF_MAIN)
		return (uint64_t)getpid();
	const uint64_t relatives = real_of_relative(target, number);
	if (relatives)
		return relatives;
	const uint64_t index = index_of(target, (uint32_t)number);
	if (index >= (world->keeps_numbers ? target->tracees_length : 1))
		return number;
	const struct tracee *tracee = target->tracees[index];
	return tracee->life == TRACEE_DEAD ? NOBODY : (uint64_t)tracee->tid;
}

pid_t target_real_number(const struct target *target, pid_t number)
{
	return (pid_t)numbers_real(target, (uint64_t)number);
}

/* The group or session of the process, or of the one that was asked for, as the program calls it. */
int64_t numbers_group(const struct target *target, long call, uint64_t number)
{
	const pid_t who = number ? (pid_t)numbers_real(target, number) : target->pid;
	const pid_t group = call == SYS_getsid ? getsid(who) : getpgid(who);
	if (group < 0)
		return -errno;
	return group == getpid() ? group : numbers_told(target, group);
}

pid_t numbers_parent(const struct target *target)
{
	const struct target *other = target_relative(target);
	if (target->world.number == NUMBER_OF_MAIN)
		return NUMBER_OF_PARENT;
	for (; target->world.parent && other && other != target; other = target_relative(other))
		if (other->world.number == target->world.parent && !other->gone)
			return target->world.parent;
	return 0;
}

/* What the program calls the one to whom the kernel gives this number. */
int32_t numbers_told(const struct target *target, int32_t real)
{
	if (real == getpid() && target->world.number == NUMBER_OF_MAIN)
		return NUMBER_OF_PARENT;
	for (uint32_t i = 0; i < target->tracees_length; i++)
		if (target->tracees[i]->tid == real)
			return tracee_number(target->tracees[i]);
	const struct target *other = target_relative(target);
	for (; other && other != target; other = target_relative(other))
		if (other->pid == real)
			return tracee_number(target_tracee(other, 0));
	return real;
}

/* The sender that a signal tells of is the process itself, or a relative; or it tells of one that has ended. */
void numbers_of_sender(const struct tracee *tracee)
{
	const struct target *target = tracee->target;
	siginfo_t info;
	if (!target->world.number || ptrace(PTRACE_GETSIGINFO, tracee->tid, NULL, &info) != 0)
		return;
	const bool told = info.si_code == SI_USER || info.si_code == SI_TKILL ||
			  (info.si_signo == SIGCHLD && info.si_code > 0);
	if (!told || info.si_pid == getpid() || numbers_told(target, info.si_pid) == info.si_pid)
		return;
	info.si_pid = numbers_told(target, info.si_pid);
	ptrace(PTRACE_SETSIGINFO, tracee->tid, NULL, &info);
}
