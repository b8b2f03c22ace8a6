/* Certificate files: written, read again, and damaged in every way that takes one byte or one line. */
#include <fmc/replay/certificate_file.h>
#include <fmc/supervisor/search.h>

#include "tests/table/crew.h"
#include "tests/unit/suite.h"

#include <check.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The certificate of a search, as a file that has been checked. */
static void make(struct certificate_file *file, const struct table_program *program, enum strategy strategy)
{
	const struct search_options options = {
	    .strategy = strategy, .bound = 1, .fair_k = 1, .cache = true, .sees_memory = true};
	struct search *search = search_new(&options);
	struct certificate_recorder *recorder = certificate_recorder_new();
	struct certificate_report report;
	const struct policy policy = {.fair_k = 1};
	struct crew crew;
	struct trace trace;
	trace_init(&trace);
	crew_init(&crew, program, search, 1, 1);
	while (crew_step(&crew, &trace))
		certificate_record(recorder, &trace, &policy, NULL, 0);
	certificate_file_init(file);
	ck_assert_ptr_null(certificate_refuses(recorder));
	ck_assert(certificate_recorder_finish(recorder, &file->tree));
	file->tree.method = strategy == STRATEGY_CB    ? CERTIFICATE_BOUND
			    : strategy == STRATEGY_DFS ? CERTIFICATE_EVERY
						       : CERTIFICATE_REVERSAL;
	file->tree.bound = 1;
	file->tree.sees_memory = true;
	file->executions = crew.executions;
	file->schedule.header.program = strdup("/bin/dine");
	file->shown = calloc(2, sizeof *file->shown);
	file->shown[0] = strdup("\"No failure\" found, said \\ nobody");
	file->conditions = strdup("fairness");
	ck_assert_int_eq(certificate_check(&file->tree, true, &report), STATUS_OK);
	crew_release(&crew);
	certificate_recorder_free(recorder);
	trace_release(&trace);
	search_free(search);
}

static char *make_text(enum strategy strategy, size_t *size)
{
	struct certificate_file file;
	struct table_program program;
	table_philosophers(&program, 3, false);
	make(&file, &program, strategy);
	char *text = certificate_file_text(&file, size);
	ck_assert_ptr_nonnull(text);
	certificate_file_release(&file);
	return text;
}

/* STATUS_OK: it is read, and holds. */
static enum status judge(const char *text, size_t size, bool trust, char why[320])
{
	struct certificate_file file;
	struct certificate_report report;
	enum status status = certificate_file_parse(&file, text, size, "it", trust, why);
	if (status)
		return status;
	status = certificate_check(&file.tree, false, &report);
	snprintf(why, 320, "it:%" PRIu32 ": %.290s", report.line, report.why);
	certificate_file_release(&file);
	return status;
}

static const enum strategy strategies[] = {STRATEGY_OPTIMAL, STRATEGY_SOURCE, STRATEGY_CB};

START_TEST(come_back_the_same)
{
	for (size_t s = 0; s < 3; s++) {
		size_t size, again_size;
		char *text = make_text(strategies[s], &size), why[320];
		struct certificate_file file;
		ck_assert_int_eq(certificate_file_parse(&file, text, size, "it", false, why), STATUS_OK);
		ck_assert_str_eq(file.shown[0], "\"No failure\" found, said \\ nobody");
		ck_assert_str_eq(file.schedule.header.program, "/bin/dine");
		char *again = certificate_file_text(&file, &again_size);
		ck_assert_uint_eq(again_size, size);
		ck_assert(memcmp(text, again, size) == 0);
		ck_assert_int_eq(judge(text, size, false, why), STATUS_OK);
		certificate_file_release(&file);
		free(again);
		free(text);
	}
}
END_TEST

/* Any byte that is another one is told, with where it may be. */
START_TEST(edited_bytes)
{
	size_t size;
	char *text = make_text(STRATEGY_OPTIMAL, &size), why[320];
	for (size_t i = 0; i < size; i++) {
		const char was = text[i];
		text[i] = was == '7' ? '8' : '7';
		ck_assert_int_eq(judge(text, size, false, why), STATUS_MALFORMED);
		ck_assert_msg(strncmp(why, "it:", 3) == 0, "byte %zu: %s", i, why);
		text[i] = was;
	}
	for (size_t cut = 0; cut < size; cut++)
		ck_assert_int_eq(judge(text, cut, false, why), STATUS_MALFORMED);
	free(text);
}
END_TEST

