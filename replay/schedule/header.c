#include "replay/schedule/parser.h"

#include "replay/text/words.h"

#include <fmc/supervisor/arrivals.h>
#include <fmc/supervisor/good_ends.h>
#include <fmc/supervisor/property.h>
#include <fmc/tracer/array.h>
#include <fmc/tracer/assert.h>

#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A line of the header, by its key. */

/* Limits on what a file may ask for; memory is taken only for what is there. */
#define LONGEST_LIST (1u << 20)
#define MOST_HIDDEN  (8u << 20) /* bytes of hidden variables */

static const char *const key_names[KEYS] = {
    "fmc",	 "program", "arg",    "directory", "module",   "env",	       "hidden",
    "input",	 "fair",    "depth",  "timeouts",  "clock",    "atomics",      "memory",
    "waking",	 "expect",  "head",   "shared",	   "promoted", "property",     "ops",
    "op",	 "image",   "origin", "strategy",  "thread",   "verdict",      "message",
    "signature", "end",	    "loop",   "length",	   "outcome",  "outcome-part", "outcome-first",
    "drive",	 "ready",   "before", "after",	   "stop",     "follow",       "arrivals",
};

/* *to is the caller's to free; NULL where it fails. */
static enum status set_string(struct parser *p, char **to, const char *value)
{
	if (value[0] == '"') {
		const char *error, *at = value, *end = value + strlen(value);
		*to = text_unquote(&at, end, &error);
		if (!*to)
			return error ? parser_fail(p, "%s", error) : STATUS_NO_MEMORY;
		if (at == end)
			return STATUS_OK;
		free(*to);
		*to = NULL;
		return parser_fail(p, "more text after the closing quote");
	}
	*to = strdup(value);
	return *to ? STATUS_OK : STATUS_NO_MEMORY;
}

/* Room for one more at the end of a list; NULL after a failure, which is in *status. */
static char **append(struct parser *p, enum key key, char ***list, enum status *status)
{
	size_t length = p->counts[key];
	*status = STATUS_NO_MEMORY;
	if (length == LONGEST_LIST) {
		*status = parser_fail(p, "more than %u lines of one kind", LONGEST_LIST);
		return NULL;
	}
	char **longer = realloc(*list, (length + 2) * sizeof *longer);
	if (!longer)
		return NULL;
	*list = longer;
	p->counts[key] = length + 1;
	longer[length] = longer[length + 1] = NULL;
	return &longer[length];
}

static enum status append_value(struct parser *p, enum key key, char ***list, const char *value)
{
	enum status status;
	char **to = append(p, key, list, &status);
	return to ? set_string(p, to, value) : status;
}

static enum status append_unknown(struct parser *p, const char *line)
{
	enum status status;
	char **to = append(p, KEYS, &p->schedule->header.unknown, &status);
	if (!to)
		return status;
	*to = strdup(line);
	return *to ? STATUS_OK : STATUS_NO_MEMORY;
}

static enum status set_number(struct parser *p, uint64_t *to, uint64_t limit, const char *value)
{
	char shown[64];
	if (words_read_number(value, strlen(value), limit, to))
		return STATUS_OK;
	return parser_fail(p, "expected a number up to %llu, not '%s'", (unsigned long long)limit,
			   source_excerpt(shown, value, strlen(value)));
}

static enum status set_fair(struct parser *p, const char *value)
{
	uint64_t k = 0;
	enum status status = set_number(p, &k, UINT32_MAX, value);
	p->schedule->header.fair_k = (uint32_t)k;
	return status;
}

static enum status set_timeouts(struct parser *p, const char *value)
{
	char shown[64];
	if (strcmp(value, "any") != 0 && strcmp(value, "ordered") != 0)
		return parser_fail(p, "expected any or ordered, not '%s'",
				   source_excerpt(shown, value, strlen(value)));
	p->schedule->header.ordered = *value == 'o';
	return STATUS_OK;
}

static enum status set_flag(struct parser *p, const char *value, bool *flag)
{
	char shown[64];
	if (strcmp(value, "yes") != 0 && strcmp(value, "no") != 0)
		return parser_fail(p, "expected yes or no, not '%s'",
				   source_excerpt(shown, value, strlen(value)));
	*flag = *value == 'y';
	return STATUS_OK;
}

static enum status set_memory(struct parser *p, const char *value)
{
	char shown[64];
	if (strcmp(value, "sc") != 0 && strcmp(value, "tso") != 0)
		return parser_fail(p, "expected sc or tso, not '%s'",
				   source_excerpt(shown, value, strlen(value)));
	p->schedule->header.tso = *value == 't';
	return STATUS_OK;
}

