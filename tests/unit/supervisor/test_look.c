/* Executions that are looked at: every access is told, by few stops, and the program's code is as it was when the doors are taken out. */
#include "breakpoints/sampler/lines.h"
#include "breakpoints/sampler/sampler_state.h"
#include "breakpoints/symbols/symbols.h"
#include "supervisor/process/process.h"
#include "tests/unit/suite.h"

#include <check.h>
#include <fmc/supervisor/execution.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define THREADS	 3
#define ELEMENTS 1000

extern char **environ;

static char program[300];
static struct process *process;
static struct execution *execution;
static struct trace trace;

/* What is told of each thread. */
static struct {
	uint32_t writes[THREADS], common[THREADS];
	uint64_t address; /* of `common` */
	bool stood;	  /* before its instruction */
} told;

struct sought {
	const char *name;
	uint64_t address;
};

static void take(void *context, const struct symbol *symbol)
{
	struct sought *sought = context;
	if (strcmp(symbol->name, sought->name) == 0)
		sought->address = symbol->address;
}

static uint64_t address_of(const char *name)
{
	struct modules modules = {0};
	struct sought sought = {.name = name};
	bool changed;
	ck_assert_int_eq(modules_update(&modules, target_pid(process->target), &changed), STATUS_OK);
	ck_assert_int_eq(symbols_each(&modules.at[0], take, &sought), STATUS_OK);
	modules_release(&modules);
	ck_assert_uint_ne(sought.address, 0);
	return sought.address;
}

static void on_access(void *context, const struct memory_access *access)
{
	(void)context;
	ck_assert_uint_lt(access->thread, THREADS);
	if (!told.address)
		told.address = address_of("common");
	told.writes[access->thread] += access->write && !access->own_stack;
	told.common[access->thread] += access->write && access->address == told.address;
}

static void open_program(const char *name)
{
	static struct loops loops;
	static char *arguments[] = {program, NULL};
	enum status status;
	char why[256];
	snprintf(program, sizeof program, "%s/%s", getenv("FMC_TEST_TARGETS"), name);
	const struct process_options options = {.program = {.path = program,
							    .arguments = arguments,
							    .environment = environ,
							    .input = -1,
							    .output = -1,
							    .error = -1},
						.capture = true,
						.spin_ms = 20,
						.loops = &loops};
	process = process_new(&options, &status, why);
	ck_assert_msg(process != NULL, "%s", why);
	execution = execution_new(process_machine(process));
	trace_init(&trace);
	memset(&told, 0, sizeof told);
}

static void setup(void)
{
	open_program("element.O2");
}

static void teardown(void)
{
	trace_release(&trace);
	execution_free(execution);
	process_free(process);
}

static void run(uint64_t seed, struct trace *into)
{
	const struct plan plan = {.policy = {.kind = POLICY_RANDOM, .seed = seed, .fair_k = 1}};
	execution_run(execution, &plan, into);
	ck_assert_int_eq(into->end, END_EXIT);
}

/* Each execution tells all, whether there are doors already or not; a sample of 400 wouldn't have the last elements. */
START_TEST(all)
{
	const struct process_look look = {.access = on_access};
	char why[PROCESS_LOOK_WHY];
	ck_assert(process_look(process, &look));
	for (uint64_t seed = 1; seed <= 3; seed++) {
		memset(&told, 0, sizeof told);
		run(seed, &trace);
		ck_assert_msg(process_look_exact(process, why), "%s", why);
		for (uint32_t t = 1; t < THREADS; t++) {
			ck_assert_uint_eq(told.common[t], 1);
			ck_assert_uint_eq(told.writes[t], ELEMENTS);
		}
	}
}
END_TEST

static bool same(const struct trace *a, const struct trace *b)
{
	for (size_t i = 0; i < a->length && i < b->length; i++)
		if (a->at[i].thread != b->at[i].thread || a->at[i].op.kind != b->at[i].op.kind ||
		    a->at[i].op.object != b->at[i].op.object || a->at[i].op.place != b->at[i].op.place ||
		    a->at[i].op.arg != b->at[i].op.arg)
			return false;
	return a->length == b->length;
}

/* An execution is the same whether somebody looks or not, and memory is where it is. */
START_TEST(unchanged)
{
	const struct process_look look = {.access = on_access};
	struct trace plain;
	trace_init(&plain);
	for (uint64_t seed = 1; seed <= 5; seed++) {
		ck_assert(process_look(process, NULL));
		run(seed, &plain);
		ck_assert(process_look(process, &look));
		run(seed, &trace);
		ck_assert(same(&plain, &trace));
	}
	trace_release(&plain);
}
END_TEST

