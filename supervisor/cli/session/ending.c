/* What an execution has come to, as its user sees it. */
#include "supervisor/cli/session/ending.h"

#include <fmc/supervisor/shown.h>

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Columns of an output in a message. */
#define MESSAGE_COLUMNS 60

void ending_rule_make(struct ending_rule *rule, const struct options *options)
{
	*rule = (struct ending_rule){.on = options->outcomes || options->same_output,
				     .part = options->outcome_part};
	if (rule->on && rule->part && regcomp(&rule->compiled, rule->part, OUTCOME_PART_FLAGS) != 0)
		rule->part = NULL;
	if (!rule->on || !options->outcome_first)
		return;
	rule->expected = strtoull(options->outcome_first, NULL, 16);
	rule->expected_text = strdup(options->outcome_first);
	/* Without memory for what it is nothing is expected. */
	if (!rule->expected_text)
		rule->expected = 0;
}

void ending_rule_release(struct ending_rule *rule)
{
	if (rule->on && rule->part)
		regfree(&rule->compiled);
	free(rule->expected_text);
	*rule = (struct ending_rule){0};
}

bool ending_is_one(const struct trace *trace)
{
	switch (trace->end) {
	case END_EXIT:
	case END_SIGNAL:
	case END_DEADLOCK:
	case END_LIVELOCK:
	case END_NO_YIELD:
	case END_SPIN:
	case END_MISUSE:
	case END_VIOLATED:
	case END_UNFULFILLED:
	case END_UNFULFILLED_LOOP:
	case END_REJECTED:
		return true;
	default:
		return false;
	}
}

/* FNV-1a, folded once more at the end. */
static uint64_t mix(uint64_t digest, const void *bytes, size_t length)
{
	for (size_t i = 0; i < length; i++)
		digest = (digest ^ ((const unsigned char *)bytes)[i]) * UINT64_C(0x100000001b3);
	return digest;
}

static uint64_t digest_ending(const struct trace *trace, bool matched, const char *text, size_t length)
{
	const int64_t words[] = {
	    trace->end, trace->end == END_EXIT || trace->end == END_SIGNAL ? trace->end_value : 0, matched};
	uint64_t digest = mix(UINT64_C(0xcbf29ce484222325), words, sizeof words);
	digest = mix(digest, text, length);
	digest = (digest ^ digest >> 32) * UINT64_C(0x9e3779b97f4a7c15);
	digest ^= digest >> 32;
	return digest ? digest : 1;
}

/* The first group of the expression, or all of what it matches if it has none. */
static bool find_part(const struct ending_rule *rule, const char *text, size_t length, regmatch_t *part)
{
	regmatch_t found[2] = {{.rm_so = 0, .rm_eo = (regoff_t)length}};
	if (!rule->part) {
		*part = found[0];
		return true;
	}
	/* The output may have zeros in it. */
	if (regexec(&rule->compiled, text, 2, found, REG_STARTEND) != 0)
		return false;
	*part = rule->compiled.re_nsub > 0 ? found[1] : found[0];
	return part->rm_so >= 0;
}

bool ending_see(const struct ending_rule *rule, const struct process *process, const struct trace *trace,
		struct ending *ending)
{
	size_t length;
	regmatch_t part = {0};
	char *text = process_printed(process, &length);
	*ending = (struct ending){0};
	if (!text)
		return false;
	ending->matched = find_part(rule, text, length, &part);
	if (!ending->matched)
		part.rm_so = part.rm_eo = 0;
	const size_t counts = (size_t)(part.rm_eo - part.rm_so);
	ending->digest = digest_ending(trace, ending->matched, text + part.rm_so, counts);
	ending->cut = counts > ENDING_MOST;
	ending->length = ending->cut ? ENDING_MOST : counts;
	memmove(text, text + part.rm_so, ending->length);
	text[ending->length] = 0;
	ending->text = text;
	return true;
}

void ending_release(struct ending *ending)
{
	free(ending->text);
	*ending = (struct ending){0};
}

bool ending_is_other(const struct ending_rule *rule, const struct trace *trace)
{
	return rule->expected && trace->outcome && trace->outcome != rule->expected;
}

void ending_digest(uint64_t digest, char text[ENDING_DIGEST])
{
	snprintf(text, ENDING_DIGEST, "%016" PRIx64, digest);
}

