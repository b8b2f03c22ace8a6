#include "breakpoints/python/python.h"

#include <stdlib.h>
#include <string.h>

/*
 * Native frames and Python's in one stack. Each call of the function that runs Python code stands for the Python frames up to
 * the first that C code called; the interpreter's other functions are left out, those of other libraries in between stay.
 *
 *     sem_clockwait                                    (left out if the lock is known)
 *     PyThread_acquire_lock_timed                      left out
 *     _PyEval_EvalFrameDefault                    ->   transfer  bank.py:12, worker  bank.py:20
 *     _PyFunction_Vectorcall ...                       left out
 *     callback of an extension module                  stays
 *     _PyEval_EvalFrameDefault                    ->   run  threading.py:982 ...
 *     start_thread, clone3                             left out
 */

struct merge {
	const struct python *python;
	const struct python_thread *thread;
	struct inspected_thread *inspected;
	struct frame *frames; /* what comes out */
	size_t length;
	size_t next;  /* of Python's frames */
	size_t shown; /* of them */
	bool failed;
};

static bool is_interpreter(const struct python *python, const struct frame *frame)
{
	return frame->address >= python->low && frame->address < python->high;
}

static bool is_evaluation(const struct python *python, const struct frame *frame)
{
	static const char name[] = "_PyEval_EvalFrameDefault";
	if (frame->inlined)
		return false;
	if (frame->address >= python->eval_low && frame->address < python->eval_high)
		return true;
	return frame->function && strncmp(frame->function, name, sizeof(name) - 1) == 0;
}

/* Where threads and programs begin. */
static bool is_start(const struct frame *frame)
{
	return frame->module &&
	       (strncmp(frame->module, "libc.", 5) == 0 || strncmp(frame->module, "libc-", 5) == 0 ||
		strncmp(frame->module, "libpthread", 10) == 0 || strncmp(frame->module, "ld-", 3) == 0);
}

static void keep(struct merge *merge, struct frame *frame)
{
	merge->frames[merge->length++] = *frame;
	*frame = (struct frame){0};
}

static char *copy(struct merge *merge, const char *text)
{
	char *copied = text ? strdup(text) : NULL;
	merge->failed |= text && !copied;
	return copied;
}

/* The next frames of Python's: to the one that C code called, or all. */
static void put_python(struct merge *merge, bool all)
{
	bool entry = false;
	while (merge->next < merge->shown && (all || !entry)) {
		const struct python_frame *frame = &merge->thread->frames[merge->next++];
		merge->frames[merge->length++] =
		    (struct frame){.address = frame->code->address + (uint64_t)frame->position,
				   .function = copy(merge, frame->code->function),
				   .file = copy(merge, frame->code->file),
				   .source = copy(merge, frame->code->source),
				   .line = frame->line};
		entry = frame->entry;
	}
}

static size_t entries(const struct python_thread *thread)
{
	size_t count = 0;
	for (size_t i = 0; i < thread->frames_length; i++)
		count += thread->frames[i].entry || i + 1 == thread->frames_length;
	return count;
}

/* How many native frames lie on top of Python's: to the first of the interpreter; the first one only, if there is none. */
static size_t top_length(const struct merge *merge)
{
	const struct inspected_thread *inspected = merge->inspected;
	size_t top = 0, first = inspected->frames_length;
	for (; top < inspected->frames_length; top++) {
		if (is_evaluation(merge->python, &inspected->frames[top]))
			return top;
		if (is_interpreter(merge->python, &inspected->frames[top]) && top < first)
			first = top;
	}
	return first < inspected->frames_length ? first : first > 0;
}

static void put_top(struct merge *merge, size_t top, bool whole)
{
	struct frame *frames = merge->inspected->frames;
	for (size_t i = 0; i < top && !whole; i++)
		if (!is_interpreter(merge->python, &frames[i]) || (i == 0 && frames[i].function))
			keep(merge, &frames[i]);
}

static void put_below(struct merge *merge, size_t top)
{
	struct frame *frames = merge->inspected->frames;
	for (size_t i = top; i < merge->inspected->frames_length; i++) {
		if (is_evaluation(merge->python, &frames[i]))
			put_python(merge, false);
		else if (!is_interpreter(merge->python, &frames[i]) &&
			 (merge->next < merge->shown || !is_start(&frames[i])))
			keep(merge, &frames[i]);
	}
}

/* How many of Python's frames are shown: without those by which threading starts a thread, if there are others. */
static size_t shown_length(const struct python_thread *thread)
{
	static const char *const starts[] = {"_bootstrap", "_bootstrap_inner", "run"};
	size_t length = thread->cut ? 0 : thread->frames_length;
	for (size_t i = 0; i < sizeof(starts) / sizeof(starts[0]) && length > 1; i++) {
		const struct python_code *code = thread->frames[length - 1].code;
		const char *dot = code->function ? strrchr(code->function, '.') : NULL;
		const char *name = dot ? dot + 1 : code->function;
		if (!name || !code->file || strcmp(code->file, "threading.py") != 0 ||
		    strcmp(name, starts[i]) != 0)
			break;
		length--;
	}
	return length ? length : thread->frames_length;
}

enum status python_stack(const struct python *python, uint32_t thread, bool whole,
			 struct inspected_thread *inspected)
{
	struct merge merge = {.python = python, .thread = &python->threads[thread], .inspected = inspected};
	const size_t most = inspected->frames_length + merge.thread->frames_length;
	merge.frames = calloc(most + 1, sizeof(*merge.frames));
	if (!merge.frames)
		return STATUS_NO_MEMORY;
	merge.shown = shown_length(merge.thread);
	size_t evaluations = 0;
	for (size_t i = 0; i < inspected->frames_length; i++)
		evaluations += is_evaluation(python, &inspected->frames[i]);
	const bool matched = evaluations == entries(merge.thread) && !inspected->cut && !merge.thread->cut;
	const size_t top = top_length(&merge);
	put_top(&merge, top, whole);
	inspected->guessed = inspected->guessed && (matched || merge.length > 1);
	inspected->cut = merge.thread->cut;
	if (matched)
		put_below(&merge, top);
	put_python(&merge, true);
	frames_free(inspected->frames, inspected->frames_length);
	inspected->frames = merge.frames;
	inspected->frames_length = merge.length;
	return merge.failed ? STATUS_NO_MEMORY : STATUS_OK;
}