/* The same by somebody who makes the digest fit: in what is executed each digit that is another one is told. */
START_TEST(forged_steps)
{
	size_t size, told = 0, tried = 0;
	char *text = make_text(STRATEGY_OPTIMAL, &size), why[320];
	const char *runs = strstr(text, "\nrun "), *end = strstr(text, "\ndigest ");
	for (size_t i = (size_t)(runs + 5 - text); i < (size_t)(end - text); i++) {
		const char was = text[i];
		/* Which status the program exits with the model doesn't know. */
		const bool status =
		    strncmp(text + i - 5, "exit ", 5) == 0 || strncmp(text + i - 5, "lock ", 5) == 0;
		if (was < '0' || was > '9' || status)
			continue;
		text[i] = was == '1' ? '2' : '1';
		tried++;
		told += judge(text, size, true, why) == STATUS_MALFORMED;
		text[i] = was;
	}
	ck_assert_uint_gt(tried, 200);
	ck_assert_uint_eq(told, tried);
	free(text);
}
END_TEST

/* Without a line, its executions no longer counted, the digest made to fit. */
static char *without_line(const char *text, const char *line, size_t *size)
{
	struct certificate_file file;
	char *out = NULL, why[256];

	FILE *stream = open_memstream(&out, size);
	for (const char *at = text; *at; at = strchr(at, '\n') + 1) {
		unsigned executions;
		if (at == line)
			continue;
		if (sscanf(at, "executions %u", &executions) == 1)
			fprintf(stream, "executions %u\n", executions - 1);
		else
			fprintf(stream, "%.*s\n", (int)strcspn(at, "\n"), at);
	}

	fclose(stream);
	if (certificate_file_parse(&file, out, *size, "it", true, why) != STATUS_OK)
		return out;
	free(out);
	out = certificate_file_text(&file, size);
	certificate_file_release(&file);
	return out;
}

START_TEST(forged_executions)
{
	for (size_t s = 0; s < 2; s++) {
		size_t size, lines = 0;
		char *text = make_text(strategies[s], &size), why[320];
		for (const char *line = text; (line = strstr(line, "\nrun ")) != NULL; line++) {
			size_t less;
			char *forged = without_line(text, line + 1, &less);
			ck_assert_int_eq(judge(forged, less, true, why), STATUS_MALFORMED);
			lines++;
			free(forged);
		}
		ck_assert_uint_ge(lines, 7);
		free(text);
	}
}
END_TEST

static const struct {
	const char *from, *to, *why;
} damages[] = {
    {"fmc-certificate 1", "fmc-certificate 2", "it:1: this fmc reads version 1"},
    {"fmc-certificate 1", "fmc-schedule 1234", "it:1: not a certificate"},
    {"method reversal", "method trustful", "expected reversal, every, bound, delays or conservative"},
    {"op 0 ", "op 9 ", "expected operation 0"},
    {" mutex_lock ", " mutex_lick ", "unknown operation 'mutex_lick'"},
    {"object 0 mutex", "object 0 mutes", "unknown class of objects 'mutes'"},
    {"begin ", "begim ", "unknown key 'begim'"},
    {"root ", "toot ", "unknown key 'toot'"},
    {"= deadlock", "= deadlook", "expected how the execution ended"},
    {"executions 7", "executions 8", "it has 7 executions, not 8"},
};

START_TEST(damaged_words)
{
	size_t size;
	char *text = make_text(STRATEGY_OPTIMAL, &size), why[320];
	char *at = strstr(text, damages[_i].from);
	ck_assert_ptr_nonnull(at);
	ck_assert_uint_eq(strlen(damages[_i].from), strlen(damages[_i].to));
	memcpy(at, damages[_i].to, strlen(damages[_i].to));
	ck_assert_int_eq(judge(text, size, true, why), STATUS_MALFORMED);
	ck_assert_msg(strstr(why, damages[_i].why), "%s", why);
	free(text);
}
END_TEST

START_TEST(missing_files)
{
	struct certificate_file file;
	char why[256];
	ck_assert_int_eq(certificate_file_load(&file, "/nowhere/it", why), STATUS_NOT_FOUND);
	ck_assert_int_eq(certificate_file_load(&file, "/", why), STATUS_SYSTEM);
	ck_assert_int_eq(certificate_file_load(&file, "/dev/null", why), STATUS_MALFORMED);
	ck_assert_str_eq(why, "/dev/null:1: not a certificate: the first line isn't 'fmc-certificate 1'");
}
END_TEST

SUITE("certificate_file", 120, NULL, NULL, TEST(come_back_the_same), TEST(edited_bytes), TEST(forged_steps),
      TEST(forged_executions), TEST_LOOP(damaged_words, sizeof damages / sizeof *damages),
      TEST(missing_files))
