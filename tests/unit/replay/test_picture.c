/* What a picture shows of samples: for how long who holds and waits for what, and who wakes whom, exactly. */
#include "replay/picture/picture.h"
#include "tests/unit/suite.h"

#include <fmc/supervisor/collect.h>

#include <check.h>
#include <stdlib.h>
#include <string.h>

extern char **environ;

/* A sample that is run once, by the default policy after the steps that are given. */
static struct process *process;
static struct execution *execution;
static struct recorder *recorder;
static struct execution_watcher recording;
static struct finding finding;
static struct schedule schedule;
static struct picture picture;
static char *shown;

static void before(void *context, struct execution *x, const struct trace *trace, uint32_t thread)
{
	(void)context;
	recording.before(recording.context, x, trace, thread);
}

static void at_end(void *context, struct execution *x, const struct trace *trace)
{
	(void)context;
	ck_assert_int_eq(collect_finding(&finding, process, x, trace), STATUS_OK);
	recording.end(recording.context, x, trace);
}

static void run(const char *sample, const char *argument, const struct step *steps, size_t length)
{
	char path[512], why[256];
	ck_assert_ptr_nonnull(getenv("FMC_TEST_SAMPLES"));
	snprintf(path, sizeof path, "%s/%s", getenv("FMC_TEST_SAMPLES"), sample);
	char *arguments[] = {path, (char *)argument, NULL};
	const struct process_options options = {.program = {.path = path,
							    .arguments = arguments,
							    .environment = environ,
							    .input = -1,
							    .output = -1,
							    .error = -1},
						.capture = true,
						.places = true};
	enum status status;
	process = process_new(&options, &status, why);
	ck_assert_msg(process, "%s", why);
	execution = execution_new(process_machine(process));
	recorder = recorder_new(process);
	recording = recorder_watcher(recorder);
	execution_watch(execution, &(struct execution_watcher){.before = before, .end = at_end});
	struct trace trace;
	trace_init(&trace);
	execution_run(execution,
		      &(struct plan){.prefix = steps,
				     .prefix_length = length,
				     .policy = {.kind = POLICY_DEFAULT, .fair_k = 1, .max_depth = 1000}},
		      &trace);
	ck_assert_int_ne(trace.end, END_DIVERGED);
	trace_release(&trace);
	ck_assert_int_eq(schedule_from_finding(&schedule, &finding), STATUS_OK);
	ck_assert_int_eq(picture_make(&picture, &schedule, recorder, &finding), STATUS_OK);
}

static void setup(void)
{
	finding_init(&finding);
	schedule_init(&schedule);
	picture = (struct picture){0};
}

static void teardown(void)
{
	picture_release(&picture);
	schedule_release(&schedule);
	finding_release(&finding);
	recorder_free(recorder);
	execution_free(execution);
	process_free(process);
	free(shown);
	recorder = NULL;
	execution = NULL;
	process = NULL;
	shown = NULL;
}

/* Spans as lines: "T2 holds forks[0] 5-10", the states from and to. */
static const char *spans(void)
{
	struct text text = {0};
	for (size_t i = 0; i < picture.spans_length; i++) {
		const struct span *span = &picture.spans[i];
		text_printf(&text, "T%u ", span->thread + 1);
		if (span->kind == SPAN_WAITS) {
			picture_add_wait(&text, &picture, span);
		} else {
			text_printf(&text, "%s ", span->shared ? "shares" : "holds");
			picture_add_object(&text, &picture, span->class, span->object);
		}
		text_printf(&text, " %zu-%zu\n", span->from, span->to);
	}
	free(shown);
	return shown = text.data;
}

/* Arrows as lines: "wake 5-9", transitions counted from 0. */
static const char *arrows(void)
{
	static const char *const names[] = {"create", "wake", "join"};
	struct text text = {0};
	for (size_t i = 0; i < picture.arrows_length; i++)
		text_printf(&text, "%s %zu-%zu\n", names[picture.arrows[i].kind], picture.arrows[i].from,
			    picture.arrows[i].to);
	free(shown);
	return shown = text.data;
}

START_TEST(philosophers_who_starve)
{
	static const struct step steps[] = {{0, 0}, {0, 0}, {1, 0}, {1, 0}, {2, 0}, {2, 0}};
	run("philosophers", "2", steps, 6);
	ck_assert_uint_eq(schedule.length, 6);
	ck_assert_str_eq(spans(), "T1 waits for T2 to exit, in thread_join 2-7\n"
				  "T2 holds forks[0] 4-7\n"
				  "T3 holds forks[1] 6-7\n"
				  "T2 waits for forks[1] held by T3, in mutex_lock 6-7\n"
				  "T3 waits for forks[0] held by T2, in mutex_lock 6-7\n");
	ck_assert_str_eq(arrows(), "create 0-2\ncreate 1-4\n");
}
END_TEST

