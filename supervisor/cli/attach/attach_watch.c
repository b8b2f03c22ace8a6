/* fmc attach --watch: stuck or moving? */
#include "supervisor/cli/attach/attach.h"
#include "supervisor/cli/attach/print_account.h"
#include "supervisor/cli/output/exits.h"
#include "supervisor/cli/output/say.h"
#include "supervisor/cli/session/session.h"

#include <fmc/supervisor/shown.h>

#include <stdlib.h>
#include <string.h>
#include <time.h>

/* So many threads whose doings have changed are told of at each look. */
#define MOST_CHANGES 20

/*
 * Looks at one process, one after the other. In between nothing is stopped: who has run is read in /proc, before and after the
 * pause, so that the looks themselves don't count.
 */
struct watch {
	const struct options *options;
	pid_t pid;
	FILE *stream;
	uint64_t began;
	uint64_t looks;
	struct account *account;   /* the last look */
	struct movement *movement; /* that led to it; NULL: the first one */
	uint64_t interval;
};

/* A list of threads on its way to threads_print(). */
struct part {
	uint32_t *threads;
	size_t length;
};

static unsigned percent(const struct watch *w, uint32_t t)
{
	uint64_t share = w->interval ? w->movement[t].cpu_ns * 100 / w->interval : 0;
	return share > 100 ? 100 : (unsigned)share;
}

/* Those that did that: stuck, or moving with less than a hundredth of a processor. */
static struct part collect(const struct watch *w, bool moving)
{
	const struct situation *s = &w->account->situation;
	struct part part = {.threads = calloc(w->account->inspection.length + 1, sizeof *part.threads)};
	for (uint32_t t = 0; part.threads && t < w->account->inspection.length; t++) {
		bool there = s->states[t] != 'Z' && s->states[t] != 'X';
		if (there && w->movement[t].moved == moving && (!moving || percent(w, t) == 0))
			part.threads[part.length++] = t;
	}
	return part;
}

static void print_part(const struct watch *w, const char *before, struct part part)
{
	if (part.length > 0) {
		fputs(before, w->stream);
		threads_print(&w->account->situation, part.threads, part.length, w->stream);
	}
	free(part.threads);
}

/* "After 2.0 s: T1 to T3 stuck; T5 moves; T4 uses 97 % of a processor" */
static void print_movement(const struct watch *w)
{
	fprintf(w->stream, "\nAfter %.1f s:", (double)(clock_now() - w->began) / 1e9);
	print_part(w, " stuck: ", collect(w, false));
	print_part(w, " moving: ", collect(w, true));
	const char *before = " computing: ";
	for (uint32_t t = 0; t < w->account->inspection.length; t++) {
		if (percent(w, t) == 0)
			continue;
		fprintf(w->stream, "%sT%u (%u %% of a processor)", before, (unsigned)t + 1, percent(w, t));
		before = ", ";
	}
	fputc('\n', w->stream);
}

static char *doing(const struct account *account, uint32_t thread)
{
	char *text = NULL;
	size_t size;
	FILE *stream = open_memstream(&text, &size);
	if (!stream)
		return NULL;
	wait_print(&account->situation, thread, WAIT_PRINT_CALL, stream);
	return fclose(stream) == 0 ? text : NULL;
}

static bool same_text(char *one, char *other)
{
	bool same = one && other && strcmp(one, other) == 0;
	free(one);
	free(other);
	return same;
}

static void print_changed_threads(const struct watch *w, const struct account *before)
{
	unsigned changes = 0;
	for (uint32_t t = 0; t < w->account->inspection.length; t++) {
		if (same_text(doing(w->account, t), doing(before, t)) || changes++ >= MOST_CHANGES)
			continue;
		fprintf(w->stream, "    T%u ", (unsigned)t + 1);
		char *text = doing(w->account, t);
		shown_print(text ? text : "", text ? strlen(text) : 0, w->stream);
		fputc('\n', w->stream);
		free(text);
	}
	if (changes > MOST_CHANGES)
		fprintf(w->stream, "    and %u more do something else now\n", changes - MOST_CHANGES);
}

static bool same_threads(const struct account *one, const struct account *other)
{
	size_t n = one->inspection.length;
	return n == other->inspection.length &&
	       memcmp(one->situation.tids, other->situation.tids, n * sizeof *one->situation.tids) == 0;
}

static bool same_causes(const struct account *one, const struct account *other)
{
	if (one->diagnosis.length != other->diagnosis.length)
		return false;
	for (size_t i = 0; i < one->diagnosis.length; i++)
		if (one->diagnosis.causes[i].certain != other->diagnosis.causes[i].certain ||
		    strcmp(one->diagnosis.causes[i].message, other->diagnosis.causes[i].message) != 0)
			return false;
	return true;
}