/* Of the program's code in the file and in memory: where they differ first; SIZE_MAX: nowhere. */
static size_t first_difference(const struct target *target)
{
	char path[40], line[512];
	unsigned long long low, high, offset;
	size_t differs = SIZE_MAX;
	snprintf(path, sizeof path, "/proc/%d/maps", target_pid(target));
	FILE *maps = fopen(path, "re"), *file = fopen(program, "re");
	ck_assert(maps && file);
	while (differs == SIZE_MAX && fgets(line, sizeof line, maps)) {
		if (!strstr(line, program) || sscanf(line, "%llx-%llx r-xp %llx", &low, &high, &offset) != 3)
			continue;
		uint8_t *in_file = calloc(1, high - low), *in_memory = calloc(1, high - low);
		fseek(file, (long)offset, SEEK_SET);
		const size_t length = fread(in_file, 1, high - low, file);
		ck_assert_int_eq(target_read(target, low, in_memory, high - low), STATUS_OK);
		for (size_t i = 0; i < length && differs == SIZE_MAX; i++)
			if (in_file[i] != in_memory[i])
				differs = i;
		free(in_file);
		free(in_memory);
	}
	fclose(maps);
	fclose(file);
	return differs;
}

static void hide_and_show(void *context, struct execution *of, const struct trace *so_far)
{
	(void)context;
	(void)of;
	(void)so_far;
	ck_assert_uint_ne(first_difference(process->target), SIZE_MAX);
	look_hide(process, process->target);
	ck_assert_uint_eq(first_difference(process->target), SIZE_MAX);
	look_show(process, process->target);
	ck_assert_uint_ne(first_difference(process->target), SIZE_MAX);
}

START_TEST(restored)
{
	const struct process_look look = {.access = on_access};
	const struct execution_watcher watcher = {.end = hide_and_show};
	ck_assert(process_look(process, &look));
	execution_watch(execution, &watcher);
	for (uint64_t seed = 1; seed <= 3; seed++)
		run(seed, &trace);
}
END_TEST

/* Where a thread is to stand when it is told, it does: with its registers as the instruction has them. */
static void on_standing(void *context, const struct memory_access *access)
{
	const uint64_t *place = context;
	const struct user_regs_struct *regs = tracee_regs(process_tracee(process, access->thread));
	on_access(NULL, access);
	if (access->place == *place)
		told.stood = regs->rip == *place;
}

static void note_place(void *context, const struct memory_access *access)
{
	uint64_t *place = context;
	on_access(NULL, access);
	if (access->write && access->address == told.address)
		*place = access->place;
}

START_TEST(stands)
{
	static uint64_t place;
	const struct process_look look = {.context = &place, .access = note_place};
	const struct process_look standing = {
	    .context = &place, .access = on_standing, .places = &place, .places_length = 1};
	ck_assert(process_look(process, &look));
	run(1, &trace);
	ck_assert_uint_ne(place, 0);
	for (int i = 0; i < 2; i++) {
		memset(&told, 0, sizeof told);
		ck_assert(process_look(process, &standing));
		run(1, &trace);
		ck_assert(told.stood);
		ck_assert(told.writes[1] == ELEMENTS && told.writes[2] == ELEMENTS);
		ck_assert(process_look(process, &look));
		run(1, &trace);
	}
}
END_TEST

static void ignore(void *context, const struct memory_access *access)
{
	(void)context;
	(void)access;
}

/*
 * What has been told is passed where it is met again and again, until the next operation: those who come then, and others, stand there again. Nothing
 * else is in the place of the instructions meanwhile, and NOP where PAUSE is.
 */
static struct {
	uint64_t gate, place, code;
	uint32_t told, stood, other;
} lingering;

static void on_lingering(void *context, const struct memory_access *access)
{
	const struct user_regs_struct *regs = tracee_regs(process_tracee(process, access->thread));
	(void)context;
	if (!lingering.gate) {
		lingering.gate = address_of("gate");
		lingering.code = address_of("linger");
	}
	if (access->address != lingering.gate)
		return;
	lingering.place = access->place;
	lingering.told++;
	lingering.stood += regs->rip == access->place;
}

/* How often the bytes are there, in those of the function. */
static unsigned count_bytes(const char bytes[2])
{
	uint8_t code[64];
	unsigned count = 0;
	ck_assert_int_eq(target_read(process->target, lingering.code, code, sizeof code), STATUS_OK);
	for (size_t i = 0; i + 1 < sizeof code; i++)
		count += memcmp(code + i, bytes, 2) == 0;
	return count;
}

