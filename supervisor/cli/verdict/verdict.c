/* What a search has shown, and what it hasn't. */
#include "supervisor/cli/verdict/verdict.h"
#include "supervisor/cli/options/options.h"
#include "supervisor/cli/output/say.h"
#include "supervisor/cli/verdict/simplify.h"
#include "supervisor/cli/verdict/warnings.h"

#include <fmc/tracer/array.h>

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* Variables that the first line names, and places of each. */
#define VARIABLES_SHOWN 3

static const char uncontrolled[] = "what these do isn't controlled: ";

void verdict_init(struct verdict *verdict)
{
	*verdict = (struct verdict){0};
}

void verdict_release(struct verdict *verdict)
{
	for (size_t i = 0; i < verdict->reasons; i++)
		free(verdict->because[i]);
	free(verdict->uncontrolled);
	memory_seen_release(&verdict->memory);
	memory_seen_release(&verdict->switched);
	for (size_t i = 0; i < WARNINGS; i++)
		warning_release(&verdict->warnings[i]);
	for (size_t i = 0; i < verdict->reported_length; i++) {
		finding_release(&verdict->reported[i].finding);
		free(verdict->reported[i].schedule);
		simplified_free(verdict->reported[i].simplified);
	}
	free(verdict->reported);
	verdict_init(verdict);
}

struct reported *verdict_report(struct verdict *verdict)
{
	size_t length = verdict->reported_length;
	if (!ARRAY_ONE_MORE(verdict->reported, length))
		return NULL;
	verdict->reported_length++;
	verdict->reported[length] = (struct reported){.count = 1};
	finding_init(&verdict->reported[length].finding);
	return &verdict->reported[length];
}

void verdict_switched(struct verdict *verdict, const struct verdict *before, const struct memory_seen *races)
{
	(void)memory_seen_add_all(&verdict->switched, &before->switched);
	(void)memory_seen_add_all(&verdict->switched, races);
}

size_t verdict_failures(const struct verdict *verdict)
{
	size_t failures = 0;
	for (size_t i = 0; i < verdict->reported_length; i++)
		failures += verdict->reported[i].finding.kind != FINDING_NONE;
	return failures;
}

void verdict_because(struct verdict *verdict, const char *format, ...)
{
	char *text;
	va_list arguments;
	va_start(arguments, format);
	int written = vasprintf(&text, format, arguments);
	va_end(arguments);
	verdict->complete = false;
	if (written < 0)
		return;
	for (size_t i = 0; i < verdict->reasons; i++) {
		if (strcmp(verdict->because[i], text) != 0)
			continue;
		free(text);
		return;
	}
	if (verdict->reasons == VERDICT_REASONS)
		free(text);
	else
		verdict->because[verdict->reasons++] = text;
}

static bool is_listed(const char *list, const char *item, size_t length)
{
	for (const char *at = list; at; at = strstr(at, "; ")) {
		at += at == list ? 0 : 2;
		if (strncmp(at, item, length) == 0 && (!at[length] || strncmp(at + length, "; ", 2) == 0))
			return true;
	}
	return false;
}

/* The reason that has the old list in it gets the new one. */
static void replace_uncontrolled(struct verdict *verdict, char *list)
{
	char *old = NULL, *text = NULL;
	if (verdict->uncontrolled && asprintf(&old, "%s%s", uncontrolled, verdict->uncontrolled) < 0)
		old = NULL;
	free(verdict->uncontrolled);
	verdict->uncontrolled = list;
	for (size_t i = 0; old && i < verdict->reasons; i++)
		if (strcmp(verdict->because[i], old) == 0 &&
		    asprintf(&text, "%s%s", uncontrolled, list) >= 0) {
			free(verdict->because[i]);
			verdict->because[i] = text;
		}
	free(old);
	if (!text)
		verdict_because(verdict, "%s%s", uncontrolled, list);
}

static bool is_numbers(const char *item, size_t length)
{
	return length == strlen(NUMBERS_AS_GIVEN) && strncmp(item, NUMBERS_AS_GIVEN, length) == 0;
}

