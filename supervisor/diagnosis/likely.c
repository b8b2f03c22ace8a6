/* What may be the matter where nothing is wrong for certain, and what is said where nothing is wrong at all. */
#include "supervisor/diagnosis/private.h"

#include <fmc/supervisor/account.h>

#include <stdlib.h>
#include <string.h>

/* A thread that runs for so much of the time, or would if there were more processors, is hot. */
#define HOT_PERCENT 80
/* Shorter looks say nothing of it. */
#define HOT_INTERVAL_NS 20000000

/*
 * The innermost frame of the program's own code: in the same file as the outermost one, with a source line if there is such. SIZE_MAX:
 * there is none.
 */
static size_t own_frame(const struct inspected_thread *t)
{
	size_t length = account_frames(t), named = SIZE_MAX;
	const char *module = length ? t->frames[length - 1].module : NULL;
	for (size_t i = 0; i < length; i++) {
		const struct frame *frame = &t->frames[i];
		bool own = frame->module == module ||
			   (frame->module && module && strcmp(frame->module, module) == 0);
		if (own && frame->file)
			return i;
		if (own && frame->function && named == SIZE_MAX)
			named = i;
	}
	return named;
}

/* " at x.c:31 in compute" or, from a library, " in strlen, called at x.c:31 in compute". */
static void print_place(const struct graph *graph, uint32_t thread, FILE *stream)
{
	const struct inspected_thread *t = &graph->situation->inspection->threads[thread];
	size_t own = own_frame(t);
	if (own == SIZE_MAX)
		return;
	const struct frame *frame = &t->frames[own];
	if (own > 0 && frame[-1].function)
		fprintf(stream, " in %s, called", frame[-1].function);
	if (frame->file)
		fprintf(stream, " at %s:%d", frame->file, frame->line);
	if (frame->function)
		fprintf(stream, " in %s", frame->function);
}

static bool lock(enum wait_kind kind)
{
	return kind == WAIT_MUTEX || kind == WAIT_READ || kind == WAIT_WRITE || kind == WAIT_ONCE ||
	       kind == WAIT_SPIN;
}

/*
 * The threads that wait for what `thread` holds, or for another such one, and haven't been explained. locks: the exits of threads aren't meant.
 * False without memory.
 */
static bool collect_waiters(const struct graph *graph, uint32_t thread, bool locks,
			    struct thread_list *waiters)
{
	bool *after = calloc(graph->length + 1, sizeof(*after));
	if (!after)
		return false;
	after[thread] = true;
	for (bool changed = true; changed;) {
		changed = false;
		for (uint32_t t = 0; t < graph->length; t++) {
			const struct wait *wait = graph->waits[t];
			if (after[t] || graph->explained[t] || (locks && !lock(wait->kind)))
				continue;
			for (size_t i = 0; i < wait->holders_length && !after[t]; i++)
				after[t] = after[wait->holders[i]];
			changed = changed || after[t];
		}
	}
	bool good = true;
	for (uint32_t t = 0; t < graph->length && good; t++)
		if (after[t] && t != thread)
			good = thread_list_add(waiters, t);
	free(after);
	return good;
}

bool find_crash(struct graph *graph, struct diagnosis *diagnosis)
{
	const struct situation *s = graph->situation;
	struct cause_draft draft;
	if (s->signal == 0 || s->signalled >= graph->length ||
	    graph->waits[s->signalled]->kind != WAIT_NOTHING)
		return true;
	if (!cause_begin(&draft, CAUSE_CRASH, true))
		return false;
	fprintf(draft.message, "T%u ", (unsigned)s->signalled + 1);
	wait_print(s, s->signalled, 0, draft.message);
	print_place(graph, s->signalled, draft.message);
	bool good = thread_list_add(&draft.threads, s->signalled);
	return cause_end(&draft, diagnosis) && good;
}

bool find_stopped(struct graph *graph, struct diagnosis *diagnosis)
{
	struct cause_draft draft;
	struct thread_list stopped = {0};
	const bool frozen = graph->situation->frozen;
	bool good = true;
	for (uint32_t t = 0; t < graph->own && good; t++)
		if (frozen || graph->waits[t]->kind == WAIT_STOPPED)
			good = thread_list_add(&stopped, t);
	if (stopped.length > 0 && good && (good = cause_begin(&draft, CAUSE_STOPPED, true))) {
		fputs(frozen ? "the process is frozen" : "the process is stopped by job control",
		      draft.message);
		fputs(frozen ? "its control group is; it goes on when that is thawed"
			     : "it got SIGSTOP, or Ctrl-Z was typed; SIGCONT lets it go on",
		      draft.evidence);
		draft.threads = stopped;
		return cause_end(&draft, diagnosis);
	}
	free(stopped.at);
	return good;
}

static unsigned percent(const struct graph *graph, uint32_t thread)
{
	const struct situation *s = graph->situation;
	if (!s->movement || thread >= graph->own || s->interval_ns < HOT_INTERVAL_NS)
		return 0;
	uint64_t share = s->movement[thread].ready_ns / (s->interval_ns / 100);
	return share > 100 ? 100 : (unsigned)share;
}

