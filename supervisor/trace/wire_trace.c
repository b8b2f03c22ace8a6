/* Traces as bytes. */
#include <fmc/supervisor/wire.h>

#include <stdlib.h>
#include <string.h>

/* Bytes that one of each takes at least. */
#define LEAST_ALTERNATIVE 4
#define LEAST_TRANSITION  19
#define LEAST_OBJECT	  9
#define LEAST_OP	  8
#define LEAST_THREAD	  13

/* Numbers whose highest value means "none" take one byte then. */
static void put_number(struct saver *saver, uint32_t number)
{
	save_number(saver, (uint32_t)(number + 1));
}

static uint32_t get_number(struct loader *loader)
{
	return (uint32_t)load_most(loader, UINT32_MAX) - 1;
}

static uint32_t get_word(struct loader *loader)
{
	return (uint32_t)load_most(loader, UINT32_MAX);
}

static int get_value(struct loader *loader)
{
	int64_t value = load_signed(loader);
	if (value != (int)value)
		load_refuse(loader);
	return (int)value;
}

/* Of a trace that may have none at all. */
static void put_alternatives(struct saver *saver, const struct trace *trace, size_t first, size_t length)
{
	save_number(saver, length);
	for (size_t i = 0; i < length; i++) {
		const struct alternative *alternative = &trace->alternatives[first + i];
		save_step(saver, &alternative->step);
		save_number(saver, alternative->preemption);
		save_number(saver, alternative->timeout);
	}
}

static bool get_alternatives(struct loader *loader, struct trace *trace)
{
	size_t length = load_count(loader, LEAST_ALTERNATIVE);
	for (size_t i = 0; i < length && !loader->failed; i++) {
		struct alternative alternative;
		alternative.step = load_step(loader);
		alternative.preemption = load_bool(loader);
		alternative.timeout = load_bool(loader);
		if (!trace_push_alternative(trace, &alternative))
			return false;
	}
	return !loader->failed;
}

static bool get_footprint(struct loader *loader, struct trace *trace)
{
	struct footprint footprint;
	load_footprint(loader, &footprint);
	bool good = !loader->failed && trace_push_footprint(trace, &footprint);
	footprint_release(&footprint);
	return good;
}

static void put_sets(struct saver *saver, const struct trace *trace, size_t i)
{
	for (uint32_t w = 0; w < 2 * trace->set_words; w++)
		save_number(saver, trace_enabled(trace, i)[w]);
}

static bool get_sets(struct loader *loader, struct trace *trace, uint32_t words, uint64_t *sets)
{
	for (uint32_t w = 0; w < 2 * words && !loader->failed; w++)
		sets[w] = load_number(loader);
	return !loader->failed && (words == 0 || trace_push_sets(trace, sets, sets + words, words));
}

static void put_transition(struct saver *saver, const struct trace *trace, size_t i)
{
	const struct transition *t = &trace->at[i];
	save_step(saver, &(struct step){t->thread, t->choice});
	save_op(saver, &t->op);
	if (t->op.kind == OP_SIGNAL_TAKE)
		save_op(saver, trace_pending(trace, i));
	save_signed(saver, t->result);
	save_number(saver, t->result_valid);
	save_number(saver, t->flags);
	put_number(saver, t->created);
	save_number(saver, t->births);
	save_number(saver, t->word);
	save_number(saver, t->word2);
	save_number(saver, t->objects);
	save_number(saver, t->ended);
	put_alternatives(saver, trace, t->first_alternative, t->alternatives);
	save_accesses(saver, trace_accesses(trace, i));
	put_sets(saver, trace, i);
}

static bool get_transition(struct loader *loader, struct trace *trace)
{
	struct step step = load_step(loader);
	struct transition t = {.thread = step.thread,
			       .choice = step.choice,
			       .first_alternative = (uint32_t)trace->alternatives_length};
	struct op under = {.kind = OP_NONE};
	t.op = load_op(loader);
	if (t.op.kind == OP_SIGNAL_TAKE)
		under = load_op(loader);
	t.result = load_signed(loader);
	t.result_valid = load_bool(loader);
	t.flags = (uint8_t)load_most(loader, UINT8_MAX);
	t.created = get_number(loader);
	t.births = get_word(loader);
	t.word = get_word(loader);
	t.word2 = get_word(loader);
	t.objects = get_word(loader);
	t.ended = load_number(loader);
	if (loader->failed || !get_alternatives(loader, trace))
		return false;
	t.alternatives = (uint32_t)trace->alternatives_length - t.first_alternative;
	return trace_push(trace, &t) && (t.op.kind != OP_SIGNAL_TAKE || trace_push_under(trace, &under));
}

static bool get_object(struct loader *loader, struct trace *trace)
{
	const struct object_state state = load_object(loader);
	return !loader->failed && trace_push_object(trace, &state);
}

static void put_thread(struct saver *saver, const struct thread_end *end)
{
	save_op(saver, &end->pending);
	save_number(saver, end->enabled);
	save_number(saver, end->holds_back);
	put_number(saver, end->blocker);
	save_number(saver, end->blocked_class);
	put_number(saver, end->blocked_object);
	put_number(saver, end->process);
	put_number(saver, end->parent);
	save_number(saver, end->cut.kind != OP_NONE);
	if (end->cut.kind != OP_NONE)
		save_op(saver, &end->cut);
}