void verdict_uncontrolled(struct verdict *verdict, const char *list)
{
	for (const char *item = list; *item;) {
		const char *end = strstr(item, "; ");
		const size_t length = end ? (size_t)(end - item) : strlen(item);
		char *longer;
		if (is_numbers(item, length))
			verdict->numbers_given = true;
		else if (!is_listed(verdict->uncontrolled, item, length) &&
			 asprintf(&longer, "%s%s%.*s", verdict->uncontrolled ? verdict->uncontrolled : "",
				  verdict->uncontrolled ? "; " : "", (int)length, item) >= 0)
			replace_uncontrolled(verdict, longer);
		item += length + (end ? 2 : 0);
	}
}

void verdict_break_off(struct verdict *verdict, const char *where, enum whereabouts doing)
{
	if (verdict->broken_off++ > 0)
		return;
	snprintf(verdict->broken_at, sizeof verdict->broken_at, "%s", where);
	verdict->broken_doing = doing;
}

const char *verdict_granularity(const struct verdict *verdict)
{
	if (verdict->compiled)
		return "access";
	if (verdict->switched.length > 0)
		return verdict->all_shared ? "memory" : "race";
	return verdict->atomics ? "atomic" : "sync";
}

const char *verdict_memory_model(bool tso)
{
	_Static_assert(MODEL_STORES == 2, "what is said");
	return tso ? "x86-TSO with store buffers of 2" : "sequential consistency";
}

/* How far an incomplete search has come. */
static void print_coverage(const struct verdict *verdict, FILE *stream)
{
	fprintf(stream, "%" PRIu64 " execution%s differ%s in more than the order of independent operations",
		verdict->classes, plural(verdict->classes), verdict->classes == 1 ? "s" : "");
	if (verdict->saturation > 0)
		fprintf(stream, "; of the last ones, %.0f%% were like earlier ones",
			100 * verdict->saturation);
	fprintf(stream, ".\n");
	if (verdict->estimate <= (double)verdict->executions)
		return;
	fprintf(stream, "In all there may be about %.2g", verdict->estimate);
	if (verdict->estimate_high > verdict->estimate_low)
		fprintf(stream, " (%.2g to %.2g)", verdict->estimate_low, verdict->estimate_high);
	fprintf(stream, " executions%s.\n", verdict->estimate_of);
}

static void print_fairness(const struct verdict *verdict, FILE *stream)
{
	if (!verdict->fair_k)
		fprintf(stream, "no fairness");
	else if (verdict->unfair == UNFAIR_RUN)
		fprintf(stream, "fairness with k = %" PRIu32 " and without it", verdict->fair_k);
	else
		fprintf(stream, "fairness with k = %" PRIu32, verdict->fair_k);
	if (verdict->unfair == UNFAIR_ENDLESS)
		fprintf(stream,
			" (without it the search has no end: that a thread which waits or sleeps several "
			"times is quicker than one that could run was left out; --fair-k 2 sees more)");
	if (verdict->unfair == UNFAIR_REFUSED)
		fprintf(stream,
			" (which left executions out: that a thread which waits or sleeps several times is "
			"quicker than one that could run)");
}

/* The conditions: those on what threads do, and, after `next`, those on how they are run. `gap`: where a line may end. */
static void print_conditions(const struct verdict *verdict, const char *gap, const char *next, FILE *stream)
{
	if (verdict->reduced)
		fprintf(stream, "up to the order of independent operations,%s", gap);
	if (verdict->pruned)
		fprintf(stream, "leaving out what follows a state that had been explored,%s", gap);
	fprintf(stream, "threads switching only before synchronisation operations");
	if (verdict->outcomes)
		fprintf(stream, "%sand wherever the program prints", gap);
	if (verdict->atomics)
		fprintf(stream, "%sand atomic instructions of the program and its libraries", gap);
	if (verdict->compiled)
		fprintf(stream, "%sand accesses to memory of code that was compiled to tell of them", gap);
	if (*verdict->uncompiled)
		fprintf(stream, ",%swhich %s doesn't do", gap, verdict->uncompiled);
	if (verdict->switched.length > 0) {
		fprintf(stream, "%sand these accesses to memory: ", gap);
		memory_seen_print(&verdict->switched, VARIABLES_SHOWN, stream);
	}
	if (verdict->parted)
		fprintf(stream, ",%sparts of one access in the order of their addresses", gap);
	fprintf(stream, "%s,%s",
		verdict->reduced && !verdict->watched_all ? " and sharing no memory without them" : "", next);
	print_fairness(verdict, stream);
	if (verdict->ordered)
		fprintf(stream, ", time-outs firing in order");
	if (verdict->numbers_given)
		fprintf(stream, ", " NUMBERS_AS_GIVEN);
	fprintf(stream, ", %s", verdict->conditions);
}