static bool tell_hot(struct graph *graph, uint32_t thread, const struct thread_list *waiters,
		     struct diagnosis *diagnosis)
{
	struct cause_draft draft;
	if (!cause_begin(&draft, CAUSE_HOT, false))
		return false;
	fprintf(draft.message, "T%u runs all the time", (unsigned)thread + 1);
	print_place(graph, thread, draft.message);
	fputs(", and ", draft.message);
	bool good = print_groups(graph->situation, waiters, 0, draft.message);
	uint64_t hundredth = graph->situation->interval_ns / 100;
	fprintf(draft.evidence, "%u %% of the time, of which it had a processor for %u %%",
		percent(graph, thread), (unsigned)(graph->situation->movement[thread].cpu_ns / hundredth));
	good = good && thread_list_add(&draft.threads, thread);
	return cause_end(&draft, diagnosis) && good;
}

bool find_hot(struct graph *graph, struct diagnosis *diagnosis)
{
	bool good = true;
	for (uint32_t t = 0; t < graph->own && good; t++) {
		struct thread_list waiters = {0};
		if (percent(graph, t) < HOT_PERCENT)
			continue;
		good = collect_waiters(graph, t, false, &waiters);
		if (good && waiters.length > 0)
			good = tell_hot(graph, t, &waiters, diagnosis);
		free(waiters.at);
	}
	return good;
}

/* Whoever waits for events of several descriptors serves: threads that it keeps at locks meanwhile are parked, as a rule. */
static bool serves(const struct graph *graph, uint32_t thread)
{
	return graph->waits[thread]->kind == WAIT_POLL;
}

static bool tell_chain(struct graph *graph, uint32_t thread, const struct thread_list *waiters,
		       struct diagnosis *diagnosis)
{
	struct cause_draft draft;
	char label[THREAD_LABEL];
	if (!cause_begin(&draft, serves(graph, thread) ? CAUSE_IDLE : CAUSE_CHAIN, false))
		return false;
	bool good = print_groups(graph->situation, waiters, 0, draft.message);
	thread_label(graph->situation, thread, label);
	fprintf(draft.message, ", while %s ", label);
	wait_print(graph->situation, thread, WAIT_PRINT_CALL, draft.message);
	fprintf(draft.evidence, "they go on when %s does", label);
	good = good && thread_list_add(&draft.threads, thread);
	return cause_end(&draft, diagnosis) && good;
}

/* The end of a chain: it holds something, isn't held back by a holder itself, and doesn't run. */
static bool ends_chain(const struct graph *graph, uint32_t thread)
{
	const struct wait *wait = graph->waits[thread];
	return !graph->explained[thread] && !graph_gone(graph, thread) && wait->kind != WAIT_NOTHING &&
	       wait->kind != WAIT_STOPPED && wait->holders_length == 0;
}

static bool find_chains_to(struct graph *graph, bool serving, struct diagnosis *diagnosis)
{
	bool good = true;
	for (uint32_t t = 0; t < graph->length && good; t++) {
		struct thread_list waiters = {0};
		if (!ends_chain(graph, t) || serves(graph, t) != serving)
			continue;
		good = collect_waiters(graph, t, true, &waiters);
		if (good && waiters.length > 0 && waiters.at[0] < graph->own)
			good = tell_chain(graph, t, &waiters, diagnosis);
		free(waiters.at);
	}
	return good;
}

bool find_chains(struct graph *graph, struct diagnosis *diagnosis)
{
	return find_chains_to(graph, false, diagnosis) && find_chains_to(graph, true, diagnosis);
}

/* It runs, or did between the looks. */
static bool busy(const struct graph *graph, uint32_t thread)
{
	enum wait_kind kind = graph->waits[thread]->kind;
	return !graph_gone(graph, thread) &&
	       (kind == WAIT_NOTHING || kind == WAIT_SPIN || percent(graph, thread) >= HOT_PERCENT);
}

bool find_ordinary(struct graph *graph, struct diagnosis *diagnosis)
{
	struct thread_list running = {0}, all = {0};
	struct cause_draft draft;
	bool good = true;
	for (uint32_t t = 0; t < graph->own && good; t++)
		good = graph_gone(graph, t) ||
		       (thread_list_add(&all, t) && (!busy(graph, t) || thread_list_add(&running, t)));
	bool runs = running.length > 0;
	if (good && all.length > 0 && (good = cause_begin(&draft, runs ? CAUSE_BUSY : CAUSE_IDLE, false))) {
		const struct thread_list *told = runs ? &running : &all;
		good = print_groups(graph->situation, told, WAIT_PRINT_CALL, draft.message);
		for (size_t i = 0; i < told->length && good; i++)
			good = thread_list_add(&draft.threads, told->at[i]);
		if (!runs)
			fputs("no thread waits for another one that can't go on", draft.evidence);
		good = cause_end(&draft, diagnosis) && good;
	}
	free(running.at);
	free(all.at);
	return good;
}
