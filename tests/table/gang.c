#include "gang.h"

#include <fmc/supervisor/wire.h>

#include <assert.h>
#include <stdlib.h>
#include <time.h>

void gang_init(struct gang *gang, const struct table_program *program, struct search *search, uint32_t size,
	       uint64_t seed)
{
	*gang = (struct gang){.size = size, .search = search, .random = seed};
	table_machine_init(&gang->machine, program);
	gang->execution = execution_new(&gang->machine.machine);
	gang->workers = calloc(size, sizeof *gang->workers);
	if (!gang->execution || !gang->workers)
		abort();
}

static void forget(struct gang_worker *worker)
{
	search_free(worker->part);
	worker->part = NULL;
	worker->length = 0;
	worker->since = 0;
}

void gang_forget(struct gang *gang)
{
	for (uint32_t w = 0; w < gang->size; w++)
		forget(&gang->workers[w]);
}

void gang_release(struct gang *gang)
{
	gang_forget(gang);
	for (uint32_t w = 0; w < gang->size; w++) {
		for (size_t i = 0; i < gang->workers[w].room; i++)
			trace_release(&gang->workers[w].run[i].trace);
		free(gang->workers[w].run);
	}
	free(gang->workers);
	execution_free(gang->execution);
}

/* Below n. Knuth's MMIX generator, whose high bits are good enough. */
static uint32_t draw(struct gang *gang, uint32_t n)
{
	gang->random = gang->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)((gang->random >> 32) % n);
}

static double now(void)
{
	struct timespec time;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
	return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static void note_status(struct gang *gang, enum status status)
{
	if (gang->status == STATUS_OK)
		gang->status = status;
}

/* A part for a worker that has none; what the answer was. */
static enum search_answer give(struct gang *gang, struct gang_worker *worker)
{
	struct saver bytes = {0};
	const double start = now();
	enum search_answer answer =
	    search_give(gang->search, (size_t)2 * gang->size, &worker->ticket, &bytes);
	gang->spent += now() - start;
	if (answer == SEARCH_PLAN) {
		struct loader loader = {bytes.at, bytes.length, false};
		worker->part = search_of_part(&loader);
		assert(worker->part && loader.left == 0);
	}
	saver_release(&bytes);
	return answer;
}

static uint32_t busy(const struct gang *gang)
{
	uint32_t count = 0;
	for (uint32_t w = 0; w < gang->size; w++)
		count += gang->workers[w].part != NULL;
	return count;
}

static void hire(struct gang *gang)
{
	enum search_answer answer = SEARCH_PLAN;
	for (uint32_t w = 0; w < gang->size && answer == SEARCH_PLAN; w++)
		if (!gang->workers[w].part)
			answer = give(gang, &gang->workers[w]);
	gang->starves = answer == SEARCH_LATER;
	assert(answer != SEARCH_LATER || busy(gang) > 0);
}

/* It comes as bytes. */
static void hear(struct gang *gang, const struct gang_worker *worker, const struct gang_execution *run)
{
	struct saver bytes = {0};
	struct trace trace;
	trace_init(&trace);
	wire_put_trace(&bytes, &run->trace);
	struct loader loader = {bytes.at, bytes.length, false};
	const double start = now();
	if (!wire_get_trace(&loader, &trace))
		abort();
	note_status(gang, search_hear(gang->search, worker->ticket, run->from, &trace));
	gang->spent += now() - start;
	gang->told++;
	trace_release(&trace);
	saver_release(&bytes);
}

/* All that it has done counts, and what is left of its part is open again. */
static void come_back(struct gang *gang, struct gang_worker *worker)
{
	struct saver bytes = {0};
	search_part_save(worker->part, &bytes);
	struct loader loader = {bytes.at, bytes.length, false};
	for (size_t i = 0; i < worker->length; i++)
		if (worker->run[i].told)
			hear(gang, worker, &worker->run[i]);
	const double start = now();
	note_status(gang, search_take_back(gang->search, worker->ticket, (size_t)2 * gang->size, &loader));
	gang->spent += now() - start;
	assert(loader.left == 0);
	saver_release(&bytes);
	for (size_t i = 0; i < worker->length && gang->note; i++)
		gang->note(gang->context, &worker->run[i].trace);
	gang->back++;
	forget(worker);
}

static struct gang_execution *one_more(struct gang_worker *worker)
{
	if (worker->length == worker->room) {
		const size_t room = worker->room ? 2 * worker->room : 8;
		worker->run = reallocarray(worker->run, room, sizeof *worker->run);
		if (!worker->run)
			abort();
		for (; worker->room < room; worker->room++)
			trace_init(&worker->run[worker->room].trace);
	}
	return &worker->run[worker->length++];
}

/* False: the part is over. */
static bool run_one(struct gang *gang, struct gang_worker *worker)
{
	struct plan plan;
	if (search_next(worker->part, &plan) != SEARCH_PLAN)
		return false;
	struct gang_execution *run = one_more(worker);
	execution_run(gang->execution, &plan, &run->trace);
	note_status(gang, search_feed(worker->part, plan.ticket, &run->trace));
	run->told = search_part_tells(worker->part, &run->from);
	worker->since++;
	return true;
}

/* One that has a part. */
static struct gang_worker *draw_worker(struct gang *gang)
{
	uint32_t left = draw(gang, busy(gang));
	struct gang_worker *worker = gang->workers;
	while (!worker->part || left-- > 0)
		worker++;
	return worker;
}

bool gang_step(struct gang *gang)
{
	hire(gang);
	if (busy(gang) == 0)
		return false;
	struct gang_worker *worker = draw_worker(gang);
	if (gang->losses && draw(gang, gang->losses) == 0) {
		gang->lost += worker->since;
		search_lose(gang->search, worker->ticket);
		forget(worker);
		return true;
	}
	const bool over = !run_one(gang, worker),
		   due = gang->lease && worker->since >= (gang->starves ? gang->lease / 8 : gang->lease);
	gang->unfinished += !over;
	if (over || due || (gang->returns && draw(gang, gang->returns) == 0))
		come_back(gang, worker);
	return true;
}