/* What is different from the look before. */
static void print_changes(const struct watch *w, const struct account *before)
{
	if (!same_threads(w->account, before)) {
		fputs("Threads have come or gone. Numbered anew:\n\n", w->stream);
		print_account(w->account, w->options);
		return;
	}
	if (!same_causes(w->account, before)) {
		const struct account_options how = print_options(w->options);
		account_print_causes(w->account, &how, w->stream);
	}
	print_changed_threads(w, before);
}

/* False: Ctrl-C. */
static bool pause_until(uint64_t deadline)
{
	const struct timespec until = {.tv_sec = (time_t)(deadline / 1000000000),
				       .tv_nsec = (long)(deadline % 1000000000)};
	while (!tracer_interrupted())
		if (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) == 0)
			return true;
	return false;
}

/* What two readings of /proc around a pause say, and the look after it. STATUS_NOT_FOUND: the process has ended. */
struct pause {
	struct activity *before, *after;
	size_t before_length, after_length;
	uint64_t interval;
	struct account *account;
};

static enum status pause_and_look(const struct watch *w, struct pause *p, char why[256])
{
	enum status status = activity_read(w->pid, &p->before, &p->before_length);
	if (status)
		return status;
	uint64_t begin = clock_now();
	if (!pause_until(begin + (uint64_t)(w->options->watch * 1e9)))
		return STATUS_INTERRUPTED;
	status = activity_read(w->pid, &p->after, &p->after_length);
	p->interval = clock_now() - begin;
	if (status == STATUS_OK)
		status = account_look(w->pid, &p->account, why);
	bool sure;
	if (status == STATUS_OK && (status = account_confirm(p->account, &sure)) != STATUS_OK)
		account_free(p->account);
	return status;
}

/* The new look takes the place of the last one, and is told of. */
static enum status take_over(struct watch *w, const struct pause *p)
{
	struct movement *movement =
	    account_compare(p->account, p->before, p->before_length, p->after, p->after_length);
	enum status status = movement ? account_moved(p->account, movement, p->interval) : STATUS_NO_MEMORY;
	if (status) {
		free(movement);
		account_free(p->account);
		return status;
	}
	struct account *last = w->account;
	free(w->movement);
	w->account = p->account;
	w->movement = movement;
	w->interval = p->interval;
	print_movement(w);
	print_changes(w, last);
	account_free(last);
	return STATUS_OK;
}

static enum status look_again(struct watch *w, char why[256])
{
	struct pause p = {0};
	enum status status = pause_and_look(w, &p, why);
	if (status == STATUS_OK)
		status = take_over(w, &p);
	free(p.before);
	free(p.after);
	return status;
}

/* Nothing is left of it, or only a number that its parent hasn't asked for. */
static bool has_ended(pid_t pid)
{
	struct activity *list;
	size_t length;
	bool there = false;
	if (activity_read(pid, &list, &length) != STATUS_OK)
		return true;
	for (size_t i = 0; i < length; i++)
		there = there || (list[i].state && list[i].state != 'Z' && list[i].state != 'X');
	free(list);
	return !there;
}

/* Why it ends: what there is to say, and the exit status. */
static int conclude(struct watch *w, enum status status, const char *why)
{
	fprintf(w->stream, "\n%lu %s in %.1f s.\n", (unsigned long)w->looks, w->looks == 1 ? "look" : "looks",
		(double)(clock_now() - w->began) / 1e9);
	int exits = finish_account(w->account, w->movement, w->interval, w->options);
	if (status == STATUS_INTERRUPTED)
		return EXITS_INTERRUPTED;
	if (status && has_ended(w->pid))
		say("the process has ended");
	else if (status)
		return attach_failed(status, *why ? why : status_text(status));
	return exits;
}

int attach_watch(const struct options *options, pid_t pid)
{
	struct watch w = {.options = options,
			  .pid = pid,
			  .stream = people_stream(options),
			  .began = clock_now(),
			  .looks = 1};
	char why[256] = "";
	enum status status = account_attach(pid, &w.account, why);
	if (status)
		return attach_failed(status, why);
	print_account(w.account, options);
	for (; status == STATUS_OK && (!options->count || w.looks < options->count); w.looks++) {
		fflush(w.stream);
		status = look_again(&w, why);
		if (status)
			break;
	}
	int exits = conclude(&w, status, why);
	free(w.movement);
	account_free(w.account);
	return exits;
}