static bool get_thread(struct loader *loader, struct trace *trace)
{
	struct thread_end end = {.cut.kind = OP_NONE};
	end.pending = load_op(loader);
	end.enabled = load_bool(loader);
	end.holds_back = load_bool(loader);
	end.blocker = get_number(loader);
	end.blocked_class = load_class(loader);
	end.blocked_object = get_number(loader);
	end.process = get_number(loader);
	end.parent = get_number(loader);
	if (load_bool(loader))
		end.cut = load_op(loader);
	return !loader->failed && trace_push_thread(trace, &end);
}

static void put_end(struct saver *saver, const struct trace *trace)
{
	save_number(saver, trace->end);
	save_signed(saver, trace->end_value);
	save_number(saver, trace->good_end);
	save_number(saver, trace->outcome);
	save_number(saver, trace->other_outcome);
	put_number(saver, trace->end_thread);
	save_number(saver, trace->status);
	save_bytes(saver, trace->message, strlen(trace->message));
	save_number(saver, trace->loop_start);
	save_number(saver, trace->initial_threads);
	save_number(saver, trace->preemptions);
	save_number(saver, trace->held_back);
	save_number(saver, trace->apart);
	save_number(saver, trace->observed);
	save_number(saver, trace->counted);
	save_number(saver, trace->midway);
	put_number(saver, trace->reached);
	save_number(saver, trace->unmodelled);
}

static void get_message(struct loader *loader, struct trace *trace)
{
	size_t length;
	const void *text = load_bytes(loader, &length);
	if (length >= sizeof trace->message)
		load_refuse(loader);
	else if (length > 0)
		memcpy(trace->message, text, length);
}

static bool get_end(struct loader *loader, struct trace *trace)
{
	trace->end = (enum end_reason)load_most(loader, END_ERROR);
	trace->end_value = get_value(loader);
	trace->good_end = load_bool(loader);
	trace->outcome = load_number(loader);
	trace->other_outcome = load_bool(loader);
	trace->end_thread = get_number(loader);
	trace->status = (enum status)load_most(loader, STATUS_BUG);
	get_message(loader, trace);
	trace->loop_start = load_number(loader);
	trace->initial_threads = get_word(loader);
	trace->preemptions = get_word(loader);
	trace->held_back = load_bool(loader);
	trace->apart = load_bool(loader);
	trace->observed = load_bool(loader);
	trace->counted = load_bool(loader);
	trace->midway = load_bool(loader);
	trace->reached = get_number(loader);
	trace->unmodelled = load_number(loader);
	return !loader->failed;
}

/* The rest is as it was when the memory ran out. */
static bool only_end(const struct trace *trace)
{
	return trace->end == END_ERROR;
}

void wire_put_trace(struct saver *saver, const struct trace *trace)
{
	put_end(saver, trace);
	if (only_end(trace))
		return;
	save_number(saver, trace->length);
	save_number(saver, trace->set_words);
	for (size_t i = 0; i < trace->length; i++)
		put_transition(saver, trace, i);
	size_t after = 0;
	if (trace->length > 0)
		after = trace->at[trace->length - 1].first_alternative +
			trace->at[trace->length - 1].alternatives;
	put_alternatives(saver, trace, after, trace->alternatives_length - after);
	save_number(saver, trace->objects_length);
	for (uint32_t i = 0; i < trace->objects_length; i++)
		save_object(saver, &trace->objects[i]);
	save_number(saver, trace->found_length);
	for (uint32_t i = 0; i < trace->found_length; i++)
		save_op(saver, &trace->found[i]);
	save_number(saver, trace->threads_length);
	for (uint32_t i = 0; i < trace->threads_length; i++)
		put_thread(saver, &trace->threads[i]);
}

static bool get_transitions(struct loader *loader, struct trace *trace)
{
	size_t length = load_count(loader, LEAST_TRANSITION), words = load_count(loader, 2);
	if (length == 0 || loader->failed)
		return !loader->failed;
	uint64_t *sets = calloc(2 * words + 1, sizeof *sets);
	bool good = sets && words <= UINT32_MAX;
	for (size_t i = 0; i < length && good; i++)
		good = get_transition(loader, trace) && get_footprint(loader, trace) &&
		       get_sets(loader, trace, (uint32_t)words, sets);
	free(sets);
	return good;
}

static bool get_states(struct loader *loader, struct trace *trace)
{
	bool good = get_alternatives(loader, trace);
	size_t objects = load_count(loader, LEAST_OBJECT);
	for (size_t i = 0; i < objects && good; i++)
		good = get_object(loader, trace);
	size_t found = load_count(loader, LEAST_OP);
	for (size_t i = 0; i < found && good; i++) {
		const struct op op = load_op(loader);
		good = !loader->failed && trace_push_found(trace, &op);
	}
	size_t threads = load_count(loader, LEAST_THREAD);
	for (size_t i = 0; i < threads && good; i++)
		good = get_thread(loader, trace);
	return good && !loader->failed;
}

bool wire_get_trace(struct loader *loader, struct trace *trace)
{
	trace_clear(trace);
	bool good = get_end(loader, trace);
	if (good && !only_end(trace))
		good = get_transitions(loader, trace) && get_states(loader, trace);
	return good;
}
