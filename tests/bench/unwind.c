/* unwind PID: how many frames a second libunwind and libdwfl tell of the stacks of a process's threads. */
#include "breakpoints/symbols/places.h"
#include "breakpoints/unwind/frame.h"
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define SECONDS 1.0

struct bench {
	struct snapshot *snapshot;
	struct places *places;
	size_t frames;
};

typedef void unwinder(struct places *places, const struct unwinding *unwinding, unwound_visitor *visit,
		      void *context);

static bool count(void *context, const struct unwound *frame)
{
	(void)frame;
	++*(size_t *)context;
	return true;
}

static void by_libunwind(struct places *places, const struct unwinding *unwinding, unwound_visitor *visit,
			 void *context)
{
	struct unwind_frame frame = unwind_frame_first(unwinding);
	unwind_tables(places, unwinding, &frame, visit, context);
}

static void by_libdwfl(struct places *places, const struct unwinding *unwinding, unwound_visitor *visit,
		       void *context)
{
	const struct unwind_frame frame = unwind_frame_first(unwinding);
	unwind_dwfl(places, unwinding, &frame, visit, context);
}

static enum status read_snapshot(void *context, uint64_t address, void *to, size_t size)
{
	return snapshot_read(context, address, to, size);
}

/* The stacks of all threads once. */
static void unwind_all(struct bench *bench, unwinder *unwind)
{
	for (size_t i = 0; i < snapshot_threads(bench->snapshot); i++) {
		const struct snapshot_thread *thread = snapshot_thread(bench->snapshot, i);
		const struct unwinding unwinding = {.read = read_snapshot,
						    .context = bench->snapshot,
						    .regs = &thread->regs,
						    .pc = thread->regs.rip,
						    .partial = thread->partial};
		unwind(bench->places, &unwinding, count, &bench->frames);
	}
}

/* Of the processor's time, so that others who use it don't count. */
static double now(void)
{
	struct timespec time;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
	return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* After one round, in which tables are read. */
static double frames_a_second(struct bench *bench, unwinder *unwind)
{
	unwind_all(bench, unwind);
	bench->frames = 0;
	double start = now(), end;
	do
		unwind_all(bench, unwind);
	while ((end = now()) < start + SECONDS);
	return (double)bench->frames / (end - start);
}

int main(int argc, char **argv)
{
	char why[256];
	struct bench bench = {.places = places_new()};
	if (argc != 2 || !bench.places ||
	    snapshot_take(atoi(argv[1]), NULL, NULL, &bench.snapshot, why) != STATUS_OK ||
	    places_of_snapshot(bench.places, bench.snapshot) != STATUS_OK)
		return EXIT_FAILURE;
	double tables = frames_a_second(&bench, by_libunwind), dwfl = frames_a_second(&bench, by_libdwfl);
	printf("%.0f frames a second by libunwind, %.0f by libdwfl: ratio %.2f\n", tables, dwfl,
	       tables / dwfl);
	places_free(bench.places);
	snapshot_free(bench.snapshot);
	return EXIT_SUCCESS;
}