static enum status set_arrivals(struct parser *p, const char *value)
{
	struct arrivals arrivals = {0};
	return arrivals_parse(&arrivals, value) ? set_string(p, &p->schedule->header.arrivals, value)
						: parser_fail(p, "expected signals, as INT,TERM:2");
}

static enum status set_expected(struct parser *p, const char *value)
{
	struct good_ends ends = {0};
	char shown[64];
	if (!good_ends_parse(&ends, value))
		return parser_fail(p, "expected exit statuses and signals, not '%s'",
				   source_excerpt(shown, value, strlen(value)));
	return set_string(p, &p->schedule->header.expected, value);
}

static enum status set_ready(struct parser *p, const char *value)
{
	regex_t ready;
	char shown[64];
	const enum status status = set_string(p, &p->schedule->header.ready, value);
	if (status != STATUS_OK)
		return status;
	if (regcomp(&ready, p->schedule->header.ready, REG_EXTENDED | REG_NOSUB | REG_NEWLINE) != 0)
		return parser_fail(p, "expected a regular expression, not '%s'",
				   source_excerpt(shown, value, strlen(value)));
	regfree(&ready);
	return STATUS_OK;
}

static enum status set_stop(struct parser *p, const char *value)
{
	char shown[64];
	if (strcmp(value, "none") != 0 && !signal_by_name(value, strlen(value)))
		return parser_fail(p, "expected a signal or none, not '%s'",
				   source_excerpt(shown, value, strlen(value)));
	return set_string(p, &p->schedule->header.stop, value);
}

static enum status set_loop(struct parser *p, const char *value)
{
	uint64_t start = 0;
	enum status status = set_number(p, &start, SIZE_MAX, value);
	if (status == STATUS_OK && start == 0)
		return parser_fail(p, "transitions are counted from 1");
	p->schedule->loop_start = start ? start - 1 : 0;
	return status;
}

static enum status set_length(struct parser *p, const char *value)
{
	p->has_length = true;
	return set_number(p, &p->length, SIZE_MAX, value);
}

/* Threads of a process have numbers in their order, and processes in that of their first threads. */
static bool is_next_of(const struct schedule *schedule, uint32_t process, uint32_t number)
{
	uint32_t before = 0, processes = 0;
	for (size_t t = 0; t < schedule->threads; t++) {
		const uint32_t its = schedule->thread_processes[t];
		before += its == process;
		processes = its > processes ? its : processes;
	}
	return number == before + 1 && process <= processes + 1;
}

/* All of them say of which process they are, or none does. */
static enum status add_process(struct parser *p, const char *value, size_t word)
{
	struct schedule *schedule = p->schedule;
	uint32_t process, number;
	const size_t threads = schedule->threads;
	if (!words_read_of_process(value, word, &process, &number) ||
	    (threads > 0 && !schedule->thread_processes) || !is_next_of(schedule, process, number))
		return parser_fail(p, "expected the next thread of a process, T%zu at most of one",
				   threads + 1);
	if (!ARRAY_ONE_MORE(schedule->thread_processes, threads))
		return STATUS_NO_MEMORY;
	schedule->thread_processes[threads] = process;
	return STATUS_OK;
}

static enum status add_thread(struct parser *p, const char *value)
{
	struct schedule *schedule = p->schedule;
	size_t word = strcspn(value, " \t");
	uint32_t thread = (uint32_t)schedule->threads;
	enum status status = STATUS_OK;
	if (schedule->thread_processes || memchr(value, '.', word))
		status = add_process(p, value, word);
	else if (!words_read_thread(value, word, &thread) || thread != schedule->threads)
		status = parser_fail(p, "expected thread T%zu", schedule->threads + 1);
	if (status != STATUS_OK)
		return status;
	if (thread >= SCHEDULE_THREADS)
		return parser_fail(p, "more than %d threads", SCHEDULE_THREADS);
	if (!ARRAY_ONE_MORE(schedule->thread_names, schedule->threads))
		return STATUS_NO_MEMORY;
	schedule->thread_names[schedule->threads++] = NULL;
	value += word + strspn(value + word, " \t");
	return *value ? set_string(p, &schedule->thread_names[thread], value) : STATUS_OK;
}

/* "BYTES": of a variable of the environment. All of them have to fit onto a stack. */
static enum status add_hidden(struct parser *p, const char *value, size_t length)
{
	uint64_t bytes;
	char shown[64];
	if (!words_read_number(value, length, MOST_HIDDEN - p->hidden, &bytes))
		return parser_fail(p, "expected how long hidden variables are, %u bytes in all, not '%s'",
				   MOST_HIDDEN, source_excerpt(shown, value, length));
	enum status status;
	char **to = append(p, KEY_ENV, &p->schedule->header.environment, &status);
	if (!to)
		return status;
	p->hidden += bytes;
	*to = hidden_variable(bytes);
	return *to ? STATUS_OK : STATUS_NO_MEMORY;
}