static void look_for_pause(void *context, struct execution *running, const struct trace *so_far,
			   uint32_t thread)
{
	(void)context, (void)running, (void)so_far, (void)thread;
	if (lingering.code) {
		ck_assert_uint_eq(count_bytes("\xf3\x90"), 0);
		ck_assert_uint_ge(count_bytes("\x90\x90"), 1);
	}
}

START_TEST(stands_again)
{
	const struct process_look look = {.access = on_lingering};
	const struct process_look standing = {
	    .access = on_lingering, .places = &lingering.place, .places_length = 1};
	const struct execution_watcher watcher = {.before = look_for_pause};
	teardown();
	open_program("lingers.O2");
	execution_watch(execution, &watcher);
	ck_assert(process_look(process, &look));
	run(1, &trace);
	ck_assert_uint_ge(lingering.told, 2);
	for (int i = 0; i < 2; i++) {
		lingering.told = lingering.stood = 0;
		ck_assert(process_look(process, &standing));
		run(1, &trace);
		ck_assert_uint_ge(lingering.stood, 2);
		ck_assert_uint_lt(process->looking.sampler->hits, 2000);
	}
}
END_TEST

/* A jump may lead on to an access without room for one from where it takes the place of another access, too. */
START_TEST(room_ahead)
{
	const struct process_look look = {.access = ignore};
	char why[PROCESS_LOOK_WHY];
	teardown();
	open_program("ahead.O2");
	ck_assert(process_look(process, &look));
	run(1, &trace);
	ck_assert_msg(process_look_exact(process, why), "%s", why);
	ck_assert_uint_lt(process->looking.sampler->hits, 1000);
}
END_TEST

/* Where something else has come into the code since a door was made, as the counting of a loop's rounds does, there is a new door. */
static void change_code(void)
{
	const struct process_look look = {.access = ignore};
	char why[PROCESS_LOOK_WHY];
	ck_assert(process_look(process, &look));
	run(1, &trace);
	struct doors *doors = &process->looking.sampler->doors;
	ck_assert_uint_gt(doors->length, 0);
	for (size_t i = 0; i < doors->length; i++)
		if (doors->at[i].reach > 0)
			doors->at[i].original[doors->at[i].reach - 1] ^= 1;
	for (int i = 0; i < 2; i++) {
		run(1, &trace);
		ck_assert_msg(process_look_exact(process, why), "%s", why);
		ck_assert_uint_lt(process->looking.sampler->hits, ELEMENTS);
	}
}

START_TEST(changed_since)
{
	change_code();
	teardown();
	open_program("ahead.O2");
	change_code();
}
END_TEST

/*
 * What is settled of two pieces of memory whose lines have the same words: one takes the other's place, so of both together it can only be said
 * what is settled, and of one alone all of it.
 */
#define PIECE 512
START_TEST(settled)
{
	static bool known[2][PIECE + RANGE_MOST][2];
	static struct sampler sampler;
	uint64_t state = 7;
	sampler.shared = calloc(1, sizeof *sampler.shared);
	ck_assert_ptr_nonnull(sampler.shared);
	for (int round = 0; round < 20000; round++) {
		state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
		const uint64_t at = state >> 40 & (PIECE - 1), size = 1 + (state >> 50) % RANGE_MOST;
		const unsigned piece = round > 10000 ? state >> 20 & 1 : 0;
		const bool write = state >> 21 & 1;
		const uint64_t address = UINT64_C(0x555500000010) + at + piece * LINE_BYTES * LINE_WORDS / 2;
		bool each = true;
		for (uint64_t i = at; i < at + size; i++)
			each = each && known[piece][i][write];
		const bool have = lines_have(sampler.shared, address, size, write);
		ck_assert(each || !have);
		ck_assert(have || !each || round > 10000);
		if (state >> 30 & 31)
			continue;
		lines_settle(&sampler, address, size, write);
		for (uint64_t i = at; i < at + size; i++)
			known[piece][i][write] = true;
		ck_assert(lines_have(sampler.shared, address, size, write));
	}
	lines_forget(&sampler);
	ck_assert(!lines_have(sampler.shared, UINT64_C(0x555500000010), PIECE, false));
	free(sampler.shared);
}
END_TEST

SUITE("look", 120, setup, teardown, TEST(all), TEST(unchanged), TEST(restored), TEST(stands),
      TEST(stands_again), TEST(room_ahead), TEST(changed_since), TEST(settled))