void ending_end(enum end_reason end, int value, char text[ENDING_END])
{
	const char *name = end == END_SIGNAL ? sigabbrev_np(value) : NULL;
	if (end == END_EXIT)
		snprintf(text, ENDING_END, "exit status %d", value);
	else if (name)
		snprintf(text, ENDING_END, "SIG%s", name);
	else if (end == END_SIGNAL)
		snprintf(text, ENDING_END, "signal %d", value);
	else
		snprintf(text, ENDING_END, "%s", end_reason_name(end));
}

/* The character at `at`, of `left` bytes, as it is in quotes; its columns. *bytes: how many it takes. */
static size_t quote_one(FILE *stream, const char *at, size_t left, size_t *bytes)
{
	char text[8];
	const unsigned char byte = (unsigned char)*at;
	const size_t length = shown_character(at, left);
	*bytes = length ? length : 1;
	if (length > 1) {
		if (stream)
			fwrite(at, 1, length, stream);
		return 1;
	}
	if (byte == '\n')
		snprintf(text, sizeof text, "\\n");
	else if (byte == '\t')
		snprintf(text, sizeof text, "\\t");
	else if (byte == '"' || byte == '\\')
		snprintf(text, sizeof text, "\\%c", byte);
	else if (length)
		snprintf(text, sizeof text, "%c", byte);
	else
		snprintf(text, sizeof text, "\\x%02x", byte);
	if (stream)
		fputs(text, stream);
	return strlen(text);
}

/* As much of it as fits into so many columns; how many bytes that is. */
static size_t quote(FILE *stream, const struct ending *ending, size_t columns)
{
	size_t at = 0, used = 0, bytes = 0;
	while (at < ending->length) {
		used += quote_one(NULL, ending->text + at, ending->length - at, &bytes);
		if (used > columns)
			break;
		(void)quote_one(stream, ending->text + at, ending->length - at, &bytes);
		at += bytes;
	}
	return at;
}

char *ending_quote(const struct ending *ending, size_t columns)
{
	char *text = NULL;
	size_t size;
	FILE *stream = open_memstream(&text, &size);
	if (!stream)
		return NULL;
	if (!ending->matched)
		fputs("(no such part)", stream);
	else if (ending->length == 0)
		fputs("(nothing)", stream);
	else
		fputc('"', stream);
	const size_t length = quote(stream, ending, columns);
	if (ending->length > 0)
		fputs(length < ending->length || ending->cut ? "\"..." : "\"", stream);
	if (fclose(stream) == 0)
		return text;
	free(text);
	return NULL;
}

/* "exit status 0, "12ab"" */
static char *describe(enum end_reason end, int value, const struct ending *ending)
{
	char how[ENDING_END], *text = NULL;
	char *quoted = ending_quote(ending, MESSAGE_COLUMNS);
	ending_end(end, value, how);
	if (quoted && asprintf(&text, "%s and %s", quoted, how) < 0)
		text = NULL;
	free(quoted);
	return text;
}

bool ending_expect(struct ending_rule *rule, const struct trace *trace, const struct ending *ending)
{
	char digest[ENDING_DIGEST], *text = describe(trace->end, trace->end_value, ending), *both = NULL;
	ending_digest(trace->outcome, digest);
	if (text && asprintf(&both, "%s %s", digest, text) < 0)
		both = NULL;
	free(text);
	if (!both)
		return false;
	free(rule->expected_text);
	rule->expected_text = both;
	rule->expected = trace->outcome;
	return true;
}

bool ending_explain(const struct ending_rule *rule, const struct ending *ending, struct finding *finding)
{
	const struct trace *trace = &finding->trace;
	const char *space = rule->expected_text ? strchr(rule->expected_text, ' ') : NULL;
	char *now = describe(trace->end, trace->end_value, ending), *message = NULL, *signature = NULL;
	char digest[ENDING_DIGEST];
	ending_digest(trace->outcome, digest);
	if (now && asprintf(&message, "outcome: %s; under the first schedule %s", now,
			    space ? space + 1 : "another one") < 0)
		message = NULL;
	if (asprintf(&signature, "outcome %s", digest) < 0)
		signature = NULL;
	free(now);
	if (!message || !signature) {
		free(message);
		free(signature);
		return false;
	}
	free(finding->message);
	free(finding->signature);
	finding->message = message;
	finding->signature = signature;
	return true;
}
