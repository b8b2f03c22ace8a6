/* The threads and objects of a foreign process by their numbers. */
#include "supervisor/foreign/foreign_run.h"

#include <fmc/tracer/array.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

uint32_t foreign_run_number(const struct foreign_run *run, const struct run_thread *thread)
{
	return (uint32_t)(thread - run->threads);
}

struct run_thread *foreign_run_thread(struct foreign_run *run, const struct tracee *tracee)
{
	for (uint32_t i = run->threads_length; i-- > 0;)
		if (run->threads[i].tid == tracee->tid && run->threads[i].turn != TURN_GONE)
			return &run->threads[i];
	return NULL;
}

/* What the thread calls itself, if that is something else than the program's name. */
static char *own_name(pid_t pid, pid_t tid)
{
	char path[64], names[2][32];
	const pid_t ids[2] = {pid, tid};
	for (int i = 0; i < 2; i++) {
		snprintf(path, sizeof path, "/proc/%d/task/%d/comm", pid, ids[i]);
		const int file = open(path, O_RDONLY | O_CLOEXEC);
		const ssize_t length = file < 0 ? 0 : read(file, names[i], sizeof names[i] - 1);
		if (file >= 0)
			close(file);
		names[i][length > 0 ? length - 1 : 0] = 0;
	}
	if (pid == tid)
		return strdup("main");
	return strcmp(names[0], names[1]) == 0 || !*names[1] ? NULL : strdup(names[1]);
}

static bool make_room(struct foreign_run *run)
{
	if (run->threads_length < run->threads_room)
		return true;
	const uint32_t room = run->threads_room ? 2 * run->threads_room : 16;
	struct run_thread *threads = reallocarray(run->threads, room, sizeof *threads);
	struct alternative *alternatives = reallocarray(run->alternatives, room, sizeof *alternatives);
	struct policy_state *state = malloc(policy_bytes(room));
	if (threads)
		run->threads = threads;
	if (alternatives)
		run->alternatives = alternatives;
	if (!threads || !alternatives || !state) {
		free(state);
		return false;
	}
	if (run->policy_state)
		policy_copy(state, room, run->policy_state);
	else
		policy_init(state, room, &run->policy);
	free(run->policy_state);
	run->policy_state = state;
	run->threads_room = room;
	return true;
}

uint32_t foreign_run_add(struct foreign_run *run, struct tracee *tracee)
{
	const struct run_thread *known = foreign_run_thread(run, tracee);
	if (known) { /* of an earlier session */
		run->threads[known - run->threads].tracee = tracee;
		return foreign_run_number(run, known);
	}
	if (!make_room(run) || model_block_add_thread(&run->block) == NO_THREAD)
		return NO_THREAD;
	run->threads[run->threads_length] = (struct run_thread){.tid = tracee->tid,
								.turn = TURN_WAITS,
								.tracee = tracee,
								.name = own_name(run->pid, tracee->tid)};
	return run->threads_length++;
}

/* glibc and musl: the pthread_t is the thread pointer. */
uint32_t foreign_run_by_pthread(const struct foreign_run *run, uint64_t pthread)
{
	for (uint32_t i = run->threads_length; pthread && i-- > 0;)
		if (run->threads[i].pthread == pthread)
			return i;
	return NO_THREAD;
}

uint32_t foreign_run_object(struct foreign_run *run, enum object_class class, uint64_t address)
{
	const struct object_state state = {.class = class, .owner = NO_THREAD};
	for (uint32_t i = 0; i < run->objects_length; i++)
		if (run->objects[i].address == address && run->objects[i].class == class)
			return i;
	if (!ARRAY_GROW(run->objects, run->objects_length, run->objects_room))
		return NO_OBJECT;
	const uint32_t number = model_block_add_object(&run->block, &state);
	if (number == NO_OBJECT)
		return NO_OBJECT;
	run->objects[number] = (struct run_object){.address = address, .class = class};
	run->objects_length = number + 1;
	return number;
}
