/*
 * The core as the agent has it, built without a libc and mapped at its address, against the ordinary build of the same sources: the same
 * plans on the same programs give the same traces, byte by byte.
 */
#include <fmc/supervisor/execution.h>
#include <fmc/supervisor/search.h>
#include <fmc/supervisor/wire.h>

#include "tests/agent/table_job.h"
#include "tests/table/table_random.h"
#include "tests/unit/suite.h"

#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>

#define ARENA_BYTES (64u << 20)
#define PAGE	    4096u

static struct bench {
	table_enter *enter;
	void *arena;
	struct table_program program;
	struct table_machine machine;
	struct execution *execution;
	struct trace trace;
	uint64_t compared;
} b;

static void load_segment(int file, const Elf64_Phdr *segment)
{
	const uint64_t low = segment->p_vaddr & ~(uint64_t)(PAGE - 1),
		       high = (segment->p_vaddr + segment->p_memsz + PAGE - 1) & ~(uint64_t)(PAGE - 1);
	void *place = (void *)(uintptr_t)low;
	void *memory = mmap(place, high - low, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
	ck_assert_ptr_eq(memory, place);
	ck_assert_int_eq(
	    pread(file, (void *)(uintptr_t)segment->p_vaddr, segment->p_filesz, (off_t)segment->p_offset),
	    (ssize_t)segment->p_filesz);
	if (segment->p_flags & PF_X)
		ck_assert_int_eq(mprotect(place, high - low, PROT_READ | PROT_EXEC), 0);
}

/* It is beside this program. */
static int open_image(void)
{
	char path[4096];
	ssize_t length = readlink("/proc/self/exe", path, sizeof path);
	while (length > 0 && path[length - 1] != '/')
		length--;
	ck_assert_int_gt(length, 0);
	snprintf(path + length, sizeof path - (size_t)length, "agent.image");
	int file = open(path, O_RDONLY | O_CLOEXEC);
	ck_assert_int_ge(file, 0);
	return file;
}

/* Map the image where it is linked to be; returns its entry point. */
static table_enter *load_image(void)
{
	Elf64_Ehdr header;
	Elf64_Phdr segment;
	int file = open_image();
	ck_assert_int_eq(pread(file, &header, sizeof header, 0), (ssize_t)sizeof header);
	for (unsigned i = 0; i < header.e_phnum; i++) {
		const off_t at = (off_t)(header.e_phoff + i * sizeof segment);
		ck_assert_int_eq(pread(file, &segment, sizeof segment, at), (ssize_t)sizeof segment);
		if (segment.p_type == PT_LOAD)
			load_segment(file, &segment);
		ck_assert_uint_ne(segment.p_type, PT_DYNAMIC);
	}
	close(file);
	return (table_enter *)(uintptr_t)header.e_entry;
}

static void set_up(void)
{
	b.enter = load_image();
	b.arena = mmap(NULL, ARENA_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
		       -1, 0);
	ck_assert_ptr_ne(b.arena, MAP_FAILED);
	table_machine_init(&b.machine, &b.program);
	b.execution = execution_new(&b.machine.machine);
	trace_init(&b.trace);
}

/* Run the plan on both; how it ended is in b.trace. */
static void compare(const struct plan *plan)
{
	struct table_job job = {.program = &b.program, .plan = plan};
	struct saver here = {0}, there = {0};
	execution_run(b.execution, plan, &b.trace);
	b.enter(&job, b.arena, ARENA_BYTES);
	ck_assert(!job.full);
	wire_put_trace(&here, &b.trace);
	wire_put_trace(&there, &job.trace);
	ck_assert_str_eq(b.trace.message, job.trace.message);
	ck_assert_uint_eq(here.length, there.length);
	ck_assert_mem_eq(here.at, there.at, here.length);
	saver_release(&here);
	saver_release(&there);
	b.compared++;
}

static void make_program(uint64_t seed)
{
	switch (seed % 4) {
	case 0:
		table_random_semaphores(&b.program, seed);
		break;
	case 1:
		table_random_barriers(&b.program, seed);
		break;
	default:
		table_random(&b.program, seed, seed % 8 < 4);
		if (seed % 3 == 0)
			table_random_ends(&b.program, seed);
	}
}

/* The first plans of a search. */
static void compare_search(struct search_options options, int most)
{
	struct search *search = search_new(&options);
	struct plan plan;
	ck_assert_ptr_nonnull(search);
	while (most-- > 0 && search_next(search, &plan)) {
		compare(&plan);
		/* What it doesn't take is the matter of its own tests. */
		if (search_feed(search, plan.ticket, &b.trace) != STATUS_OK)
			break;
	}
	search_free(search);
}

START_TEST(same_traces)
{
	static const enum strategy strategies[] = {
	    STRATEGY_DFS, STRATEGY_CB,	 STRATEGY_DELAY, STRATEGY_BPOR,	  STRATEGY_RANDOM, STRATEGY_PCT,
	    STRATEGY_POS, STRATEGY_SURW, STRATEGY_RECUR, STRATEGY_SOURCE, STRATEGY_OPTIMAL};
	const size_t count = sizeof strategies / sizeof *strategies;
	const uint64_t programs = getenv("FMC_TEST_LONG") ? 100000 : 2000;
	set_up();
	for (uint64_t seed = 0; seed < programs; seed++) {
		make_program(seed);
		compare_search((struct search_options){.strategy = strategies[seed % count],
						       .seed = seed,
						       .bound = 2,
						       .fair_k = 1 + seed % 2,
						       .max_depth = 60},
			       3);
	}
	ck_assert_uint_gt(b.compared, programs);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("agent");
	TCase *tests = tcase_create("agent");
	tcase_set_timeout(tests, 60);
	tcase_add_test(tests, same_traces);
	suite_add_tcase(suite, tests);
	return suite_run(suite);
}
