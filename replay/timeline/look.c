/* Threads, registers and memory as they would be without fmc. */
#include "replay/timeline/timeline.h"

#include <stdio.h>
#include <string.h>

#define PAGE UINT64_C(4096)

struct position timeline_position(const struct timeline *timeline)
{
	struct position position = timeline->position;
	if (timeline->root != 0) {
		position.steps = 0;
		position.steps_known = false;
	}
	return position;
}

size_t timeline_length(const struct timeline *timeline)
{
	return timeline->schedule.length;
}

size_t timeline_written(const struct timeline *timeline, uint64_t address, size_t size, size_t part)
{
	const struct trace *trace = &timeline->trace;
	if (!process_memory_key(timeline->process, address, &address))
		return 0;
	for (size_t i = part < trace->length ? part : trace->length; i > 0; i--) {
		const struct op *op = &trace->at[i - 1].op;
		const uint64_t low = (uint64_t)op->arg2, bytes = op->arg > 0 ? (uint64_t)op->arg : 1;
		if (op->kind == OP_MEMORY_WRITE && !(op->flags & OP_BUFFERED) && low < address + size &&
		    address < low + bytes)
			return i;
	}
	return 0;
}

static bool is_flush(const struct transition *transition)
{
	return transition->op.kind == OP_MEMORY_FLUSH || transition->choice == CHOICE_FLUSH;
}

size_t timeline_stored(const struct timeline *timeline, size_t part)
{
	const struct trace *trace = &timeline->finding.trace;
	if (part == 0 || part > trace->length || !is_flush(&trace->at[part - 1]))
		return 0;
	const uint32_t thread = trace->at[part - 1].thread;
	size_t flushes = 0;
	for (size_t i = 0; i < part; i++)
		flushes += trace->at[i].thread == thread && is_flush(&trace->at[i]);
	for (size_t i = 0; i < part; i++)
		if (trace->at[i].thread == thread && trace->at[i].op.flags & OP_BUFFERED && --flushes == 0)
			return i + 1;
	return 0;
}

const struct schedule *timeline_schedule(const struct timeline *timeline)
{
	return &timeline->schedule;
}

const struct finding *timeline_finding(const struct timeline *timeline)
{
	return &timeline->finding;
}

const char *timeline_difference(const struct timeline *timeline)
{
	return timeline->difference;
}

const struct model *timeline_model(const struct timeline *timeline)
{
	return execution_model(timeline->execution);
}

struct process *timeline_process(const struct timeline *timeline)
{
	return timeline->process;
}

const struct execution *timeline_execution(const struct timeline *timeline)
{
	return timeline->execution;
}

uint32_t timeline_threads(const struct timeline *timeline)
{
	return timeline->run ? model_threads(timeline_model(timeline)) : 0;
}

static struct tracee *tracee_of(const struct timeline *timeline, uint32_t thread)
{
	struct tracee *tracee = timeline->run ? process_tracee(timeline->process, thread) : NULL;
	struct target *changed = changed_target(timeline);
	return tracee && changed ? target_tracee(changed, tracee->index) : tracee;
}

bool timeline_alive(const struct timeline *timeline, uint32_t thread)
{
	struct tracee *tracee = tracee_of(timeline, thread);
	return tracee && tracee_regs(tracee);
}

uint32_t timeline_current(const struct timeline *timeline)
{
	return timeline->event.thread;
}

const char *timeline_name(struct timeline *timeline, uint32_t thread)
{
	const struct schedule *schedule = &timeline->schedule;
	bool known = thread < schedule->threads && schedule->thread_names[thread];
	return known ? schedule->thread_names[thread] : "thread";
}

enum status timeline_registers(struct timeline *timeline, uint32_t thread, struct user_regs_struct *registers)
{
	struct tracee *tracee = tracee_of(timeline, thread);
	const struct user_regs_struct *regs = tracee ? tracee_regs(tracee) : NULL;
	if (!regs)
		return STATUS_GONE;
	*registers = *regs;
	if (!change_has_registers(timeline, thread))
		visible_registers(timeline, thread, registers);
	return STATUS_OK;
}

bool timeline_signal_info(const struct timeline *timeline, uint32_t thread, siginfo_t *info)
{
	const struct event *event = &timeline->event;
	const struct tracee *tracee = timeline->run ? process_tracee(timeline->process, thread) : NULL;
	const bool about = event->kind == EVENT_SIGNAL || event->kind == EVENT_END;
	/* A signal that fmc has found pending only hasn't been delivered: the last one's tells nothing of it. */
	return about && event->signal && event->thread == thread && tracee &&
	       tracee_signal_info(tracee, info) == STATUS_OK && info->si_signo == event->signal;
}

enum status timeline_extended(struct timeline *timeline, uint32_t thread, void *area, size_t *size)
{
	struct tracee *tracee = tracee_of(timeline, thread);
	return tracee && tracee_regs(tracee) ? tracee_extended(tracee, area, size) : STATUS_GONE;
}

size_t timeline_read(struct timeline *timeline, uint64_t address, void *to, size_t size)
{
	struct target *changed = changed_target(timeline);
	const bool shown = process_memory_shown(timeline->process) == timeline->shown;
	const struct target *target = changed ? changed : shown ? process_target(timeline->process) : NULL;
	uint8_t *bytes = to;
	size_t done = 0;
	while (target && done < size) {
		/* Page by page, for the part that can be read. */
		uint64_t at = address + done;
		size_t part = (size_t)(PAGE - at % PAGE);
		if (part > size - done)
			part = size - done;
		if (target_read(target, at, bytes + done, part) != STATUS_OK)
			break;
		done += part;
	}
	entries_hide(process_entries(timeline->process), address, bytes, done);
	if (!changed) {
		traps_hide(timeline, address, bytes, done);
		process_show_memory(timeline->process, address, bytes, done);
	}
	return done;
}

struct timeline_effort timeline_effort(const struct timeline *timeline)
{
	return timeline->effort;
}

static uint64_t later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* Once: what is written again after having gone back has been shown. */
char *timeline_output(struct timeline *timeline, size_t *length)
{
	struct output_mark *shown = &timeline->output_shown;
	char *bytes = process_output_from(timeline->process, *shown, length);
	const struct output_mark now = process_output_mark(timeline->process);
	*shown = (struct output_mark){later(shown->printed, now.printed), later(shown->rest, now.rest)};
	return bytes;
}
