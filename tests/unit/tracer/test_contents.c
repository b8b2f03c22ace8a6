/*
 * Digests of memory: equal if and only if the bytes are, whichever pages were read for them; and of what is in use, without free blocks.
 */
#include "tests/unit/rounds.h"
#include "tests/unit/suite.h"

#include <check.h>
#include <fmc/tracer/contents.h>
#include <fmc/tracer/maps.h>
#include <fmc/tracer/origin.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

extern char **environ;

#define STEPS	 largest(150, 75)
#define REMEMBER 64

static enum status prepare(void *context, struct target *target, struct tracee *tracee)
{
	(void)context;
	(void)target;
	(void)tracee;
	return STATUS_OK;
}

struct scribbling {
	struct program program;
	struct origin *origin;
	char *arguments[6];
	char path[4096];
};

static void begin(struct scribbling *s, enum origin_kind kind, const char *seed, const char *steps,
		  const char *size, bool file)
{
	char why[256];
	*s = (struct scribbling){.arguments = {NULL, (char *)(uintptr_t)seed, (char *)(uintptr_t)steps,
					       (char *)(uintptr_t)size, file ? s->path : NULL, NULL}};
	snprintf(s->path, sizeof s->path, "%s/scribbles", getenv("FMC_TEST_TARGETS"));
	s->arguments[0] = s->path;
	s->program = (struct program){.path = s->path,
				      .arguments = s->arguments,
				      .environment = environ,
				      .input = -1,
				      .output = -1,
				      .error = -1,
				      .keeps_numbers = true};
	ck_assert_msg(origin_new(&s->program, kind, prepare, NULL, &s->origin, why) == STATUS_OK, "%s", why);
}

static bool is_alone(const struct target *target)
{
	for (uint32_t i = 1; i < target_tracees(target); i++)
		if (target_tracee(target, i)->life != TRACEE_DEAD)
			return false;
	return true;
}

/* To the next int3 of the main thread's, when the others are gone; false: the program has ended. */
static bool next(struct target *target)
{
	struct stop stop;
	bool stopped = false;
	if (target_resume(target_tracee(target, 0), 0) != STATUS_OK)
		return false;
	while (!(stopped && is_alone(target)) && target_wait(target, NULL, -1, &stop) == STATUS_OK) {
		stopped |= stop.kind == STOP_TRAP;
		if (stop.kind == STOP_TRAP)
			continue;
		if (stop.kind == STOP_CLONE)
			(void)target_resume(stop.child, 0);
		if (stop.kind == STOP_EXITED && target_gone(target))
			return false;
		if (stop.kind != STOP_EXITED)
			(void)target_resume(stop.tracee, stop.kind == STOP_SIGNAL ? (int)stop.number : 0);
	}
	return stopped;
}

static void write_registers(struct tracee *tracee, FILE *stream)
{
	uint8_t area[EXTENDED_ROOM];
	size_t size = sizeof area;
	struct user_regs_struct regs = *tracee_regs(tracee);
	regs.r14 = regs.r15 = regs.rax = 0;
	fwrite(&regs, sizeof regs, 1, stream);
	ck_assert_int_eq(tracee_extended(tracee, area, &size), STATUS_OK);
	/* But for the header, which may differ for the same contents. */
	memset(area + 512, 0, 64);
	fwrite(area, size, 1, stream);
}

