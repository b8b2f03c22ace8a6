#include "breakpoints/python/python.h"

#include <stdlib.h>
#include <string.h>

#define INTERPRETERS_MOST 64

/* Where libcs keep the kernel's number in what pthread_self() points to. */
static const uint32_t number_offsets[] = {0x2d0 /* glibc */, 0x30 /* musl */};

/* The snapshot's thread by its number; the length if there is none. */
static size_t find_number(const struct python *python, uint64_t number)
{
	size_t i = 0;
	while (i < python->length && (uint64_t)snapshot_thread(python->snapshot, i)->number != number)
		i++;
	return i;
}

static size_t find_ident(struct python *python, uint64_t ident)
{
	for (size_t i = 0; i < python->length; i++) {
		const struct snapshot_thread *thread = snapshot_thread(python->snapshot, i);
		if (!thread->partial && thread->regs.fs_base == ident)
			return i;
	}
	for (size_t i = 0; i < sizeof(number_offsets) / sizeof(number_offsets[0]); i++) {
		uint32_t number;
		if (python_read(python, ident + number_offsets[i], &number, sizeof(number)) && number &&
		    find_number(python, number) < python->length)
			return find_number(python, number);
	}
	return python->length;
}

/* Which of the snapshot's threads has this state of the interpreter. */
static size_t find_thread(struct python *python, uint64_t state, uint64_t *ident)
{
	const struct python_layout *layout = &python->layout;
	uint64_t number;
	*ident = python_pointer(python, state + layout->thread_ident);
	if (layout->thread_native != NO_OFFSET &&
	    python_word(python, state + layout->thread_native, &number) &&
	    find_number(python, number) < python->length)
		return find_number(python, number);
	/* What a copy of a process remembers of its numbers is the original's. */
	return *ident ? find_ident(python, *ident) : python->length;
}

static uint64_t gil_of(struct python *python, uint64_t interpreter)
{
	if (python->layout.runtime_gil)
		return python->runtime + python->layout.runtime_gil;
	return python_pointer(python, interpreter + python->layout.interpreter_gil);
}

/* A thread may have a state in several interpreters: that counts which has frames. */
static bool threads_of(struct python *python, uint64_t interpreter)
{
	uint64_t state = python_pointer(python, interpreter + python->layout.interpreter_threads);
	const uint64_t gil = gil_of(python, interpreter);
	for (size_t i = 0; state && i < 2 * python->length + 16; i++) {
		uint64_t ident;
		const size_t t = find_thread(python, state, &ident);
		struct python_thread *thread = t < python->length ? &python->threads[t] : NULL;
		if (thread && thread->frames_length == 0) {
			free(thread->frames);
			free(thread->name);
			*thread =
			    (struct python_thread){.known = true, .state = state, .ident = ident, .gil = gil};
			if (!python_frames(python, thread))
				return false;
		}
		state = python_pointer(python, state + PYTHON_THREAD_NEXT);
	}
	return true;
}

bool python_threads(struct python *python)
{
	const struct python_layout *layout = &python->layout;
	uint64_t interpreter = python_pointer(python, python->runtime + layout->runtime_interpreters);
	python->threads = calloc(python->length + 1, sizeof(*python->threads));
	if (!python->threads)
		return false;
	for (size_t i = 0; interpreter && i < INTERPRETERS_MOST; i++) {
		if (!threads_of(python, interpreter))
			return false;
		interpreter = python_pointer(python, interpreter + layout->interpreter_next);
	}
	return true;
}

void python_threads_free(struct python *python)
{
	for (size_t i = 0; python->threads && i < python->length; i++) {
		free(python->threads[i].frames);
		free(python->threads[i].name);
	}
	free(python->threads);
	python->threads = NULL;
}

size_t python_thread_of_state(const struct python *python, uint64_t state)
{
	size_t i = 0;
	while (i < python->length && (!python->threads[i].known || python->threads[i].state != state))
		i++;
	return i;
}

size_t python_thread_of_self(const struct python *python, uint64_t self)
{
	size_t i = 0;
	while (i < python->length && (!self || python->threads[i].self != self))
		i++;
	return i;
}
