/* One run: the execution goes on in a coroutine, which yields whatever somebody may want to stop at. */
#include "replay/timeline/timeline.h"

#include <fmc/tracer/assert.h>

#define ASK_EVERY 16u

bool run_is_interrupted(struct timeline *timeline)
{
	const struct timeline_options *options = &timeline->options;
	/* Said once, it holds until the movement has ended. */
	if (!timeline->interrupted && options->interrupted)
		timeline->interrupted = options->interrupted(options->context);
	return timeline->interrupted;
}

bool run_yield(struct timeline *timeline, const struct event *event)
{
	timeline->event = *event;
	memories_stop(timeline);
	coroutine_yield(timeline->run);
	memories_run(timeline);
	return timeline->mode == MODE_LEAVE;
}

/* The thread that performs this transition; where no step says so, the one that ran last. */
uint32_t part_thread(const struct timeline *timeline, size_t part)
{
	const struct trace *trace = &timeline->trace;
	if (part == 0)
		return 0;
	if (part <= timeline->plan.prefix_length)
		return timeline->plan.prefix[part - 1].thread;
	return trace->length ? trace->at[trace->length - 1].thread : 0;
}

/* The thread that moved last of those that are left: the last one of all may have exited. */
static uint32_t last_left(const struct timeline *timeline)
{
	const struct trace *trace = &timeline->trace;
	for (size_t i = trace->length; i-- > 0;)
		if (timeline_alive(timeline, trace->at[i].thread))
			return trace->at[i].thread;
	return 0;
}

/* Whom one sees there: who stands for a timer, or for somebody outside, is no thread of the program's. */
static uint32_t seen_thread(const struct timeline *timeline, size_t part)
{
	const uint32_t thread = part_thread(timeline, part);
	return timeline_alive(timeline, thread) ? thread : last_left(timeline);
}

static bool yield_part(struct timeline *timeline, size_t part)
{
	uint32_t thread = seen_thread(timeline, part);
	timeline->fresh = true;
	timeline->part_begun = part;
	timeline->given = 0;
	timeline->output_before = process_output_mark(timeline->process);
	timeline->fresh_pc = visible_pc(timeline, thread);
	return run_yield(timeline, &(struct event){.kind = EVENT_PART, .thread = thread});
}

/* The schedule has no end of its own: it is cut here. */
static bool is_cut(struct timeline *timeline, size_t part)
{
	if (!timeline->bounded || part <= timeline->plan.prefix_length)
		return false;
	timeline->trace.end = END_INTERRUPTED;
	return true;
}

/* The operation may be an instruction, which is performed before the thread goes on. */
static void arm(struct timeline *timeline, size_t part)
{
	struct tracee *tracee = process_tracee(timeline->process, part_thread(timeline, part));
	if (tracee && tracee->life == TRACEE_STOPPED)
		traps_arm(timeline, part_thread(timeline, part), tracee);
}

/* The store of the thread's that reaches memory by this transition, of which no processor tells. False: none does. */
static bool find_flushed(const struct timeline *timeline, size_t part, struct process_waiting *flushed)
{
	const uint32_t thread = part_thread(timeline, part);
	const struct model *model = execution_model(timeline->execution);
	const bool chosen =
	    part <= timeline->plan.prefix_length && timeline->plan.prefix[part - 1].choice == CHOICE_FLUSH;
	return (chosen || model_pending(model, thread)->kind == OP_MEMORY_FLUSH) &&
	       process_waiting_store(timeline->process, thread, 0, flushed);
}

/* True: given up. */
static bool yield_flushed(struct timeline *timeline, size_t part, const struct process_waiting *flushed)
{
	const size_t watch = traps_touched(timeline->active, flushed->address, flushed->size);
	return watch < WATCHES &&
	       run_yield(timeline, &(struct event){.kind = EVENT_WATCHPOINT,
						   .thread = part_thread(timeline, part),
						   .watch = watch,
						   .flushed = true,
						   .address = timeline->active->watches[watch].address});
}

