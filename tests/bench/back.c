/*
 * back PROGRAM: what it costs to go backwards in a transition of 10^6 rounds of tests/targets/rounds.c: to the last write of
 * what is written once, and each round; to a breakpoint; over 1,500 hits of a watchpoint, one each
 * round, also on a busy machine, and over those of one whose instruction touches something else most of the time. As ratios of processor
 * time, fmc's and the program's, to a plain replay of the schedule.
 */
#include "tests/bench/recording.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define ROUNDS "1000000"
#define BUSY   10

extern char **environ;

struct bench {
	struct recording recording;
	struct timeline *timeline;
	double replay;
};

static void go_to_end(struct bench *bench)
{
	struct move move;
	timeline_goto(bench->timeline, timeline_length(bench->timeline) + 1, &move);
	require(move.end == MOVE_END, move.why);
}

static double seconds_of(int who)
{
	struct rusage usage;
	getrusage(who, &usage);
	return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
	       (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}

/* Processor time of fmc, and of the copies of the program that are over. */
static double used(void)
{
	return seconds_of(RUSAGE_SELF) + seconds_of(RUSAGE_CHILDREN);
}

struct start {
	double time, used;
};

static struct start begin(void)
{
	return (struct start){now(), used()};
}

static void tell(const struct bench *bench, const char *what, struct start start)
{
	const double took = used() - start.used;
	printf("%-22s %.2f s, %.2f of the processor: ratio %.1f\n", what, now() - start.time, took,
	       took / bench->replay);
}

static void measure_write(struct bench *bench, const char *name, const char *what)
{
	struct move move;
	const uint64_t address = address_of(bench->timeline, name);
	go_to_end(bench);
	const struct start start = begin();
	require(timeline_last_touch(bench->timeline, address, 4, TIMELINE_WRITE, &move) == STATUS_OK,
		"no watchpoint can be had");
	require(move.end == MOVE_WATCHPOINT, move.why);
	tell(bench, what, start);
}

static void measure_break(struct bench *bench)
{
	struct move move;
	(void)timeline_break(bench->timeline,
			     address_of(bench->timeline, "touch")); /* only how long it takes */
	go_to_end(bench);
	const struct start start = begin();
	timeline_reverse_continue(bench->timeline, &move);
	require(move.end == MOVE_BREAKPOINT, move.why);
	tell(bench, "back to a breakpoint", start);
	timeline_unbreak(bench->timeline, move.address);
}

/* Each of them a stop, as for a debugger that evaluates a condition. */
static void measure_hits(struct bench *bench, const char *name, int hits, const char *what)
{
	struct move move;
	const uint64_t address = address_of(bench->timeline, name);
	(void)timeline_watch(bench->timeline, address, 4, TIMELINE_WRITE); /* only how long it takes */
	go_to_end(bench);
	const struct start start = begin();
	for (int i = 0; i < hits; i++) {
		timeline_reverse_continue(bench->timeline, &move);
		require(move.end == MOVE_WATCHPOINT, move.why);
	}
	tell(bench, what, start);
	timeline_unwatch(bench->timeline, address, 4, TIMELINE_WRITE);
}

/* The same beside loops that never end. */
static void measure_beside(struct bench *bench)
{
	pid_t busy[BUSY];
	for (int i = 0; i < BUSY; i++) {
		busy[i] = fork();
		require(busy[i] >= 0, "no more processes");
		if (busy[i] == 0)
			prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (volatile bool on = busy[i] == 0; on;)
			;
	}
	measure_hits(bench, "often", 150, "150 of them at load 10");
	for (int i = 0; i < BUSY; i++) {
		kill(busy[i], SIGKILL);
		waitpid(busy[i], NULL, 0);
	}
}

int main(int argc, char **argv)
{
	require(argc == 2, "which program?");
	setvbuf(stdout, NULL, _IOLBF, 0);
	char *arguments[] = {argv[1], ROUNDS, NULL};
	struct bench bench = {.recording.options = {.program = {.path = argv[1],
								.arguments = arguments,
								.environment = environ,
								.input = -1,
								.output = -1,
								.error = -1},
						    .spin_ms = 200,
						    .capture = true}};
	enum status status;
	char why[256];
	const double before = used();
	record(&bench.recording);
	end_recording(&bench.recording);
	bench.replay = used() - before;
	const struct timeline_options options = {.process = bench.recording.options};
	bench.timeline = timeline_new(&options, &bench.recording.schedule, &status, why);
	require(bench.timeline, why);
	measure_write(&bench, "once", "last write, of one");
	measure_write(&bench, "often", "last write, of 10^6");
	measure_break(&bench);
	measure_hits(&bench, "often", 1500, "back over 1,500 hits");
	measure_beside(&bench);
	measure_hits(&bench, "table", 100, "100, 1,000 rounds apart");
	timeline_free(bench.timeline);
	recording_release(&bench.recording);
	return EXIT_SUCCESS;
}
