/* What a search over several runs keeps: its file, which is refused when it is damaged, and the classes it has seen. */
#include <fmc/supervisor/coverage.h>
#include <fmc/supervisor/execution.h>
#include <fmc/supervisor/wire.h>

#include "supervisor/cli/kept/resume.h"
#include "supervisor/cli/kept/state_file.h"
#include "supervisor/cli/kept/state_names.h"
#include "tests/table/table_random.h"
#include "tests/unit/suite.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char folder[] = "/tmp/fmc-resume.XXXXXX";
static char path[64], other[64];

static void write_bytes(const char *name, const unsigned char *at, size_t length)
{
	FILE *file = fopen(name, "w");
	ck_assert(file && fwrite(at, 1, length, file) == length);
	ck_assert_int_eq(fclose(file), 0);
}

static size_t read_bytes(const char *name, unsigned char *at, size_t room)
{
	FILE *file = fopen(name, "r");
	size_t length = file ? fread(at, 1, room, file) : 0;
	ck_assert(file && length < room);
	fclose(file);
	return length;
}

/* A state of 200 bytes in the file `path`; its bytes go to `file`. */
static size_t write_state(unsigned char file[512], struct saver *body)
{
	char why[256];
	for (uint64_t i = 0; body->length < 200; i++)
		save_number(body, i * i);
	ck_assert_int_eq(state_file_write(path, body, why), STATUS_OK);
	return read_bytes(path, file, 512);
}

START_TEST(a_file_is_read_as_written)
{
	struct saver body = {0}, again;
	unsigned char file[512];
	char why[256], part[80];
	ck_assert_int_eq(state_file_read(path, &again, why), STATUS_NOT_FOUND);
	write_state(file, &body);
	ck_assert_int_eq(state_file_read(path, &again, why), STATUS_OK);
	ck_assert_uint_eq(again.length, body.length);
	ck_assert_mem_eq(again.at, body.at, body.length);
	snprintf(part, sizeof part, "%s.part", path);
	ck_assert_int_ne(access(part, F_OK), 0);
	write_bytes(part, file, 10);
	state_file_remove(path);
	ck_assert_int_ne(access(part, F_OK), 0);
	ck_assert_int_ne(access(path, F_OK), 0);
	saver_release(&again);
	saver_release(&body);
}
END_TEST

/* A file with this head; what opening it comes to. */
static enum status open_with(const char *version, uint64_t names, char why[256])
{
	struct saver body = {0};
	struct resume resume;
	save_text(&body, version);
	save_number(&body, names);
	save_signed(&body, 12345);
	ck_assert_int_eq(state_file_write(path, &body, why), STATUS_OK);
	enum status status = resume_open(&resume, path, why);
	if (status == STATUS_OK) {
		ck_assert(resume.going_on);
		ck_assert_int_eq(resume.start_time, 12345);
		resume_release(&resume);
	}
	saver_release(&body);
	return status;
}

START_TEST(a_file_of_another_build_is_refused)
{
	char why[256];
	ck_assert_int_eq(open_with(FMC_VERSION, state_names(), why), STATUS_OK);
	ck_assert_int_eq(open_with(FMC_VERSION, state_names() + 1, why), STATUS_MALFORMED);
	ck_assert_ptr_nonnull(strstr(why, "another version or build"));
	ck_assert_int_eq(open_with("0.0.1", state_names(), why), STATUS_MALFORMED);
}
END_TEST

START_TEST(a_damaged_file_is_refused)
{
	struct saver body = {0}, again;
	unsigned char file[512];
	char why[256];
	size_t length = write_state(file, &body);
	for (size_t cut = 0; cut < length; cut++) {
		write_bytes(other, file, cut);
		ck_assert_int_eq(state_file_read(other, &again, why), STATUS_MALFORMED);
		ck_assert_ptr_nonnull(strstr(why, other));
	}
	for (size_t i = 0; i < length; i++) {
		for (int bit = 0; bit < 8; bit++) {
			file[i] ^= (unsigned char)(1 << bit);
			write_bytes(other, file, length);
			ck_assert_int_eq(state_file_read(other, &again, why), STATUS_MALFORMED);
			file[i] ^= (unsigned char)(1 << bit);
		}
	}
	file[length++] = 0;
	write_bytes(other, file, length);
	ck_assert_int_eq(state_file_read(other, &again, why), STATUS_MALFORMED);
	saver_release(&body);
}
END_TEST

/* So many random executions more. */
static void run_more(struct execution *execution, struct coverage *coverage, uint64_t *seed, int executions)
{
	struct trace trace;
	trace_init(&trace);
	while (executions-- > 0) {
		const struct plan plan = {
		    .policy = {.kind = POLICY_RANDOM, .seed = ++*seed, .fair_k = 1, .max_depth = 50}};
		execution_run(execution, &plan, &trace);
		ck_assert(coverage_note(coverage, &trace));
	}
	trace_release(&trace);
}

static void same_coverage(const struct coverage *a, const struct coverage *b)
{
	ck_assert_uint_eq(a->executions, b->executions);
	ck_assert_uint_eq(a->classes, b->classes);
	ck_assert_uint_eq(a->once, b->once);
	ck_assert_uint_eq(a->recent, b->recent);
	ck_assert_uint_eq(a->recent_new, b->recent_new);
}

/* Loaded in the middle, it counts on as it would have done. */
START_TEST(classes_are_known_again)
{
	struct table_program program;
	struct table_machine machine;
	for (uint64_t number = 1; number <= 20; number++) {
		table_random(&program, number, false);
		table_machine_init(&machine, &program);
		struct execution *execution = execution_new(&machine.machine);
		struct coverage first, second;
		struct saver saver = {0};
		uint64_t seed = 0, from;
		coverage_init(&first);
		coverage_init(&second);
		run_more(execution, &first, &seed, 700);
		coverage_save(&first, &saver);
		struct loader loader = {saver.at, saver.length, false};
		ck_assert(coverage_load(&second, &loader));
		ck_assert_uint_eq(loader.left, 0);
		same_coverage(&first, &second);
		from = seed -= 100;
		run_more(execution, &first, &seed, 600);
		run_more(execution, &second, &from, 600);
		same_coverage(&first, &second);
		for (size_t cut = 0; cut < saver.length; cut++) {
			struct coverage part;
			struct loader short_one = {saver.at, cut, false};
			coverage_init(&part);
			ck_assert(!coverage_load(&part, &short_one));
			coverage_release(&part);
		}
		coverage_release(&first);
		coverage_release(&second);
		saver_release(&saver);
		execution_free(execution);
	}
}
END_TEST

int main(void)
{
	if (!mkdtemp(folder))
		return EXIT_FAILURE;
	snprintf(path, sizeof path, "%s/state", folder);
	snprintf(other, sizeof other, "%s/other", folder);
	Suite *suite = suite_create("resume");
	TCase *files = tcase_create("files");
	tcase_set_timeout(files, 60);
	tcase_add_test(files, a_file_is_read_as_written);
	tcase_add_test(files, a_damaged_file_is_refused);
	tcase_add_test(files, a_file_of_another_build_is_refused);
	tcase_add_test(files, classes_are_known_again);
	suite_add_tcase(suite, files);
	int status = suite_run(suite);
	unlink(path);
	unlink(other);
	rmdir(folder);
	return status;
}
