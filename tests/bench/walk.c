/*
 * walk STEPS: what it costs to walk a schedule of some 2,000 transitions of tests/bench/steps.c: going to a transition at random,
 * and back over 1,000 of them to a breakpoint, as ratios to one plain replay of the schedule in the same run.
 */
#include "tests/bench/recording.h"

#define GOTOS	101
#define REPLAYS 21
#define BACK	1000

extern char **environ;

struct bench {
	struct recording recording;
	struct timeline *timeline;
	double replay; /* in ms */
};

static double now_ms(void)
{
	return now() * 1e3;
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return x < y ? -1 : x > y;
}

/* The median of some replays; the first ones make the process's beginning. */
static void measure_replay(struct bench *bench)
{
	double times[REPLAYS];
	size_t differs_at;
	char why[256];
	for (int i = -3; i < REPLAYS; i++) {
		double start = now_ms();
		require(player_run(bench->recording.execution, &bench->recording.schedule, false, NULL,
				   &bench->recording.trace, &differs_at, why) == STATUS_OK,
			why);
		if (i >= 0)
			times[i] = now_ms() - start;
	}
	qsort(times, REPLAYS, sizeof *times, by_value);
	bench->replay = times[REPLAYS / 2];
}

static void measure_goto(struct bench *bench)
{
	double times[GOTOS];
	struct move move;
	uint32_t random = 1;
	for (int i = 0; i < GOTOS; i++) {
		random = random * 1664525u + 1013904223u;
		size_t part = 1 + (random >> 8) % bench->recording.schedule.length;
		double start = now_ms();
		timeline_goto(bench->timeline, part, &move);
		times[i] = now_ms() - start;
		require(move.end == MOVE_DONE, move.why);
	}
	qsort(times, GOTOS, sizeof *times, by_value);
	printf("goto at random         median %.2f ms, worst %.2f ms: ratios %.2f, %.2f\n", times[GOTOS / 2],
	       times[GOTOS - 1], times[GOTOS / 2] / bench->replay, times[GOTOS - 1] / bench->replay);
}

/* To where the last thread began, from 1,000 transitions after that. */
static void measure_reverse(struct bench *bench)
{
	struct move move;
	(void)timeline_break(bench->timeline,
			     address_of(bench->timeline, "step")); /* only how long it takes */
	timeline_goto(bench->timeline, 0, &move);
	for (int i = 0; i < 3; i++) {
		timeline_continue(bench->timeline, &move);
		require(move.end == MOVE_BREAKPOINT, "a thread's beginning isn't met");
	}
	size_t part = timeline_position(bench->timeline).part;
	timeline_goto(bench->timeline, part + BACK, &move);
	require(move.end == MOVE_DONE, "the schedule is too short");
	double start = now_ms();
	timeline_reverse_continue(bench->timeline, &move);
	double time = now_ms() - start;
	require(move.end == MOVE_BREAKPOINT && timeline_position(bench->timeline).part == part,
		"backwards another place is met");
	printf("reverse over %d      %.2f ms: ratio %.2f\n", BACK, time, time / bench->replay);
}

int main(int argc, char **argv)
{
	require(argc >= 2, "which program?");
	struct bench bench = {.recording.options = {.program = {.path = argv[1],
								.arguments = argv + 1,
								.environment = environ,
								.input = -1,
								.output = -1,
								.error = -1},
						    .capture = true}};
	enum status status;
	char why[256];
	record(&bench.recording);
	measure_replay(&bench);
	end_recording(&bench.recording);
	const struct timeline_options options = {.process = bench.recording.options};
	double start = now_ms();
	bench.timeline = timeline_new(&options, &bench.recording.schedule, &status, why);
	require(bench.timeline, why);
	printf("replay of %zu        %.2f ms; made ready to be walked in %.2f ms\n",
	       bench.recording.schedule.length, bench.replay, now_ms() - start);
	measure_goto(&bench);
	measure_reverse(&bench);
	timeline_free(bench.timeline);
	recording_release(&bench.recording);
	return EXIT_SUCCESS;
}