/* From one part to the next, until it is over (true) or given up. */
static bool follow(struct timeline *timeline, size_t part, bool on)
{
	for (; on && !is_cut(timeline, part); part++) {
		/* After the last one there is only the end. */
		bool last = part > timeline->plan.prefix_length && !timeline->extends;
		if (!last && yield_part(timeline, part))
			return false;
		struct process_waiting flushed;
		const bool flushes = find_flushed(timeline, part, &flushed);
		arm(timeline, part);
		on = execution_next(timeline->execution);
		if (flushes && yield_flushed(timeline, part, &flushed))
			return false;
	}
	return timeline->mode != MODE_LEAVE;
}

static void yield_end(struct timeline *timeline)
{
	const struct trace *trace = &timeline->trace;
	struct event end = {.kind = EVENT_END, .thread = trace->end_thread};
	if (end.thread == NO_THREAD)
		end.thread = last_left(timeline);
	if (trace->end == END_SIGNAL)
		end.signal = trace->end_value;
	execution_conclude(timeline->execution);
	run_yield(timeline, &end);
}

/* In a saved state threads stand before their operations at once: part 0 has no instructions. */
static void yield_start(struct timeline *timeline)
{
	if (!timeline->starting || timeline->mode == MODE_LEAVE)
		return;
	timeline->starting = false;
	timeline->fresh = true;
	run_yield(timeline, &(struct event){.kind = EVENT_START});
}

static void body(void *context)
{
	struct timeline *timeline = context;
	size_t part = timeline->begins_at;
	bool on = part > 0 || execution_begin(timeline->execution, &timeline->plan, &timeline->trace);
	yield_start(timeline);
	if (timeline->mode != MODE_LEAVE && follow(timeline, part > 0 ? part : 1, on))
		yield_end(timeline);
	execution_finish(timeline->execution);
}

void run_leave(struct timeline *timeline)
{
	if (!timeline->run)
		return;
	timeline->mode = MODE_LEAVE;
	while (coroutine_resume(timeline->run))
		;
	coroutine_free(timeline->run);
	timeline->run = NULL;
	traps_forget(timeline);
}

static enum status restore(struct timeline *timeline, const struct checkpoint *from)
{
	enum status status = process_restore(timeline->process, from->process);
	if (status == STATUS_OK &&
	    !execution_restore(timeline->execution, from->execution, &timeline->plan, &timeline->trace)) {
		execution_finish(timeline->execution);
		status = STATUS_NO_MEMORY;
	}
	return status;
}

enum status run_start(struct timeline *timeline, const struct checkpoint *from)
{
	run_leave(timeline);
	timeline->hits.here = 0;
	enum status status = from ? restore(timeline, from) : STATUS_OK;
	if (status == STATUS_GONE) {
		/* Somebody has killed what was kept. */
		inside_drop(timeline, 0);
		checkpoint_drop_all(timeline);
		from = NULL;
		status = STATUS_OK;
	}
	if (status != STATUS_OK)
		return status;
	timeline->begins_at = from ? from->part : 0;
	timeline->effort.copies++;
	timeline->given = 0;
	timeline->output_before = (struct output_mark){0, 0};
	timeline->midway = false;
	timeline->over = false;
	timeline->starting = !from;
	timeline->run = coroutine_new(body, timeline);
	if (!timeline->run) {
		timeline->machine->ops->finish(timeline->machine);
		return STATUS_NO_MEMORY;
	}
	run_advance(timeline, MODE_FREE);
	return STATUS_OK;
}

const struct event *run_advance(struct timeline *timeline, enum step_mode mode)
{
	FMC_ASSERT(timeline->run && !timeline->over);
	timeline->mode = mode;
	timeline->hits.here = 0;
	timeline->effort.stops++;
	coroutine_resume(timeline->run);
	timeline->over = timeline->event.kind == EVENT_END;
	path_note(timeline, &timeline->event);
	/*
	 * The pilot looks only when a thread takes its time; where steps are counted, the counting asks. Whose image has taken the process's
	 * place says where that is first.
	 */
	bool asks = timeline->event.kind != EVENT_STEP && timeline->event.kind != EVENT_END &&
		    timeline->event.kind != EVENT_ENTERED;
	if (asks && timeline->ticks++ % ASK_EVERY == 0 && run_is_interrupted(timeline))
		timeline->event.kind = EVENT_INTERRUPTED;
	return &timeline->event;
}