/* All that it may write, as bytes with addresses: what the digests stand for. */
static char *memory_of(const struct target *target, size_t *length)
{
	char *maps = maps_text(target_pid(target)), *bytes = NULL, *rest = NULL;
	FILE *stream = open_memstream(&bytes, length);
	unsigned long long low, high, end = 0;
	char protection[5], page[4096];
	ck_assert_ptr_nonnull(maps);
	for (char *line = strtok_r(maps, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		if (sscanf(line, "%llx-%llx %4s", &low, &high, protection) != 3 || protection[1] != 'w' ||
		    target_is_own(target, low) || high - low > (1 << 22))
			continue;
		if (low != end)
			fwrite(&low, sizeof low, 1, stream);
		end = high;
		for (; low < high; low += sizeof page)
			if (target_read(target, low, page, sizeof page) == STATUS_OK)
				fwrite(page, sizeof page, 1, stream);
	}
	write_registers(target_tracee(target, 0), stream);
	fclose(stream);
	free(maps);
	return bytes;
}

struct moment {
	uint64_t digest[2];
	char *bytes;
	size_t length;
};

static bool same(const struct moment *a, const struct moment *b)
{
	return a->length == b->length && memcmp(a->bytes, b->bytes, a->length) == 0;
}

/* Where the drawing has come to is in two registers, which are to make no difference. */
static void without_drawing(struct target *target, struct contents *contents, uint64_t digest[2])
{
	struct user_regs_struct *regs = tracee_change_regs(target_tracee(target, 0));
	const struct user_regs_struct own = *regs;
	regs->r14 = regs->r15 = regs->rax = 0;
	ck_assert_int_eq(contents_digest(contents, digest), STATUS_OK);
	*regs = own;
}

static void digests_are_of_all_bytes(struct target *target, struct contents *contents)
{
	struct moment moments[REMEMBER] = {0};
	unsigned equal = 0, different = 0;
	for (unsigned i = 0; next(target); i++) {
		struct moment *now = &moments[i % REMEMBER];
		uint64_t once[2], all[2];
		free(now->bytes);
		ck_assert_int_eq(contents_digest(contents, all), STATUS_OK);
		ck_assert_int_eq(target_digest(target, once), STATUS_OK);
		ck_assert_mem_eq(once, all, sizeof once);
		without_drawing(target, contents, now->digest);
		now->bytes = memory_of(target, &now->length);
		for (unsigned k = 0; k < REMEMBER && k < i; k++) {
			struct moment *other = &moments[k];
			if (other == now)
				continue;
			const bool is = memcmp(other->digest, now->digest, sizeof now->digest) == 0;
			ck_assert(is == same(other, now));
			equal += is;
			different += !is;
		}
	}
	ck_assert_uint_gt(equal, 0);
	ck_assert_uint_gt(different, 1000);
	for (unsigned i = 0; i < REMEMBER; i++)
		free(moments[i].bytes);
}

/* In the first execution everything is read at first, in the second the kernel tells what from its beginning, the third begins with what is known of it. */
START_TEST(equal_digests_are_equal_bytes)
{
	struct scribbling s;
	char steps[16], seed[16];
	snprintf(steps, sizeof steps, "%u", STEPS);
	snprintf(seed, sizeof seed, "%d", _i + 1);
	begin(&s, _i % 2 ? ORIGIN_EXEC : ORIGIN_COPY, seed, steps, "0", _i < 2);
	struct contents_source *source = contents_source_new(1);
	for (int i = 0; i < 3; i++) {
		struct target *target;
		ck_assert_int_eq(origin_start(s.origin, &target), STATUS_OK);
		struct contents *contents = contents_new(target, _i % 2 ? NULL : source, _i % 2 == 0);
		ck_assert_ptr_nonnull(contents);
		digests_are_of_all_bytes(target, contents);
		if (!contents_tracked(contents))
			printf("the kernel doesn't tell which pages are written\n");
		contents_free(contents);
		target_kill(target);
	}
	contents_source_free(source);
	origin_free(s.origin);
}
END_TEST

static void state_of(struct target *target, struct contents *contents, uint64_t digest[2])
{
	const struct user_regs_struct *regs = tracee_regs(target_tracee(target, 0));
	const struct contents_stack stack = {regs->rsp, UINT64_MAX, regs->fs_base};
	ck_assert_int_eq(contents_state(contents, &stack, 1, digest), STATUS_OK);
}

/* What is free makes no difference: blocks that came and went, nothing done. What is written in use is another state. */
START_TEST(free_blocks_are_no_state)
{
	enum { BLOCK = 1, DATA, MAPPING, COME_AND_GO, THREAD, A_FILE, EXTENT };
	struct scribbling s;
	struct target *target;
	uint64_t before[2] = {0}, now[2], strict_before[2] = {0}, strict[2];
	unsigned gone = 0, stricter = 0;
	char seed[16];
	snprintf(seed, sizeof seed, "%d", _i + 11);
	begin(&s, ORIGIN_COPY, seed, "300", "0", true);
	ck_assert_int_eq(origin_start(s.origin, &target), STATUS_OK);
	struct contents *contents = contents_new(target, NULL, false);
	for (unsigned i = 0; next(target); i++) {
		const uint64_t action = tracee_regs(target_tracee(target, 0))->rax;
		state_of(target, contents, now);
		without_drawing(target, contents, strict);
		const bool same = memcmp(now, before, sizeof now) == 0;
		if (i > 0 && action >= COME_AND_GO && (action < THREAD || action > EXTENT))
			ck_assert_msg(same, "step %u, action %lu", i, (unsigned long)action);
		if (i > 0 && (action <= DATA || action == A_FILE))
			ck_assert(!same);
		gone += action == COME_AND_GO;
		stricter += same && memcmp(strict, strict_before, sizeof strict) != 0;
		memcpy(before, now, sizeof now);
		memcpy(strict_before, strict, sizeof strict);
	}
	ck_assert_uint_gt(gone, 10);
	ck_assert_uint_gt(stricter, gone / 2);
	contents_free(contents);
	target_kill(target);
	origin_free(s.origin);
}
END_TEST

static double used(void)
{
	struct timespec now;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec * 1e6 + (double)now.tv_nsec / 1e3;
}

/* Where the kernel tells what has been written, little is read again of 1 MB. */
START_TEST(little_is_read_again)
{
	struct scribbling s;
	struct target *target;
	uint64_t digest[2], steps = 0, read = 0;
	double time = 0;
	begin(&s, ORIGIN_COPY, "3", "1000", "1000", false);
	ck_assert_int_eq(origin_start(s.origin, &target), STATUS_OK);
	struct contents *contents = contents_new(target, NULL, false);
	while (next(target)) {
		const double from = used();
		state_of(target, contents, digest);
		time += contents_tracked(contents) ? used() - from : 0;
		if (!contents_tracked(contents))
			read = contents_pages_read(contents);
		else
			steps++;
	}
	if (steps > 1) {
		read = contents_pages_read(contents) - read;
		printf("%.1f us a state, %.1f pages read\n", time / (double)steps,
		       (double)read / (double)steps);
		ck_assert_uint_lt(read, 20 * steps);
	}
	contents_free(contents);
	target_kill(target);
	origin_free(s.origin);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("contents");
	TCase *each = tcase_create("contents");
	tcase_set_timeout(each, 120);
	tcase_add_loop_test(each, equal_digests_are_equal_bytes, 0, 4);
	tcase_add_loop_test(each, free_blocks_are_no_state, 0, 2);
	tcase_add_test(each, little_is_read_again);
	suite_add_tcase(suite, each);
	return suite_run(suite);
}
