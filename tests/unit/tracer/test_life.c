#include "tests/unit/prepare_nothing.h"
#include "tests/unit/suite.h"
#include "tracer/tracee/tracee.h"

#include <fmc/tracer/origin.h>
#include <fmc/tracer/children.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The life of a tracee as <fmc/tracer/target.h> draws it: each edge is there, no other one is. */

extern char **environ;

static const char *const drawn[] = {
    [TRACEE_BORN] = " sed",	/* stopped, at its exit, dead */
    [TRACEE_STOPPED] = " sred", /* r: running */
    [TRACEE_RUNNING] = " sred", [TRACEE_EXITING] = " d", [TRACEE_DEAD] = " b",
};

#define LIVES 5
static const char letters[LIVES + 1] = "bsred";

static bool is_drawn(int from, int to)
{
	return strchr(drawn[from], letters[to]) != NULL;
}

START_TEST(drawn_edges)
{
	for (int from = 0; from < LIVES; from++)
		for (int to = 0; to < LIVES; to++) {
			struct tracee tracee = {.life = (enum tracee_life)from};
			if (!is_drawn(from, to))
				continue;
			tracee_enter(&tracee, (enum tracee_life)to);
			ck_assert_int_eq(tracee.life, to);
		}
}
END_TEST

/* So many edges aren't drawn; the i-th of them. */
static int others(int i, int *from, int *to)
{
	int length = 0;
	for (int pair = 0; pair < LIVES * LIVES; pair++) {
		if (is_drawn(pair / LIVES, pair % LIVES))
			continue;
		if (length++ != i)
			continue;
		*from = pair / LIVES;
		*to = pair % LIVES;
	}
	return length;
}

START_TEST(other_edges)
{
	int from, to;
	others(_i, &from, &to);
	struct tracee tracee = {.life = (enum tracee_life)from};
	tracee_enter(&tracee, (enum tracee_life)to);
}
END_TEST

START_TEST(the_dead_are_not_replaced)
{
	struct tracee tracee = {.life = TRACEE_DEAD};
	tracee_replaced(&tracee);
}
END_TEST

static struct target *start(const char *name, struct origin **origin)
{
	char path[4096], why[256];
	char *arguments[] = {path, NULL};
	struct target *target;
	snprintf(path, sizeof path, "%s/%s", getenv("FMC_TEST_TARGETS"), name);
	struct program program = {.path = path,
				  .arguments = arguments,
				  .environment = environ,
				  .input = -1,
				  .output = -1,
				  .error = -1};
	ck_assert_msg(origin_new(&program, ORIGIN_EXEC, prepare_nothing, NULL, origin, why) == STATUS_OK,
		      "%s", why);
	ck_assert_int_eq(origin_start(*origin, &target), STATUS_OK);
	return target;
}

/* A stop that was kept of a thread that an exec has ended since is forgotten: its number may be another thread's. */
START_TEST(exec_forgets_stops)
{
	struct origin *origin;
	struct target *target = start("replaced", &origin);
	struct tracee *leader = target_tracee(target, 0);
	struct stop stop;
	bool kept = false;
	ck_assert_int_eq(target_resume(leader, 0), STATUS_OK);
	for (;;) {
		enum status status = target_wait(target, leader, 20, &stop);
		if (status == STATUS_TIMEOUT && !kept && target->early_length > 0) {
			kept = true;
			target_send(target, leader, SIGUSR2);
		}
		if (status == STATUS_TIMEOUT)
			continue;
		ck_assert_int_eq(status, STATUS_OK);
		if (stop.kind == STOP_EXEC)
			break;
		if (stop.kind == STOP_FORK)
			target_let_go(target_forked(&stop));
		/* The exec may have ended either meanwhile. */
		if (stop.kind == STOP_CLONE)
			(void)target_resume(stop.child, 0);
		(void)target_resume(leader, stop.kind == STOP_SIGNAL ? (int)stop.number : 0);
	}
	ck_assert(kept);
	ck_assert_uint_eq(target->early_length, 0);
	ck_assert_int_eq(leader->life, TRACEE_STOPPED);
	ck_assert_int_eq(target_tracee(target, 1)->life, TRACEE_DEAD);
	target_kill(target);
	origin_free(origin);
}
END_TEST

SUITE("life", 120, NULL, NULL, TEST(drawn_edges), TEST_DIES(other_edges, others(-1, NULL, NULL), SIGILL),
      TEST_DIES(the_dead_are_not_replaced, 1, SIGILL), TEST(exec_forgets_stops))