char *verdict_conditions(const struct verdict *verdict)
{
	char *text = NULL;
	size_t length;
	FILE *stream = *verdict->conditions ? open_memstream(&text, &length) : NULL;
	if (!stream)
		return NULL;
	print_conditions(verdict, " ", " ", stream);
	fclose(stream);
	return text;
}

/* The executions that a complete search speaks of. */
static void print_scope(const struct verdict *verdict, FILE *stream)
{
	fprintf(stream, "%s every %sexecution of this program ",
		verdict->conditional ? "But for them that was"
		: verdict->in_order  ? "That was"
				     : "Search complete: that was",
		verdict->unfair == UNFAIR_RUN || !verdict->fair_k ? "" : "fair ");
	if (verdict->image)
		fprintf(stream, "from the state in\n%s on,\n", verdict->image);
	else
		fprintf(stream, "with these arguments and this input,\n");
	print_conditions(verdict, "\n", "\nunder ", stream);
	fprintf(stream, ".\n");
}

/* No execution has come to an end: what is to blame, and what to do. */
static void print_nothing(const struct verdict *verdict, FILE *stream)
{
	if (!verdict->broken_off)
		return;
	fprintf(stream, "No execution came to its end: when time was up %s.\n", verdict->broken_at);
	if (verdict->driven) {
		fprintf(stream, "Give its client (--drive) less to do, or more time (--time S).\n");
		return;
	}
	switch (verdict->broken_doing) {
	case WHERE_COMPUTES:
		fprintf(stream, "If it only needs longer, give it less to do, or --time S. If it waits for "
				"memory that another "
				"thread\nwrites, a pause instruction or sched_yield() in its loop lets the "
				"other one run.\n");
		return;
	case WHERE_WAITS:
		fprintf(stream,
			"fmc can't tell when that ends. What it waits for (a peer, a file, --stdin FILE) has "
			"to be there before\nit starts; fmc attach PID looks at a process that talks to "
			"others.\n");
		return;
	case WHERE_STANDS:
		fprintf(stream, "It was getting on: give it less to do, or --time S. One that ends only when "
				"it is told to, as "
				"servers do,\nis looked at by fmc attach PID, with --run or --explore.\n");
		return;
	}
}

/* What a complete search hasn't seen of memory, which is said before what it has. */
static const char *memory_unseen(const struct verdict *verdict)
{
	if (!verdict->follow)
		return "memory was sampled, not watched";
	if (!verdict->shares_memory)
		return "memory wasn't looked at";
	return verdict->memory.executions > 0 ? "memory that processes share was sampled, not watched"
					      : "memory that processes share wasn't looked at";
}

static void print_headline(const struct verdict *verdict, FILE *stream)
{
	uint64_t n = verdict->executions;
	size_t failures = verdict_failures(verdict);
	if (failures)
		fprintf(stream, "%zu different failure%s", failures, plural(failures));
	else if (verdict->races_failed)
		fprintf(stream, "%zu data race%s", verdict->races_failed, plural(verdict->races_failed));
	else
		fprintf(stream, "No failure");
	fprintf(stream, " found in %" PRIu64 " execution%s, %.1f seconds", n, plural(n), verdict->seconds);
	if (verdict->in_order)
		fprintf(stream, ", complete as long as time-outs fire in order");
	if (verdict->conditional) {
		fprintf(stream, "%s only if these accesses don't matter: ",
			verdict->in_order ? " and" : ", complete");
		memory_seen_print(&verdict->memory, VARIABLES_SHOWN, stream);
	} else if (verdict->complete && verdict->watched_all) {
		fprintf(stream, ", complete for all interleavings of memory accesses%s",
			verdict->tso ? " under x86-TSO" : "");
	} else if (verdict->complete) {
		fprintf(stream, "; %s: complete only at granularity %s", memory_unseen(verdict),
			verdict_granularity(verdict));
	}
	fprintf(stream, ".\n");
}