START_TEST(philosophers_who_eat)
{
	run("philosophers", "2", NULL, 0);
	ck_assert_str_eq(spans(), "T1 waits for T2 to exit, in thread_join 2-7\n"
				  "T2 holds forks[0] 4-7\n"
				  "T2 holds forks[1] 5-6\n"
				  "T3 holds forks[1] 9-12\n"
				  "T3 holds forks[0] 10-11\n");
	ck_assert_str_eq(arrows(), "create 0-2\n"
				   "create 1-7\n"
				   "wake 6-12\n"
				   "join 11-13\n");
}
END_TEST

START_TEST(stacks_are_kept_once)
{
	static const struct step steps[] = {{0, 0}, {0, 0}, {1, 0}, {1, 0}, {2, 0}, {2, 0}};
	run("philosophers", "2", steps, 6);
	ck_assert_uint_eq(picture.at_length, 6);
	ck_assert_uint_eq(picture.at[0], picture.at[1]);
	ck_assert_uint_eq(picture.at[2], NO_STACK);
	ck_assert_uint_eq(picture.at[3], picture.at[5]);
	ck_assert_uint_eq(picture.stacks_length, 2);
	const struct picture_stack *stack = &picture.stacks[picture.at[3]];
	ck_assert_str_eq(stack->frames[stack->length - 1].function, "eat");
	ck_assert_str_eq(stack->frames[stack->length - 1].file, "philosophers.c");
}
END_TEST

START_TEST(a_condition_variable)
{
	static const struct step steps[] = {{0, 0}, {0, 0}, {1, 0}, {1, 0}, {1, 0},
					    {2, 0}, {2, 0}, {2, 0}, {0, 0}, {0, 0}};
	run("cond_broadcast", NULL, steps, 10);
	ck_assert_str_eq(spans(), "T2 holds lock 4-5\n"
				  "T1 waits for lock held by T2, in mutex_lock 4-5\n"
				  "T2 waits for a signal of told, in cond_asleep 5-10\n"
				  "T3 holds lock 7-8\n"
				  "T1 waits for lock held by T3, in mutex_lock 7-8\n"
				  "T3 waits for a signal of told, in cond_asleep 8-10\n"
				  "T1 holds lock 9-11\n"
				  "T2 waits for lock held by T1, in cond_relock 10-11\n"
				  "T3 waits for lock held by T1, in cond_relock 10-11\n"
				  "T1 waits for T2 to exit, in thread_join 11-13\n"
				  "T2 holds lock 12-13\n"
				  "T3 waits for lock held by T2, in cond_relock 12-13\n"
				  "T3 holds lock 14-15\n");
	ck_assert_str_eq(arrows(), "create 0-2\n"
				   "create 1-5\n"
				   "wake 7-8\n"
				   "wake 9-11\n"
				   "wake 10-11\n"
				   "wake 9-13\n"
				   "wake 12-13\n"
				   "wake 12-15\n"
				   "join 14-16\n");
}
END_TEST

START_TEST(readers_and_writers)
{
	static const struct step steps[] = {{0, 0}, {0, 0}, {1, 0}, {1, 0}, {0, 0}, {2, 0}};
	run("rwlock", NULL, steps, 6);
	ck_assert_str_eq(spans(), "T2 shares lock 4-8\n"
				  "T1 shares lock 5-7\n"
				  "T3 waits for lock, in rwlock_wrlock 6-8\n"
				  "T1 waits for T2 to exit, in thread_join 7-8\n"
				  "T3 holds lock 9-11\n");
}
END_TEST

START_TEST(a_barrier)
{
	run("barrier", NULL, NULL, 0);
	ck_assert_str_eq(spans(), "T1 waits for T2 to exit, in thread_join 3-10\n"
				  "T2 waits for barrier, in barrier_asleep 5-9\n"
				  "T3 waits for barrier, in barrier_asleep 7-9\n");
	ck_assert_str_eq(arrows(), "create 0-3\n"
				   "create 1-5\n"
				   "create 2-7\n"
				   "wake 8-9\n"
				   "wake 8-10\n"
				   "wake 9-11\n"
				   "join 10-12\n"
				   "join 8-13\n");
}
END_TEST

START_TEST(semaphores)
{
	run("semaphores", NULL, NULL, 0);
	ck_assert_str_eq(spans(), "T1 waits for a post of filled_slots, in sem_wait 1-4\n"
				  "T2 waits for a post of free_slots, in sem_wait 6-8\n"
				  "T1 waits for a post of filled_slots, in sem_wait 10-12\n");
	ck_assert_str_eq(arrows(), "create 0-1\n"
				   "wake 3-6\n"
				   "wake 7-10\n"
				   "wake 11-12\n"
				   "join 11-14\n");
}
END_TEST

SUITE("picture", 0, setup, teardown, TEST(philosophers_who_starve), TEST(philosophers_who_eat),
      TEST(stacks_are_kept_once), TEST(a_condition_variable), TEST(readers_and_writers), TEST(a_barrier),
      TEST(semaphores))