static enum status add_several_hidden(struct parser *p, const char *value)
{
	enum status status = STATUS_OK;
	while (*value && status == STATUS_OK) {
		size_t length = strcspn(value, " \t");
		status = add_hidden(p, value, length);
		value += length;
		value += strspn(value, " \t");
	}
	return status;
}

/* "OPERATION CLASS": what the names in the body mean. */
static enum status add_kind(struct parser *p, const char *value)
{
	char op[32] = "", class[32] = "", line[64], more, shown[64];
	bool good = sscanf(value, "%31s %31s %c", op, class, &more) == 2;
	enum object_class number = good ? class_add(class) : CLASSES;
	if (number == CLASSES || op_add(op, number) == OP_KINDS)
		return parser_fail(p, "expected an operation of a plug-in's and its class, not '%s'",
				   source_excerpt(shown, value, strlen(value)));
	/* As it is written: a tab between them would have to be quoted. */
	snprintf(line, sizeof line, "%s %s", op, class);
	return append_value(p, KEY_OP, &p->schedule->header.kinds, line);
}

/* "MODULE+0xOFFSET ROUNDS [from TRANSITION]" */
static enum status add_head(struct parser *p, const char *value)
{
	struct loop loop;
	char shown[64], *text = NULL;
	enum status status = set_string(p, &text, value);
	if (status != STATUS_OK)
		return status;
	bool good = loop_parse(text, &loop);
	free(text);
	if (!good)
		return parser_fail(p, "expected the head of a loop, not '%s'",
				   source_excerpt(shown, value, strlen(value)));
	if (!loops_add(&p->schedule->header.loops, &loop))
		return parser_fail(p, "more than %d heads of loops, or one twice", LOOPS_MOST);
	return STATUS_OK;
}

/* "CLASS NUMBER [from TRANSITION]" */
static enum status add_shared(struct parser *p, const char *value)
{
	struct shared_descriptor descriptor;
	char shown[64], *text = NULL;
	enum status status = set_string(p, &text, value);
	if (status != STATUS_OK)
		return status;
	const bool good = shared_parse(text, &descriptor);
	free(text);
	if (!good)
		return parser_fail(p, "expected a descriptor that threads share, not '%s'",
				   source_excerpt(shown, value, strlen(value)));
	if (!shared_add(&p->schedule->header.shared, &descriptor))
		return parser_fail(p, "more than %d descriptors that threads share, or one twice",
				   SHARED_MOST);
	return STATUS_OK;
}

/* "MODULE+0xOFFSET" */
static enum status add_promoted(struct parser *p, const char *value)
{
	struct schedule_header *header = &p->schedule->header;
	struct module_place place;
	const char *rest;
	char shown[64], *text = NULL;
	if (!header->promoted)
		header->promoted = calloc(1, sizeof *header->promoted);
	enum status status = header->promoted ? set_string(p, &text, value) : STATUS_NO_MEMORY;
	if (status != STATUS_OK)
		return status;
	bool good = module_place_parse(text, &place, &rest) && *rest == '\0';
	free(text);
	if (!good)
		return parser_fail(p, "expected a promoted instruction, not '%s'",
				   source_excerpt(shown, value, strlen(value)));
	if (promoted_has(header->promoted, place.module, place.offset))
		return parser_fail(p, "a promoted instruction twice");
	if (!promoted_add(header->promoted, &place))
		return STATUS_NO_MEMORY;
	return STATUS_OK;
}

/* "always count <= 4" */
static enum status add_property(struct parser *p, const char *value)
{
	struct schedule_header *header = &p->schedule->header;
	struct property_specs specs = {.length = 0};
	enum status status = append_value(p, KEY_PROPERTY, &header->properties, value);
	char why[PROPERTY_WHY], shown[64];
	if (status != STATUS_OK)
		return status;
	const char *text = header->properties[p->counts[KEY_PROPERTY] - 1];
	if (p->counts[KEY_PROPERTY] > PROPERTIES_MOST)
		return parser_fail(p, "more than %d properties", PROPERTIES_MOST);
	if (!property_specs_add(&specs, text))
		return parser_fail(p, "expected what is to hold, as 'always EXPRESSION', not '%s'",
				   source_excerpt(shown, value, strlen(value)));
	return property_check(&specs.at[0], why) ? STATUS_OK : parser_fail(p, "%.160s", why);
}

static enum status set_verdict(struct parser *p, const char *value)
{
	char shown[64];
	p->schedule->verdict = finding_kind_by_name(value);
	if (p->schedule->verdict < FINDING_KINDS)
		return STATUS_OK;
	p->schedule->verdict = FINDING_NONE;
	return parser_fail(p, "unknown verdict '%s'", source_excerpt(shown, value, strlen(value)));
}

