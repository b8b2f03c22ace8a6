/*
 * watched SEEDS PROGRAM ARGUMENT...: run the program under random schedules, each once as ever and once with all accesses to memory
 * told, and compared with each other. Its output and its operations have to be the same, and all of its accesses told ("sampled" as the first argument: they needn't be). A line for each
 * seed, with processor time in seconds; the exit status is 0 if all is well.
 */
#include <fmc/supervisor/execution.h>
#include <fmc/supervisor/present_order.h>
#include <fmc/supervisor/process.h>
#include <fmc/supervisor/sharing.h>
#include <fmc/tracer/array.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

extern char **environ;

struct told {
	struct memory_access *at;
	size_t length, room, writes;
	size_t transition;
	const struct execution *execution;
	const struct trace *trace;
	struct present_order *order;
};

static void on_before(void *context, struct execution *execution, const struct trace *trace, uint32_t thread)
{
	struct told *told = context;
	(void)thread;
	if (!told->trace || trace->length <= told->transition)
		present_order_begin(told->order);
	told->transition = trace->length;
	told->execution = execution;
	told->trace = trace;
}

static bool on_ordered(void *context, uint32_t first, size_t earlier, uint32_t second, size_t present)
{
	const struct told *told = context;
	return told->trace && present < told->trace->length && told->trace->at[present].thread == second &&
	       present_ordered(told->order, told->trace, execution_touched(told->execution), first, earlier,
			       present);
}

static void on_access(void *context, const struct memory_access *access)
{
	struct told *told = context;
	if (!ARRAY_GROW(told->at, told->length, told->room))
		abort();
	told->at[told->length++] = *access;
	told->writes += access->write;
}

static double seconds(const struct timeval *time)
{
	return (double)time->tv_sec + (double)time->tv_usec / 1e6;
}

/* Processor time, of the processes that have been waited for as well. */
static double now(void)
{
	struct rusage own, others;
	getrusage(RUSAGE_SELF, &own);
	getrusage(RUSAGE_CHILDREN, &others);
	return seconds(&own.ru_utime) + seconds(&own.ru_stime) + seconds(&others.ru_utime) +
	       seconds(&others.ru_stime);
}

static char *run(struct process *process, struct execution *execution, uint64_t seed, struct trace *trace,
		 size_t *length, double *seconds)
{
	const struct plan plan = {.policy = {.kind = POLICY_RANDOM, .seed = seed, .fair_k = 1}};
	const double begin = now();
	execution_run(execution, &plan, trace);
	*seconds = now() - begin;
	return process_output_from(process, (struct output_mark){0, 0}, length);
}

static bool same(const struct trace *a, const struct trace *b)
{
	if (a->length != b->length || a->end != b->end || a->end_value != b->end_value)
		return false;
	for (size_t i = 0; i < a->length; i++)
		if (a->at[i].thread != b->at[i].thread || a->at[i].op.kind != b->at[i].op.kind ||
		    a->at[i].op.object != b->at[i].op.object || a->at[i].op.place != b->at[i].op.place)
			return false;
	return true;
}

int main(int argc, char **argv)
{
	const bool sampled = argc > 1 && strcmp(argv[1], "sampled") == 0;
	argv += sampled;
	if (argc - sampled < 3)
		return EXIT_FAILURE;
	static struct loops loops;
	struct told told = {0};
	static struct sharings found;
	const struct process_look look = {.context = &told,
					  .access = on_access,
					  .transition = &told.transition,
					  .sift = true,
					  .ordered = on_ordered};
	const struct execution_watcher watcher = {.context = &told, .before = on_before};
	told.order = present_order_new();
	const struct process_options options = {.program = {.path = argv[2],
							    .arguments = argv + 2,
							    .environment = environ,
							    .input = STDIN_FILENO,
							    .output = -1,
							    .error = -1},
						.capture = true,
						.spin_ms = sampled ? 200 : 20, /* 200: as with fmc */
						.loops = &loops};
	char why[PROCESS_LOOK_WHY];
	enum status status;
	bool good = true;
	struct process *process = process_new(&options, &status, why);
	if (!process || !told.order) {
		fprintf(stderr, "%s\n", why);
		return EXIT_FAILURE;
	}
	struct execution *execution = execution_new(process_machine(process));
	execution_watch(execution, &watcher);
	for (long seed = 1; seed <= atol(argv[1]); seed++) {
		struct trace plain, watched;
		size_t plain_length, watched_length;
		double plain_seconds, watched_seconds;
		trace_init(&plain);
		trace_init(&watched);
		char *plain_output =
		    run(process, execution, (uint64_t)seed, &plain, &plain_length, &plain_seconds);
		told.length = told.writes = told.transition = 0;
		told.trace = NULL;
		(void)process_look(process, &look);
		char *output =
		    run(process, execution, (uint64_t)seed, &watched, &watched_length, &watched_seconds);
		(void)process_look(process, NULL);
		const double begin = now();
		good = sharing_find(&watched, told.at, told.length, &found) && good;
		const double compared = now() - begin;
		const bool exact = process_look_exact(process, why), trace = same(&plain, &watched);
		const bool equal = plain_length == watched_length &&
				   (plain_length == 0 || memcmp(plain_output, output, plain_length) == 0);
		printf("%ld: %.3f plain, %.3f watched, %.3f of it to compare, %zu transitions, %zu accesses "
		       "told, %zu of them writes, %zu pairs%s%s%s%s%s%s\n",
		       seed, plain_seconds, watched_seconds + compared, compared, plain.length, told.length,
		       told.writes, found.length, *process_unfollowed(process) ? ", " : "",
		       process_unfollowed(process), trace ? "" : ", OTHER OPERATIONS",
		       equal ? "" : ", OTHER OUTPUT", exact ? "" : ", not all: ", why);
		good = good && trace && equal && (exact || sampled);
		free(plain_output);
		free(output);
		trace_release(&plain);
		trace_release(&watched);
	}
	execution_free(execution);
	present_order_free(told.order);
	process_free(process);
	return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