static void print_watched(const struct verdict *verdict, FILE *stream)
{
	fprintf(stream,
		"In %s every access to memory was watched, but for what libc, the loader and the C++ runtime "
		"have "
		"to\nthemselves: threads share nothing without these operations.\n",
		verdict->reduced ? "one execution of each order" : "all of them");
}

/* A search that switches threads at operations alone relies on what it can only take samples of. */
static void print_memory(const struct verdict *verdict, FILE *stream)
{
	const struct memory_seen *seen = &verdict->memory;
	if (verdict->watched_all) {
		print_watched(verdict, stream);
		return;
	}
	if (seen->executions > 0)
		fprintf(stream,
			"A sample of what %" PRIu32
			" of them do%s to memory shows nothing that threads share "
			"without these operations",
			seen->executions, seen->executions == 1 ? "es" : "");
	else
		fprintf(stream, "What they do to memory wasn't looked at");
	if (seen->unseen)
		fprintf(stream, "%s%s", seen->executions > 0 ? ";\nnot looked at: " : ": ", seen->unseen);
	fprintf(stream, ".\n");
	if (*verdict->unwatched)
		fprintf(stream, "Not every access was watched: %s.\n", verdict->unwatched);
}

/* All that is missing is what happens when a time-out doesn't wait for its turn. */
static void print_in_order(const struct verdict *verdict, FILE *stream)
{
	print_scope(verdict, stream);
	fprintf(stream,
		"Others, in which a time-out fires or a sleep ends while other threads could go on, weren't "
		"run (--timeouts any).\n");
	if (!verdict->conditional)
		print_memory(verdict, stream);
}

/* All that is missing is to know whether some accesses matter. */
static void print_conditional(const struct verdict *verdict, FILE *stream)
{
	fprintf(stream, "No operation orders these accesses, and no thread is switched there: an order that "
			"wasn't run may fail.\n");
	if (verdict->memory.length > VARIABLES_SHOWN) {
		fprintf(stream, "All of them: ");
		memory_seen_print(&verdict->memory, 0, stream);
		fprintf(stream, ".\n");
	}
	if (verdict->in_order)
		print_in_order(verdict, stream);
	else
		print_scope(verdict, stream);
}

bool verdict_unreached(const struct verdict *verdict, size_t i)
{
	return verdict->properties->at[i].kind == PROPERTY_ASSERT && !(verdict->reached >> i & 1);
}

/* Of an expression that was never looked at nothing is known. */
static void print_unreached(const struct verdict *verdict, FILE *stream)
{
	for (size_t i = 0; verdict->properties && i < verdict->properties->length; i++) {
		const struct property_spec *spec = &verdict->properties->at[i];
		if (verdict_unreached(verdict, i))
			fprintf(stream,
				"No thread came to %.*s in any execution: '%s' was never looked at there.\n",
				(int)spec->place_length, spec->place, spec->text);
	}
}

void verdict_print(const struct verdict *verdict, FILE *stream)
{
	if (!verdict_failures(verdict) && verdict->alone && verdict->complete) {
		fprintf(stream,
			"No failure found. The program never starts a second thread: there is nothing to "
			"explore.\n");
		print_unreached(verdict, stream);
		return;
	}
	print_headline(verdict, stream);
	print_unreached(verdict, stream);
	if (verdict->conditional) {
		print_conditional(verdict, stream);
		return;
	}
	if (verdict->in_order) {
		print_in_order(verdict, stream);
		return;
	}
	if (verdict->complete) {
		print_scope(verdict, stream);
		print_memory(verdict, stream);
		return;
	}
	if (verdict->executions > 0)
		print_coverage(verdict, stream);
	else
		print_nothing(verdict, stream);
	fprintf(stream, "The search isn't complete:\n");
	for (size_t i = 0; i < verdict->reasons; i++)
		fprintf(stream, "  - %s\n", verdict->because[i]);
}

bool verdict_satisfies(const struct verdict *verdict, const struct options *options)
{
	const bool chosen = !options->granularity_assumed && (options->granularity == GRANULARITY_SYNC ||
							      options->granularity == GRANULARITY_ATOMIC);
	return verdict->complete && (verdict->watched_all || verdict->alone || verdict->compiled || chosen);
}