static enum status set_end(struct parser *p, const char *value)
{
	struct schedule *schedule = p->schedule;
	char shown[64];
	if (words_read_end(value, schedule, &schedule->end, &schedule->end_value, &schedule->end_thread))
		return STATUS_OK;
	return parser_fail(p, "expected how the execution ended, not '%s'",
			   source_excerpt(shown, value, strlen(value)));
}

static enum status set_key(struct parser *p, enum key key, const char *value)
{
	struct schedule_header *header = &p->schedule->header;
	switch (key) {
	case KEY_FMC: /* for people; a file that is written again says who wrote it last */
		return STATUS_OK;
	case KEY_PROGRAM:
		return set_string(p, &header->program, value);
	case KEY_ARG:
		return append_value(p, key, &header->arguments, value);
	case KEY_DIRECTORY:
		return set_string(p, &header->directory, value);
	case KEY_MODULE:
		return append_value(p, key, &header->modules, value);
	case KEY_ENV:
		return append_value(p, key, &header->environment, value);
	case KEY_HIDDEN:
		return add_several_hidden(p, value);
	case KEY_INPUT:
		return set_string(p, &header->input, value);
	case KEY_FAIR:
		return set_fair(p, value);
	case KEY_DEPTH:
		return set_number(p, &header->max_depth, UINT64_MAX, value);
	case KEY_CLOCK:
		return set_number(p, &header->clock, INT64_MAX / 1000000000, value);
	case KEY_TIMEOUTS:
		return set_timeouts(p, value);
	case KEY_ATOMICS:
		return set_flag(p, value, &header->atomics);
	case KEY_MEMORY:
		return set_memory(p, value);
	case KEY_WAKING:
		return set_string(p, &header->waking, value);
	case KEY_EXPECT:
		return set_expected(p, value);
	case KEY_HEAD:
		return add_head(p, value);
	case KEY_SHARED:
		return add_shared(p, value);
	case KEY_PROMOTED:
		return add_promoted(p, value);
	case KEY_PROPERTY:
		return add_property(p, value);
	case KEY_OPS:
		return set_string(p, &header->ops, value);
	case KEY_OP:
		return add_kind(p, value);
	case KEY_FOLLOW:
		return set_flag(p, value, &header->follow);
	case KEY_ARRIVALS:
		return set_arrivals(p, value);
	case KEY_IMAGE:
		return set_string(p, &header->image, value);
	case KEY_ORIGIN:
		return set_string(p, &header->origin, value);
	case KEY_STRATEGY:
		return set_string(p, &header->strategy, value);
	case KEY_THREAD:
		return add_thread(p, value);
	case KEY_VERDICT:
		return set_verdict(p, value);
	case KEY_MESSAGE:
		return set_string(p, &p->schedule->message, value);
	case KEY_SIGNATURE:
		return set_string(p, &p->schedule->signature, value);
	case KEY_END:
		return set_end(p, value);
	case KEY_LOOP:
		return set_loop(p, value);
	case KEY_LENGTH:
		return set_length(p, value);
	case KEY_OUTCOME:
		return set_string(p, &header->outcome, value);
	case KEY_OUTCOME_PART:
		return set_string(p, &header->outcome_part, value);
	case KEY_OUTCOME_FIRST:
		return set_string(p, &header->outcome_first, value);
	case KEY_DRIVE:
		return set_string(p, &header->drive, value);
	case KEY_READY:
		return set_ready(p, value);
	case KEY_BEFORE:
		return set_string(p, &header->before, value);
	case KEY_AFTER:
		return set_string(p, &header->after, value);
	case KEY_STOP:
		return set_stop(p, value);
	case KEYS:
		break;
	}
	FMC_ASSERT(!"a key");
	return STATUS_BUG;
}

static bool is_list(enum key key)
{
	return key == KEY_ARG || key == KEY_MODULE || key == KEY_ENV || key == KEY_HIDDEN || key == KEY_OP ||
	       key == KEY_HEAD || key == KEY_SHARED || key == KEY_PROMOTED || key == KEY_PROPERTY ||
	       key == KEY_THREAD;
}

enum status parser_header_line(struct parser *p, const char *line)
{
	size_t word = strcspn(line, " \t");
	const char *value = line + word + strspn(line + word, " \t");
	enum key key = 0;
	while (key < KEYS && (strlen(key_names[key]) != word || memcmp(line, key_names[key], word) != 0))
		key++;
	if (key == KEYS)
		return append_unknown(p, line);
	if (!*value)
		return parser_fail(p, "'%s' without a value", key_names[key]);
	if (!is_list(key) && (p->seen & UINT64_C(1) << key))
		return parser_fail(p, "'%s' is here twice", key_names[key]);
	p->seen |= UINT64_C(1) << key;
	return set_key(p, key, value);
}
