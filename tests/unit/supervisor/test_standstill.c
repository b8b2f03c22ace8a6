/* What is told as certain is proven to stand still: of tests/targets/relay.c, whose threads go on when the test lets them. */
#include "tests/unit/suite.h"
#include "tests/unit/wait_scene.h"

#include <fmc/supervisor/account.h>

#include <fcntl.h>
#include <stdbool.h>

static const char *const kinds[] = {"pipe", "socket", "futex", "cond", "sem"};
static pid_t pid;

/* False: this machine doesn't permit it. */
static bool begin(const char *kind, const char *more)
{
	char path[512];
	target_path("relay", path);
	pid = start_command((char *[]){path, (char *)kind, (char *)more, NULL});
	return pid > 0;
}

static void end(void)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

/* Until so many threads sleep; how often the main thread has been running by then. */
static uint64_t asleep(size_t threads)
{
	for (;;) {
		struct activity *list;
		size_t length, sleeping = 0;
		ck_assert_int_eq(activity_read(pid, &list, &length), STATUS_OK);
		for (size_t i = 0; i < length; i++)
			sleeping += list[i].asleep && list[i].syscall >= 0;
		const uint64_t runs = activity_find(list, length, pid)->runs;
		free(list);
		if (sleeping == threads)
			return runs;
	}
}

static struct account *look(void)
{
	struct account *account;
	char why[256];
	ck_assert_msg(account_look(pid, &account, why) == STATUS_OK, "%s", why);
	return account;
}

/* Both threads run once, and wait as before. */
static void let_pass(const struct account *account)
{
	char path[64];
	const uint64_t before = asleep(2);
	const struct wait *wait = &account->inspection.threads[1].wait;
	snprintf(path, sizeof path, "/proc/%d/fd/%d", pid, wait->descriptor);
	const int end_of_pipe = open(path, O_WRONLY | O_CLOEXEC);
	ck_assert_int_ge(end_of_pipe, 0);
	ck_assert_int_eq(write(end_of_pipe, "", 1), 1);
	close(end_of_pipe);
	while (asleep(2) == before)
		;
}

/* Who can't look at everybody can't be certain of pipes. */
static bool may_be_certain(void)
{
	return geteuid() == 0;
}

START_TEST(who_stands_still_is_stuck_for_certain)
{
	bool sure;
	ck_assert(begin(kinds[_i], NULL));
	asleep(2);
	struct account *account = look();
	ck_assert_int_eq(account_confirm(account, &sure), STATUS_OK);
	ck_assert(sure);
	ck_assert(diagnosis_certain(&account->diagnosis) == may_be_certain());
	if (may_be_certain())
		ck_assert_int_eq(account->diagnosis.causes[0].kind, CAUSE_NOBODY_LEFT);
	account_free(account);
	end();
}
END_TEST

START_TEST(who_has_run_since_is_not_stuck)
{
	bool sure;
	if (!may_be_certain())
		return;
	ck_assert(begin(kinds[_i], NULL));
	asleep(2);
	struct account *account = look();
	ck_assert(diagnosis_certain(&account->diagnosis));
	let_pass(account);
	ck_assert_int_eq(account_confirm(account, &sure), STATUS_OK);
	ck_assert(!sure);
	ck_assert_uint_eq(account->diagnosis.length, 1);
	ck_assert_int_eq(account->diagnosis.causes[0].kind, CAUSE_IDLE);
	account_free(account);
	end();
}
END_TEST

/* A cycle of locks is one, whoever else there is; but who has the memory, too, may undo it. */
START_TEST(who_shares_the_memory_may_end_waits)
{
	static const char *const more[] = {NULL, "shared", "vfork"};
	struct account *account;
	char why[256];
	ck_assert(begin("locks", more[_i]));
	asleep(_i == 2 ? 3 : 2);
	ck_assert_int_eq(account_attach(pid, &account, why), STATUS_OK);
	ck_assert_int_eq(account->diagnosis.causes[0].kind, CAUSE_DEADLOCK);
	ck_assert(account->diagnosis.causes[0].certain == (_i == 0));
	ck_assert((account->inspection.note != NULL) == (_i != 0));
	if (_i)
		ck_assert_ptr_nonnull(strstr(account->inspection.note, "has the same memory"));
	account_free(account);
	end();
}
END_TEST

START_TEST(a_lock_that_a_sharer_holds_has_an_owner)
{
	ck_assert_int_eq(activity_sharer(getpid()), 0);
	ck_assert(begin("sem", "shared"));
	ck_assert_int_gt(activity_sharer(pid), 0);
	ck_assert_int_eq(activity_sharer(activity_sharer(pid)), pid);
	end();
}
END_TEST

START_TEST(requests_to_the_kernel_may_end_waits)
{
	struct account *account;
	char why[256];
	if (!begin("pipe", "ring"))
		return;
	asleep(2);
	ck_assert_msg(account_attach(pid, &account, why) == STATUS_OK, "%s", why);
	ck_assert(!diagnosis_certain(&account->diagnosis));
	ck_assert_ptr_nonnull(strstr(account->inspection.note, "io_uring"));
	account_free(account);
	end();
}
END_TEST

SUITE("standstill", 0, NULL, NULL, TEST_LOOP(who_stands_still_is_stuck_for_certain, LENGTH(kinds)),
      TEST_LOOP(who_has_run_since_is_not_stuck, LENGTH(kinds)),
      TEST_LOOP(who_shares_the_memory_may_end_waits, 3), TEST(a_lock_that_a_sharer_holds_has_an_owner),
      TEST(requests_to_the_kernel_may_end_waits))
