#include "tests/unit/suite.h"
#include "tests/unit/tasks_asleep.h"

#include <check.h>
#include <fcntl.h>
#include <fmc/supervisor/execution.h>
#include <fmc/supervisor/process.h>
#include <fmc/tracer/image_file.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Processes that fmc hasn't started (tests/targets/midway.c) are saved, and executions begin from there. */

struct scene {
	char image[64];
	char path[512];
	char *arguments[4];
	struct process *process;
	struct execution *execution;
};

static struct trace trace;

static void save(const struct scene *scene, pid_t pid)
{
	struct held *held;
	struct image_saved saved;
	char why[256];
	enum status status = held_take(pid, &held, why);
	ck_assert_msg(status == STATUS_OK, "%s", why);
	status = held_save(held, scene->image, &saved, why);
	ck_assert_msg(status == STATUS_OK, "%s", why);
	held_release(held);
}

static void open_process(struct scene *scene)
{
	char why[256];
	enum status status;
	const struct process_options options = {.program = {.path = scene->path,
							    .arguments = scene->arguments,
							    .environment = scene->arguments + 3,
							    .image = scene->image,
							    .input = -1,
							    .output = -1,
							    .error = -1},
						.capture = true,
						.verify = true,
						.spin_ms = 50,
						.outside_ms = 1000};
	scene->process = process_new(&options, &status, why);
	ck_assert_msg(scene->process != NULL, "%s", why);
	scene->execution = execution_new(process_machine(scene->process));
	execution_verify_model(scene->execution, true);
}

/* The program as it stands when all of its `tasks` threads wait. */
static void open_scene(struct scene *scene, const char *program, const char *mode, const char *more,
		       int tasks)
{
	*scene = (struct scene){.image = "/tmp/fmc-bring-up-XXXXXX"};
	close(mkstemp(scene->image));
	unlink(scene->image);
	snprintf(scene->path, sizeof scene->path, "%s/%s", getenv("FMC_TEST_TARGETS"), program);
	scene->arguments[0] = scene->path;
	scene->arguments[1] = (char *)(uintptr_t)mode;
	scene->arguments[2] = (char *)(uintptr_t)more;
	pid_t pid = fork();
	if (pid == 0) {
		execv(scene->path, scene->arguments);
		_exit(127);
	}
	while (tasks_asleep(pid, ANY_CALL) < tasks)
		ck_assert_int_eq(waitpid(pid, NULL, WNOHANG), 0);
	save(scene, pid);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	open_process(scene);
}

static void close_scene(struct scene *scene)
{
	execution_free(scene->execution);
	process_free(scene->process);
	unlink(scene->image);
}

static void run(struct scene *scene, enum policy_kind policy, uint64_t seed)
{
	const struct plan plan = {.policy = {.kind = policy, .seed = seed, .fair_k = 1, .max_depth = 10000}};
	execution_run(scene->execution, &plan, &trace);
}

#define WAYS	  15
#define JOINS_WAY 13

static const enum op_kind ways[WAYS] = {
    OP_MUTEX_LOCK,	OP_MUTEX_LOCK,	  OP_MUTEX_LOCK,     OP_MUTEX_LOCK,  OP_MUTEX_LOCK,
    OP_MUTEX_TIMEDLOCK, OP_COND_ASLEEP,	  OP_COND_ASLEEP,    OP_SEM_WAIT,    OP_SEM_TIMEDWAIT,
    OP_RWLOCK_RDLOCK,	OP_RWLOCK_WRLOCK, OP_BARRIER_ASLEEP, OP_THREAD_JOIN, OP_SLEEP,
};

/* The only thread besides main waits this way: that is what it is found with, and it comes back right, whoever goes on first. */
START_TEST(found_waiting)
{
	struct scene scene;
	char way[4];
	const bool joins = _i == JOINS_WAY;
	snprintf(way, sizeof way, "%d", _i);
	open_scene(&scene, "midway", "ways", way, joins ? 3 : 2);
	for (uint64_t seed = 0; seed < 6; seed++) {
		run(&scene, seed ? POLICY_RANDOM : POLICY_DEFAULT, seed);
		ck_assert_msg(trace.end == END_EXIT, "%s: %s", end_reason_name(trace.end), trace.message);
		ck_assert_int_eq(trace.end_value, 0);
		ck_assert_uint_eq(trace.found_length, joins ? 3 : 2);
		ck_assert_str_eq(op_name(trace.found[0].kind), op_name(OP_SLEEP));
		ck_assert_str_eq(op_name(trace.found[joins ? 2 : 1].kind), op_name(ways[_i]));
	}
	close_scene(&scene);
}
END_TEST

static const char *const programs[] = {"midway", "midway.static"};

/* All of them at once, in a program whose libc has its symbols or not. */
START_TEST(all_found)
{
	struct scene scene;
	open_scene(&scene, programs[_i], "ways", NULL, WAYS + 1);
	for (uint64_t seed = 0; seed < 20; seed++) {
		run(&scene, seed ? POLICY_RANDOM : POLICY_DEFAULT, seed);
		ck_assert_msg(trace.end == END_EXIT, "%s: %s", end_reason_name(trace.end), trace.message);
		ck_assert_int_eq(trace.end_value, 0);
		for (int i = 0; i < WAYS; i++)
			ck_assert_str_eq(op_name(trace.found[i + 1].kind), op_name(ways[i]));
	}
	close_scene(&scene);
}
END_TEST

/* Threads hold what their numbers in the objects say: a philosopher has his fork. */
START_TEST(owners_are_known)
{
	struct scene scene;
	bool deadlock = false;
	open_scene(&scene, "midway", "forks", "2", 3);
	for (uint64_t seed = 1; seed < 64 && !deadlock; seed++) {
		run(&scene, POLICY_RANDOM, seed);
		deadlock = trace.end == END_DEADLOCK;
		ck_assert_msg(deadlock || trace.end == END_EXIT, "%s", trace.message);
	}
	ck_assert(deadlock);
	ck_assert_uint_eq(trace.threads[1].blocker, 2);
	ck_assert_uint_eq(trace.threads[2].blocker, 1);
	ck_assert_uint_eq(trace.threads[0].blocker, 1);
	close_scene(&scene);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("bring_up");
	TCase *each = tcase_create("saved states");
	tcase_set_timeout(each, 60);
	trace_init(&trace);
	tcase_add_loop_test(each, found_waiting, 0, WAYS);
	tcase_add_loop_test(each, all_found, 0, 2);
	tcase_add_test(each, owners_are_known);
	suite_add_tcase(suite, each);
	return suite_run(suite);
}
